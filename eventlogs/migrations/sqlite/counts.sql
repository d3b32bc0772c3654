-- Writes the numbers that the app shows, each file with the members of one projection:
--
--   sqlite3 app.db < counts.sql

.mode csv
.separator , "\n"
.headers on

.once followers.csv
SELECT id AS user, followers_count AS followerCount, following_count AS followingCount FROM profiles;

.once friends.csv
SELECT id AS user, friends_count AS friends FROM profiles;

.once profiles.csv
SELECT id AS user, username AS handle, full_name AS displayName, bio, is_public AS isPublic,
  created_at AS createdAt
FROM profiles;

.once workouts.csv
SELECT id AS workout, user_id AS owner, done_at AS date, kind AS workoutType,
  meters AS totalDistance, chups_count AS chups, comments_count AS comments
FROM workouts WHERE deleted_at IS NULL;

-- Comments are compared workout by workout.
.once comments-w1.csv
SELECT id AS comment, user_id AS user, body AS text, parent_id AS replyTo, hearts_count AS hearts
FROM comments WHERE workout_id = 'w1' AND deleted_at IS NULL;
.once comments-w2.csv
SELECT id AS comment, user_id AS user, body AS text, parent_id AS replyTo, hearts_count AS hearts
FROM comments WHERE workout_id = 'w2' AND deleted_at IS NULL;
.once comments-w3.csv
SELECT id AS comment, user_id AS user, body AS text, parent_id AS replyTo, hearts_count AS hearts
FROM comments WHERE workout_id = 'w3' AND deleted_at IS NULL;
.once comments-w5.csv
SELECT id AS comment, user_id AS user, body AS text, parent_id AS replyTo, hearts_count AS hearts
FROM comments WHERE workout_id = 'w5' AND deleted_at IS NULL;
