-- Prints the climb app's rows as event lines, oldest first:
--
--   psql -XAtq app < events.sql > events.jsonl
--
-- A follow has a soft delete: deleted_at is an unfollow, unless another row for the same edge is open then
-- (nothing in the table keeps an edge from being there twice). A row that repeats one that is open is printed
-- as well: the log shows it, and it counts once.

-- A time as the log has it: in UTC, to the millisecond.
CREATE FUNCTION pg_temp.utc(timestamptz) RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

WITH
-- What happened: when, in which order where that is the same time, by whom, and what.
event (happened, rank, id, type, actor, data) AS (
  SELECT created_at, 1, id, 'ProfileCreated', id::text,
    json_build_object('user', id, 'handle', handle, 'displayName', nullif(trim(display_name), ''),
      'isPublic', is_public)
  FROM profiles
  UNION ALL
  SELECT created_at, 2, id, 'ProfileEdited', id::text,
    json_build_object('user', id, 'bio', nullif(trim(bio), ''), 'homeGym', home_gym, 'homeZIP', home_zip,
      'climbingSince', climbing_since, 'favoriteStyle', favorite_style,
      'boulderGradeScale', preferred_grade_scale_boulder,
      'routeGradeScale', preferred_grade_scale_route)
  FROM profiles
  WHERE coalesce(nullif(trim(bio), ''), home_gym, home_zip, climbing_since::text, favorite_style,
    preferred_grade_scale_boulder, preferred_grade_scale_route) IS NOT NULL
  UNION ALL
  SELECT updated_at, 3, id, 'ProfilePhotoSet', id::text,
    json_build_object('user', id, 'url', photo_url,
      'path', substring(photo_url FROM '/object/public/(.*)$'))
  FROM profiles WHERE photo_url IS NOT NULL
  UNION ALL
  -- The table has only their number.
  SELECT updated_at, 4, id, 'SendLogged', id::text,
    json_build_object('user', id, 'climb', 'before the move')
  FROM profiles, generate_series(1, send_count)
  UNION ALL
  SELECT updated_at, 5, id, 'PremiumRecorded', 'service:store',
    json_build_object('user', id, 'product', premium_product_id,
      'expires', pg_temp.utc(premium_expires_at),
      'transaction', premium_original_transaction_id)
  FROM profiles WHERE premium_expires_at IS NOT NULL
  UNION ALL
  SELECT created_at, 6, id, 'UserFollowed', follower_id::text,
    json_build_object('follower', follower_id, 'followee', followee_id)
  FROM follows
  UNION ALL
  SELECT deleted_at, 7, id, 'UserUnfollowed', follower_id::text,
    json_build_object('follower', follower_id, 'followee', followee_id)
  FROM follows AS f WHERE deleted_at IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM follows AS o
    WHERE o.follower_id = f.follower_id AND o.followee_id = f.followee_id AND o.id <> f.id
      AND o.created_at <= f.deleted_at
      AND (o.deleted_at IS NULL OR (o.deleted_at, o.id) > (f.deleted_at, f.id))))

-- json_strip_nulls leaves out members that are null: what is not there is absent.
-- A line without a version is of version 1, of which a photo is a file that was uploaded.
SELECT json_build_object('type', type, 'v', CASE type WHEN 'ProfilePhotoSet' THEN 2 ELSE 1 END,
  'time', pg_temp.utc(happened), 'actor', actor, 'data', json_strip_nulls(data))
FROM event ORDER BY happened, rank, id;
