-- Prints the app's rows as event lines, oldest first:
--
--   psql -XAtq app < events.sql > events.jsonl
--
-- Two rules hold for all rows that have a beginning and an end (created_at and deleted_at or the like):
--
-- - A row repeats another if, when it begins, an earlier row for the same thing is still open. Of follows
--   such rows are printed, so that the log can show them; of the others they are left out.
-- - An end is printed only if no other row for the same thing is open then. A table with duplicate edges
--   would otherwise lose an edge of which one row was deleted and another was not.

-- A time as the log has it: in UTC, to the millisecond. What has a time zone is converted; done_at has none,
-- and is the local time of the gym.
CREATE FUNCTION pg_temp.utc(timestamptz) RETURNS text LANGUAGE sql STABLE AS
  $$ SELECT to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

WITH
follow AS (
  SELECT id, follower_id, followee_id,
    created_at AS began,
    deleted_at AS ended
  FROM follows),
asked AS (
  SELECT id, requester_id, addressee_id, status,
    least(requester_id, addressee_id) || '/' || greatest(requester_id, addressee_id) AS pair,
    created_at AS began,
    coalesce(answered_at, created_at) AS answered,
    CASE status WHEN 'declined' THEN coalesce(answered_at, created_at) ELSE ended_at END AS ended
  FROM friendships),
friendship AS (
  SELECT * FROM asked AS a WHERE NOT EXISTS (
    SELECT 1 FROM asked AS o
    WHERE o.pair = a.pair AND (o.began, o.id) < (a.began, a.id)
      AND (o.ended IS NULL OR o.ended > a.began))),
given AS (
  SELECT id, workout_id, user_id, is_big,
    created_at AS began,
    deleted_at AS ended
  FROM chups),
-- A big chup after a plain one is no repeat: it makes the chup big.
chup AS (
  SELECT * FROM given AS g WHERE NOT EXISTS (
    SELECT 1 FROM given AS o
    WHERE o.workout_id = g.workout_id AND o.user_id = g.user_id AND o.is_big >= g.is_big
      AND (o.began, o.id) < (g.began, g.id) AND (o.ended IS NULL OR o.ended > g.began))),
-- Hearts have no end: the first of a user is the heart.
heart AS (
  SELECT *, row_number() OVER (PARTITION BY comment_id, user_id ORDER BY created_at, id) AS place
  FROM hearts),

-- What happened: when, in which order where that is the same time, by whom, and what.
event (happened, rank, id, type, actor, data) AS (
  SELECT created_at, 1, id, 'ProfileCreated', id,
    json_build_object('user', id, 'handle', username, 'displayName', full_name,
      'isPublic', is_public)
  FROM profiles
  UNION ALL
  SELECT created_at, 2, id, 'ProfileEdited', id,
    json_build_object('user', id, 'bio', bio)
  FROM profiles WHERE bio IS NOT NULL
  UNION ALL
  SELECT began, 3, lpad(id::text, 10, '0'), 'UserFollowed', follower_id,
    json_build_object('follower', follower_id, 'followee', followee_id)
  FROM follow
  UNION ALL
  SELECT ended, 4, lpad(id::text, 10, '0'), 'UserUnfollowed', follower_id,
    json_build_object('follower', follower_id, 'followee', followee_id)
  FROM follow AS f WHERE ended IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM follow AS o
    WHERE o.follower_id = f.follower_id AND o.followee_id = f.followee_id AND o.id <> f.id
      AND o.began <= f.ended
      AND (o.ended IS NULL OR (o.ended, o.id) > (f.ended, f.id)))
  UNION ALL
  SELECT began, 5, lpad(id::text, 10, '0'), 'FriendRequested', requester_id,
    json_build_object('sender', requester_id, 'receiver', addressee_id)
  FROM friendship
  UNION ALL
  SELECT answered, 6, lpad(id::text, 10, '0'),
    CASE status WHEN 'accepted' THEN 'FriendRequestAccepted' ELSE 'FriendRequestRejected' END, addressee_id,
    json_build_object('sender', requester_id, 'receiver', addressee_id)
  FROM friendship WHERE status <> 'pending'
  UNION ALL
  -- The table does not say who ended it; either may.
  SELECT ended, 7, lpad(id::text, 10, '0'), 'FriendRemoved', requester_id,
    json_build_object('user', requester_id, 'friend', addressee_id)
  FROM friendship WHERE status = 'accepted' AND ended IS NOT NULL
  UNION ALL
  SELECT created_at, 8, id, 'WorkoutShared', user_id,
    json_build_object('workout', id, 'owner', user_id, 'localID', id,
      'date', pg_temp.utc(done_at AT TIME ZONE 'Europe/Berlin'), 'workoutType', kind,
      -- In tenths of a second, so that 59.96 s is a minute and not '00:60.0'.
      'totalTime', CASE WHEN tenths >= 36000 THEN tenths / 36000 || ':' ELSE '' END
        || to_char(tenths / 600 % 60, 'FM00') || ':' || to_char(tenths / 10 % 60, 'FM00')
        || '.' || tenths % 10,
      'totalDistance', meters,
      'averageSplit', to_char(split / 600, 'FM00') || ':' || to_char(split / 10 % 60, 'FM00')
        || '.' || split % 10,
      'isErgTest', is_test, 'text', note, 'audience', 'friends')
  FROM (
    SELECT *, round(total_seconds * 10)::integer AS tenths,
      round(total_seconds * 5000 / meters)::integer AS split
    FROM workouts) AS w
  UNION ALL
  SELECT began, 9, lpad(id::text, 10, '0'), 'ChupGiven', user_id,
    json_build_object('workout', workout_id, 'user', user_id,
      'big', is_big)
  FROM chup
  UNION ALL
  SELECT ended, 10, lpad(id::text, 10, '0'), 'ChupWithdrawn', user_id,
    json_build_object('workout', workout_id, 'user', user_id)
  FROM given AS g WHERE ended IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM given AS o
    WHERE o.workout_id = g.workout_id AND o.user_id = g.user_id AND o.id <> g.id
      AND o.began <= g.ended
      AND (o.ended IS NULL OR (o.ended, o.id) > (g.ended, g.id)))
  UNION ALL
  SELECT created_at, 11, id, 'CommentPosted', user_id,
    json_build_object('comment', id, 'workout', workout_id, 'user', user_id, 'text', body,
      'replyTo', parent_id)
  FROM comments
  UNION ALL
  SELECT created_at, 12, lpad(id::text, 10, '0'), 'CommentHearted', user_id,
    json_build_object('comment', comment_id, 'user', user_id)
  FROM heart WHERE place = 1
  UNION ALL
  SELECT deleted_at, 13, id, 'CommentRemoved', user_id,
    json_build_object('comment', id)
  FROM comments WHERE deleted_at IS NOT NULL
  UNION ALL
  SELECT deleted_at, 14, id, 'WorkoutRemoved', user_id,
    json_build_object('workout', id)
  FROM workouts WHERE deleted_at IS NOT NULL)

-- json_strip_nulls leaves out members that are null: what is not there is absent.
SELECT json_build_object('type', type, 'time', pg_temp.utc(happened), 'actor', actor,
  'data', json_strip_nulls(data))
FROM event ORDER BY happened, rank, id;
