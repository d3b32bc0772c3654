-- Prints the app's rows as event lines, oldest first:
--
--   sqlite3 app.db < events.sql > events.jsonl
--
-- Two rules hold for all rows that have a beginning and an end (created_at and deleted_at or the like):
--
-- - A row repeats another if, when it begins, an earlier row for the same thing is still open. Of follows
--   such rows are printed, so that the log can show them; of the others they are left out.
-- - An end is printed only if no other row for the same thing is open then. A table with duplicate edges
--   would otherwise lose an edge of which one row was deleted and another was not.

WITH
-- Every time in UTC to the millisecond. strftime reads both '2025-03-02 09:00:00', which is UTC, and
-- '2025-03-02T10:05:00+01:00'.
follow AS (
  SELECT id, follower_id, followee_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at) AS began,
    strftime('%Y-%m-%dT%H:%M:%fZ', deleted_at) AS ended
  FROM follows),
asked AS (
  SELECT id, requester_id, addressee_id, status,
    min(requester_id, addressee_id) || '/' || max(requester_id, addressee_id) AS pair,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at) AS began,
    strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(answered_at, created_at)) AS answered,
    strftime('%Y-%m-%dT%H:%M:%fZ',
      CASE status WHEN 'declined' THEN coalesce(answered_at, created_at) ELSE ended_at END) AS ended
  FROM friendships),
friendship AS (
  SELECT * FROM asked AS a WHERE NOT EXISTS (
    SELECT 1 FROM asked AS o
    WHERE o.pair = a.pair AND (o.began, o.id) < (a.began, a.id)
      AND (o.ended IS NULL OR o.ended > a.began))),
given AS (
  SELECT id, workout_id, user_id, is_big,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at) AS began,
    strftime('%Y-%m-%dT%H:%M:%fZ', deleted_at) AS ended
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
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at), 1, id, 'ProfileCreated', id,
    json_object('user', id, 'handle', username, 'displayName', full_name,
      'isPublic', json(iif(is_public, 'true', 'false')))
  FROM profiles
  UNION ALL
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at), 2, id, 'ProfileEdited', id,
    json_object('user', id, 'bio', bio)
  FROM profiles WHERE bio IS NOT NULL
  UNION ALL
  SELECT began, 3, id, 'UserFollowed', follower_id,
    json_object('follower', follower_id, 'followee', followee_id)
  FROM follow
  UNION ALL
  SELECT ended, 4, id, 'UserUnfollowed', follower_id,
    json_object('follower', follower_id, 'followee', followee_id)
  FROM follow AS f WHERE ended IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM follow AS o
    WHERE o.follower_id = f.follower_id AND o.followee_id = f.followee_id AND o.id <> f.id
      AND o.began <= f.ended
      AND (o.ended IS NULL OR (o.ended, o.id) > (f.ended, f.id)))
  UNION ALL
  SELECT began, 5, id, 'FriendRequested', requester_id,
    json_object('sender', requester_id, 'receiver', addressee_id)
  FROM friendship
  UNION ALL
  SELECT answered, 6, id,
    iif(status = 'accepted', 'FriendRequestAccepted', 'FriendRequestRejected'), addressee_id,
    json_object('sender', requester_id, 'receiver', addressee_id)
  FROM friendship WHERE status <> 'pending'
  UNION ALL
  -- The table does not say who ended it; either may.
  SELECT ended, 7, id, 'FriendRemoved', requester_id,
    json_object('user', requester_id, 'friend', addressee_id)
  FROM friendship WHERE status = 'accepted' AND ended IS NOT NULL
  UNION ALL
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at), 8, id, 'WorkoutShared', user_id,
    json_object('workout', id, 'owner', user_id, 'localID', id,
      'date', strftime('%Y-%m-%dT%H:%M:%fZ', done_at), 'workoutType', kind,
      -- In tenths of a second, so that 59.96 s is a minute and not '00:60.0'.
      'totalTime', iif(tenths >= 36000, printf('%d:', tenths / 36000), '')
        || printf('%02d:%02d.%d', tenths / 600 % 60, tenths / 10 % 60, tenths % 10),
      'totalDistance', meters,
      'averageSplit', printf('%02d:%02d.%d', split / 600, split / 10 % 60, split % 10),
      'isErgTest', json(iif(is_test, 'true', 'false')), 'text', note, 'audience', 'friends')
  FROM (
    SELECT *, cast(round(total_seconds * 10) AS integer) AS tenths,
      cast(round(total_seconds * 5000 / meters) AS integer) AS split
    FROM workouts)
  UNION ALL
  SELECT began, 9, id, 'ChupGiven', user_id,
    json_object('workout', workout_id, 'user', user_id,
      'big', json(iif(is_big, 'true', 'false')))
  FROM chup
  UNION ALL
  SELECT ended, 10, id, 'ChupWithdrawn', user_id,
    json_object('workout', workout_id, 'user', user_id)
  FROM given AS g WHERE ended IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM given AS o
    WHERE o.workout_id = g.workout_id AND o.user_id = g.user_id AND o.id <> g.id
      AND o.began <= g.ended
      AND (o.ended IS NULL OR (o.ended, o.id) > (g.ended, g.id)))
  UNION ALL
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at), 11, id, 'CommentPosted', user_id,
    json_object('comment', id, 'workout', workout_id, 'user', user_id, 'text', body,
      'replyTo', parent_id)
  FROM comments
  UNION ALL
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at), 12, id, 'CommentHearted', user_id,
    json_object('comment', comment_id, 'user', user_id)
  FROM heart WHERE place = 1
  UNION ALL
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', deleted_at), 13, id, 'CommentRemoved', user_id,
    json_object('comment', id)
  FROM comments WHERE deleted_at IS NOT NULL
  UNION ALL
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', deleted_at), 14, id, 'WorkoutRemoved', user_id,
    json_object('workout', id)
  FROM workouts WHERE deleted_at IS NOT NULL)

-- json_patch leaves out members that are null: what is not there is absent.
SELECT json_object('type', type, 'time', happened, 'actor', actor, 'data', json_patch('{}', data))
FROM event ORDER BY happened, rank, id;
