--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;

CREATE TABLE public.profiles (
    id text NOT NULL,
    username text NOT NULL,
    full_name text,
    bio text,
    is_public boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    followers_count integer DEFAULT 0 NOT NULL,
    following_count integer DEFAULT 0 NOT NULL,
    friends_count integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.follows (
    id integer NOT NULL,
    follower_id text NOT NULL,
    followee_id text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

CREATE TABLE public.friendships (
    id integer NOT NULL,
    requester_id text NOT NULL,
    addressee_id text NOT NULL,
    status text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    answered_at timestamp with time zone,
    ended_at timestamp with time zone
);

CREATE TABLE public.workouts (
    id text NOT NULL,
    user_id text NOT NULL,
    kind text NOT NULL,
    total_seconds numeric NOT NULL,
    meters integer NOT NULL,
    is_test boolean NOT NULL,
    note text,
    done_at timestamp without time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    chups_count integer DEFAULT 0 NOT NULL,
    comments_count integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.chups (
    id integer NOT NULL,
    workout_id text NOT NULL,
    user_id text NOT NULL,
    is_big boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone
);

CREATE TABLE public.comments (
    id text NOT NULL,
    workout_id text NOT NULL,
    user_id text NOT NULL,
    body text NOT NULL,
    parent_id text,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    hearts_count integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.hearts (
    id integer NOT NULL,
    comment_id text NOT NULL,
    user_id text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

COPY public.profiles (id, username, full_name, bio, is_public, created_at, followers_count, following_count, friends_count) FROM stdin;
ada	ada_climbs	Ada	Ropes and rowing	t	2025-02-01 10:00:00+00	5	2	2
ben	ben	Ben	\N	t	2025-02-02 11:30:00+00	3	2	3
cleo	Cleo_R	Cleo	\N	t	2025-02-02 12:00:00.25+00	1	2	2
dina	dina	\N	\N	t	2025-02-03 07:00:00+00	0	2	1
eli	eli	Eli	Coach at the "Wall"\nask me	t	2025-02-03 08:00:00+00	0	1	1
fred	fred	Fred	\N	t	2025-02-04 08:00:00+00	0	0	1
gus	gus.h	Gus	\N	t	2025-02-05 08:00:00+00	0	1	0
hana	hana	 Hana 	\N	t	2025-02-06 08:00:00+00	1	1	0
zoe1	Zoe	Zoë A.	\N	t	2025-02-07 08:00:00+00	1	1	0
zoe2	zoe	Zoë B.	\N	t	2025-02-08 08:00:00+00	1	1	0
ivo	ivo	Ivo	\N	t	2025-03-08 09:00:00+00	1	0	0
mia	mia	Mia	\N	f	2025-02-09 08:00:00+00	0	1	0
\.

COPY public.follows (id, follower_id, followee_id, created_at, deleted_at) FROM stdin;
1	ben	ada	2025-03-02 09:00:00+00	\N
2	cleo	ada	2025-03-02 09:05:00+00	\N
3	dina	ada	2025-03-02 09:10:00+00	\N
4	dina	ada	2025-03-02 09:10:01+00	\N
5	eli	ada	2025-03-04 08:00:00+00	\N
6	ada	ben	2025-03-02 12:00:00+00	\N
7	cleo	ben	2025-03-03 12:00:00+00	2025-03-10 07:00:00+00
8	mia	ben	2025-03-05 12:00:00+00	\N
9	ada	cleo	2025-03-03 18:00:00+00	2025-03-06 18:00:00+00
10	ada	cleo	2025-03-05 18:00:00+00	\N
11	fred	fred	2025-03-06 06:00:00+00	\N
12	ben	kim	2025-03-06 07:00:00+00	\N
13	hana	ivo	2025-03-07 07:00:00+00	\N
14	dina	eli	2025-02-10 07:00:00+00	\N
15	zoe1	zoe2	2025-03-09 10:00:00+00	\N
16	zoe2	zoe1	2025-03-09 10:00:00+00	\N
17	gus	hana	2025-03-09 11:00:00+00	2025-03-11 11:00:00+00
18	gus	hana	2025-03-12 11:00:00+00	\N
\.

COPY public.friendships (id, requester_id, addressee_id, status, created_at, answered_at, ended_at) FROM stdin;
1	ada	ben	accepted	2025-03-02 13:00:00+00	2025-03-02 14:00:00+00	\N
2	ben	cleo	accepted	2025-03-03 13:00:00+00	2025-03-03 13:30:00+00	\N
3	cleo	ben	accepted	2025-03-03 13:20:00+00	2025-03-03 13:30:00+00	\N
4	dina	ada	pending	2025-03-04 09:00:00+00	\N	\N
5	eli	ada	declined	2025-03-04 10:00:00+00	2025-03-04 11:00:00+00	\N
6	mia	cleo	accepted	2025-03-05 09:00:00+00	2025-03-05 10:00:00+00	2025-03-12 10:00:00+00
7	ada	eli	accepted	2025-03-09 08:00:00+00	2025-03-09 09:00:00+00	\N
8	dina	fred	accepted	2025-03-07 09:00:00+00	\N	\N
\.

COPY public.workouts (id, user_id, kind, total_seconds, meters, is_test, note, done_at, created_at, deleted_at, chups_count, comments_count) FROM stdin;
w1	ada	2000m	451.4	2000	t	New best	2025-03-03 06:40:00	2025-03-03 05:50:00+00	\N	3	2
w2	ben	5000m	1210.0	5000	f	\N	2025-03-04 19:00:00	2025-03-04 18:30:00+00	\N	3	3
w3	cleo	30:00	1800.0	7650	f	\N	2025-03-05 18:00:00	2025-03-05 18:00:00+00	\N	1	1
w4	ada	10000m	2489.9	10000	f	\N	2025-03-06 06:00:00	2025-03-06 06:00:00+00	2025-03-08 06:00:00+00	1	0
w5	eli	60:00	3600.0	14021	f	Never again	2025-03-10 06:00:00	2025-03-10 06:30:00+00	\N	1	2
\.

COPY public.chups (id, workout_id, user_id, is_big, created_at, deleted_at) FROM stdin;
1	w1	ben	f	2025-03-03 08:00:00+00	\N
2	w1	ben	f	2025-03-03 08:00:00+00	\N
3	w1	dina	f	2025-03-04 09:30:00+00	\N
4	w2	ada	f	2025-03-04 20:00:00+00	\N
5	w2	ada	t	2025-03-04 20:01:00+00	\N
6	w2	cleo	f	2025-03-04 21:00:00+00	\N
7	w3	ben	f	2025-03-05 20:00:00+00	2025-03-05 20:05:00+00
8	w3	ben	f	2025-03-06 20:00:00+00	\N
9	w4	ben	f	2025-03-06 21:00:00+00	\N
10	w5	ada	t	2025-03-10 07:00:00+00	\N
\.

COPY public.comments (id, workout_id, user_id, body, parent_id, created_at, deleted_at, hearts_count) FROM stdin;
c1	w1	ben	Strong!	\N	2025-03-03 08:01:00+00	\N	2
c2	w1	ada	Thanks	c1	2025-03-03 08:10:00+00	\N	0
c3	w2	cleo	Nice pace	\N	2025-03-04 21:01:00+00	\N	1
c4	w2	cleo	Nice pace	\N	2025-03-04 21:01:02+00	2025-03-04 21:02:00+00	0
c5	w3	gus	Where is this?	\N	2025-03-06 09:00:00+00	\N	0
c6	w5	ada	An hour!	\N	2025-03-10 07:01:00+00	\N	1
c7	w5	eli	  	\N	2025-03-10 07:05:00+00	\N	0
c8	w2	ada	As at yours	c1	2025-03-10 08:00:00+00	\N	0
\.

COPY public.hearts (id, comment_id, user_id, created_at) FROM stdin;
1	c1	ada	2025-03-03 08:05:00+00
2	c1	ada	2025-03-03 08:05:00+00
3	c3	ben	2025-03-05 06:00:00+00
4	c6	eli	2025-03-10 09:00:00+00
\.

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.follows
    ADD CONSTRAINT follows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.friendships
    ADD CONSTRAINT friendships_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.workouts
    ADD CONSTRAINT workouts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.chups
    ADD CONSTRAINT chups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.comments
    ADD CONSTRAINT comments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.hearts
    ADD CONSTRAINT hearts_pkey PRIMARY KEY (id);
