-- Writes the numbers that the climb app shows, each file with the members of one projection:
--
--   psql -Xq app < counts.sql

\copy (SELECT id AS "user", follower_count AS "followerCount", following_count AS "followingCount" FROM profiles) TO 'followers.csv' WITH (FORMAT csv, HEADER)

\copy (SELECT id AS "user", handle, display_name AS "displayName", nullif(bio, '') AS bio, is_public AS "isPublic", send_count AS "sendCount", created_at AS "createdAt" FROM profiles) TO 'profiles.csv' WITH (FORMAT csv, HEADER)
