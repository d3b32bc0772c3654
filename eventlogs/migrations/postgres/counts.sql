-- Writes the numbers that the app shows, each file with the members of one projection:
--
--   psql -Xq app < counts.sql

\copy (SELECT id AS "user", followers_count AS "followerCount", following_count AS "followingCount" FROM profiles) TO 'followers.csv' WITH (FORMAT csv, HEADER)

\copy (SELECT id AS "user", friends_count AS friends FROM profiles) TO 'friends.csv' WITH (FORMAT csv, HEADER)

\copy (SELECT id AS "user", username AS handle, full_name AS "displayName", bio, is_public AS "isPublic", created_at AS "createdAt" FROM profiles) TO 'profiles.csv' WITH (FORMAT csv, HEADER)

\copy (SELECT id AS workout, user_id AS owner, done_at AT TIME ZONE 'Europe/Berlin' AS date, kind AS "workoutType", meters AS "totalDistance", chups_count AS chups, comments_count AS comments FROM workouts WHERE deleted_at IS NULL) TO 'workouts.csv' WITH (FORMAT csv, HEADER)

-- Comments are compared workout by workout.
\copy (SELECT id AS comment, user_id AS "user", body AS text, parent_id AS "replyTo", hearts_count AS hearts FROM comments WHERE workout_id = 'w1' AND deleted_at IS NULL) TO 'comments-w1.csv' WITH (FORMAT csv, HEADER)
\copy (SELECT id AS comment, user_id AS "user", body AS text, parent_id AS "replyTo", hearts_count AS hearts FROM comments WHERE workout_id = 'w2' AND deleted_at IS NULL) TO 'comments-w2.csv' WITH (FORMAT csv, HEADER)
\copy (SELECT id AS comment, user_id AS "user", body AS text, parent_id AS "replyTo", hearts_count AS hearts FROM comments WHERE workout_id = 'w3' AND deleted_at IS NULL) TO 'comments-w3.csv' WITH (FORMAT csv, HEADER)
\copy (SELECT id AS comment, user_id AS "user", body AS text, parent_id AS "replyTo", hearts_count AS hearts FROM comments WHERE workout_id = 'w5' AND deleted_at IS NULL) TO 'comments-w5.csv' WITH (FORMAT csv, HEADER)
