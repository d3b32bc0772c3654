PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE profiles (
  id text PRIMARY KEY,
  username text NOT NULL,
  full_name text,
  bio text,
  is_public integer NOT NULL,
  created_at text NOT NULL,
  followers_count integer NOT NULL DEFAULT 0,
  following_count integer NOT NULL DEFAULT 0,
  friends_count integer NOT NULL DEFAULT 0
);
INSERT INTO profiles VALUES('ada','ada_climbs','Ada','Ropes and rowing',1,'2025-02-01 10:00:00',5,2,2);
INSERT INTO profiles VALUES('ben','ben','Ben',NULL,1,'2025-02-02T12:30:00+01:00',3,2,3);
INSERT INTO profiles VALUES('cleo','Cleo_R','Cleo',NULL,1,'2025-02-02 12:00:00.250',1,2,2);
INSERT INTO profiles VALUES('dina','dina',NULL,NULL,1,'2025-02-03T07:00:00Z',0,2,1);
INSERT INTO profiles VALUES('eli','eli','Eli',replace('Coach at the "Wall"\nask me','\n',char(10)),1,'2025-02-03 08:00:00',0,1,1);
INSERT INTO profiles VALUES('fred','fred','Fred',NULL,1,'2025-02-04 08:00:00',0,0,1);
INSERT INTO profiles VALUES('gus','gus.h','Gus',NULL,1,'2025-02-05 08:00:00',0,1,0);
INSERT INTO profiles VALUES('hana','hana',' Hana ',NULL,1,'2025-02-06 08:00:00',1,1,0);
INSERT INTO profiles VALUES('zoe1','Zoe','Zoë A.',NULL,1,'2025-02-07 08:00:00',1,1,0);
INSERT INTO profiles VALUES('zoe2','zoe','Zoë B.',NULL,1,'2025-02-08 08:00:00',1,1,0);
INSERT INTO profiles VALUES('ivo','ivo','Ivo',NULL,1,'2025-03-08 09:00:00',1,0,0);
INSERT INTO profiles VALUES('mia','mia','Mia',NULL,0,'2025-02-09 08:00:00',0,1,0);
CREATE TABLE follows (
  id integer PRIMARY KEY,
  follower_id text NOT NULL,
  followee_id text NOT NULL,
  created_at text NOT NULL,
  deleted_at text
);
INSERT INTO follows VALUES(1,'ben','ada','2025-03-02 09:00:00',NULL);
INSERT INTO follows VALUES(2,'cleo','ada','2025-03-02T10:05:00+01:00',NULL);
INSERT INTO follows VALUES(3,'dina','ada','2025-03-02 09:10:00',NULL);
INSERT INTO follows VALUES(4,'dina','ada','2025-03-02 09:10:01',NULL);
INSERT INTO follows VALUES(5,'eli','ada','2025-03-04T08:00:00Z',NULL);
INSERT INTO follows VALUES(6,'ada','ben','2025-03-02 12:00:00',NULL);
INSERT INTO follows VALUES(7,'cleo','ben','2025-03-03 12:00:00','2025-03-10 07:00:00');
INSERT INTO follows VALUES(8,'mia','ben','2025-03-05 12:00:00',NULL);
INSERT INTO follows VALUES(9,'ada','cleo','2025-03-03 18:00:00','2025-03-06 18:00:00');
INSERT INTO follows VALUES(10,'ada','cleo','2025-03-05 18:00:00',NULL);
INSERT INTO follows VALUES(11,'fred','fred','2025-03-06 06:00:00',NULL);
INSERT INTO follows VALUES(12,'ben','kim','2025-03-06T08:00:00+01:00',NULL);
INSERT INTO follows VALUES(13,'hana','ivo','2025-03-07 07:00:00',NULL);
INSERT INTO follows VALUES(14,'dina','eli','2025-02-10 07:00:00',NULL);
INSERT INTO follows VALUES(15,'zoe1','zoe2','2025-03-09 10:00:00',NULL);
INSERT INTO follows VALUES(16,'zoe2','zoe1','2025-03-09 10:00:00',NULL);
INSERT INTO follows VALUES(17,'gus','hana','2025-03-09 11:00:00','2025-03-11 11:00:00');
INSERT INTO follows VALUES(18,'gus','hana','2025-03-12 11:00:00',NULL);
CREATE TABLE friendships (
  id integer PRIMARY KEY,
  requester_id text NOT NULL,
  addressee_id text NOT NULL,
  status text NOT NULL,
  created_at text NOT NULL,
  answered_at text,
  ended_at text
);
INSERT INTO friendships VALUES(1,'ada','ben','accepted','2025-03-02 13:00:00','2025-03-02 14:00:00',NULL);
INSERT INTO friendships VALUES(2,'ben','cleo','accepted','2025-03-03 13:00:00','2025-03-03 13:30:00',NULL);
INSERT INTO friendships VALUES(3,'cleo','ben','accepted','2025-03-03 13:20:00','2025-03-03 13:30:00',NULL);
INSERT INTO friendships VALUES(4,'dina','ada','pending','2025-03-04 09:00:00',NULL,NULL);
INSERT INTO friendships VALUES(5,'eli','ada','declined','2025-03-04 10:00:00','2025-03-04 11:00:00',NULL);
INSERT INTO friendships VALUES(6,'mia','cleo','accepted','2025-03-05 09:00:00','2025-03-05 10:00:00','2025-03-12 10:00:00');
INSERT INTO friendships VALUES(7,'ada','eli','accepted','2025-03-09T09:00:00+01:00','2025-03-09T10:00:00+01:00',NULL);
INSERT INTO friendships VALUES(8,'dina','fred','accepted','2025-03-07 09:00:00',NULL,NULL);
CREATE TABLE workouts (
  id text PRIMARY KEY,
  user_id text NOT NULL,
  kind text NOT NULL,
  total_seconds real NOT NULL,
  meters integer NOT NULL,
  is_test integer NOT NULL,
  note text,
  done_at text NOT NULL,
  created_at text NOT NULL,
  deleted_at text,
  chups_count integer NOT NULL DEFAULT 0,
  comments_count integer NOT NULL DEFAULT 0
);
INSERT INTO workouts VALUES('w1','ada','2000m',451.4,2000,1,'New best','2025-03-03T06:40:00+01:00','2025-03-03 05:50:00',NULL,3,2);
INSERT INTO workouts VALUES('w2','ben','5000m',1210.0,5000,0,NULL,'2025-03-04 18:00:00','2025-03-04 18:30:00',NULL,3,3);
INSERT INTO workouts VALUES('w3','cleo','30:00',1800.0,7650,0,NULL,'2025-03-05 17:00:00','2025-03-05 18:00:00',NULL,1,1);
INSERT INTO workouts VALUES('w4','ada','10000m',2489.9,10000,0,NULL,'2025-03-06 05:00:00','2025-03-06 06:00:00','2025-03-08 06:00:00',1,0);
INSERT INTO workouts VALUES('w5','eli','60:00',3600.0,14021,0,'Never again','2025-03-10 05:00:00','2025-03-10 06:30:00',NULL,1,2);
CREATE TABLE chups (
  id integer PRIMARY KEY,
  workout_id text NOT NULL,
  user_id text NOT NULL,
  is_big integer NOT NULL,
  created_at text NOT NULL,
  deleted_at text
);
INSERT INTO chups VALUES(1,'w1','ben',0,'2025-03-03 08:00:00',NULL);
INSERT INTO chups VALUES(2,'w1','ben',0,'2025-03-03 08:00:00',NULL);
INSERT INTO chups VALUES(3,'w1','dina',0,'2025-03-04 09:30:00',NULL);
INSERT INTO chups VALUES(4,'w2','ada',0,'2025-03-04 20:00:00',NULL);
INSERT INTO chups VALUES(5,'w2','ada',1,'2025-03-04 20:01:00',NULL);
INSERT INTO chups VALUES(6,'w2','cleo',0,'2025-03-04 21:00:00',NULL);
INSERT INTO chups VALUES(7,'w3','ben',0,'2025-03-05 20:00:00','2025-03-05 20:05:00');
INSERT INTO chups VALUES(8,'w3','ben',0,'2025-03-06 20:00:00',NULL);
INSERT INTO chups VALUES(9,'w4','ben',0,'2025-03-06 21:00:00',NULL);
INSERT INTO chups VALUES(10,'w5','ada',1,'2025-03-10 07:00:00',NULL);
CREATE TABLE comments (
  id text PRIMARY KEY,
  workout_id text NOT NULL,
  user_id text NOT NULL,
  body text NOT NULL,
  parent_id text,
  created_at text NOT NULL,
  deleted_at text,
  hearts_count integer NOT NULL DEFAULT 0
);
INSERT INTO comments VALUES('c1','w1','ben','Strong!',NULL,'2025-03-03 08:01:00',NULL,2);
INSERT INTO comments VALUES('c2','w1','ada','Thanks','c1','2025-03-03 08:10:00',NULL,0);
INSERT INTO comments VALUES('c3','w2','cleo','Nice pace',NULL,'2025-03-04 21:01:00',NULL,1);
INSERT INTO comments VALUES('c4','w2','cleo','Nice pace',NULL,'2025-03-04 21:01:02','2025-03-04 21:02:00',0);
INSERT INTO comments VALUES('c5','w3','gus','Where is this?',NULL,'2025-03-06 09:00:00',NULL,0);
INSERT INTO comments VALUES('c6','w5','ada','An hour!',NULL,'2025-03-10 07:01:00',NULL,1);
INSERT INTO comments VALUES('c7','w5','eli','  ',NULL,'2025-03-10 07:05:00',NULL,0);
INSERT INTO comments VALUES('c8','w2','ada','As at yours','c1','2025-03-10 08:00:00',NULL,0);
CREATE TABLE hearts (
  id integer PRIMARY KEY,
  comment_id text NOT NULL,
  user_id text NOT NULL,
  created_at text NOT NULL
);
INSERT INTO hearts VALUES(1,'c1','ada','2025-03-03 08:05:00');
INSERT INTO hearts VALUES(2,'c1','ada','2025-03-03 08:05:00');
INSERT INTO hearts VALUES(3,'c3','ben','2025-03-05 06:00:00');
INSERT INTO hearts VALUES(4,'c6','eli','2025-03-10 09:00:00');
COMMIT;
