--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;

CREATE TABLE public.profiles (
    id uuid NOT NULL,
    handle text NOT NULL,
    display_name text,
    bio text,
    photo_url text,
    home_zip text,
    home_gym text,
    climbing_since date,
    favorite_style text,
    preferred_grade_scale_boulder text,
    preferred_grade_scale_route text,
    is_public boolean DEFAULT true NOT NULL,
    follower_count integer DEFAULT 0 NOT NULL,
    following_count integer DEFAULT 0 NOT NULL,
    send_count integer DEFAULT 0 NOT NULL,
    premium_expires_at timestamp with time zone,
    premium_product_id text,
    premium_original_transaction_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.follows (
    id uuid NOT NULL,
    follower_id uuid NOT NULL,
    followee_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);

INSERT INTO public.profiles VALUES ('5f0c1d1e-0001-4a6b-9d3e-000000000001', 'zoe_sends', 'Zoë', 'Slab first.', 'https://project.supabase.co/storage/v1/object/public/avatars/5f0c1d1e-0001-4a6b-9d3e-000000000001/1740823200_a1b2c3d4.jpg', '80331', 'Boulderwelt', '2019-04-01', 'slab', 'font', 'french', true, 3, 1, 2, '2025-07-01 00:00:00+00', 'climb.plus.yearly', '2000000123456789', '2025-03-01 10:00:00+00', '2025-03-09 18:00:00+00');
INSERT INTO public.profiles VALUES ('5f0c1d1e-0002-4a6b-9d3e-000000000002', 'Ines', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 1, 2, 0, NULL, NULL, NULL, '2025-03-02 11:00:00+01', '2025-03-02 11:00:00+01');
INSERT INTO public.profiles VALUES ('5f0c1d1e-0003-4a6b-9d3e-000000000003', 'moritz', 'Moritz 🧗🏽', 'Will belay for coffee ☕', NULL, NULL, 'Einstein', NULL, NULL, NULL, NULL, false, 0, 1, 1, NULL, NULL, NULL, '2025-03-03 09:00:00+00', '2025-03-08 20:00:00+00');
INSERT INTO public.profiles VALUES ('5f0c1d1e-0004-4a6b-9d3e-000000000004', 'INES', 'Ines (new phone)', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 0, 1, 0, NULL, NULL, NULL, '2025-03-04 07:30:00+00', '2025-03-04 07:30:00+00');
INSERT INTO public.profiles VALUES ('5f0c1d1e-0005-4a6b-9d3e-000000000005', 'kofi', 'Kofi', '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, 1, 0, 0, NULL, NULL, NULL, '2025-03-05 06:00:00+00', '2025-03-05 06:00:00+00');

INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000001', '5f0c1d1e-0002-4a6b-9d3e-000000000002', '5f0c1d1e-0001-4a6b-9d3e-000000000001', '2025-03-02 11:05:00+01', NULL);
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000002', '5f0c1d1e-0003-4a6b-9d3e-000000000003', '5f0c1d1e-0001-4a6b-9d3e-000000000001', '2025-03-03 09:10:00+00', NULL);
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000003', '5f0c1d1e-0003-4a6b-9d3e-000000000003', '5f0c1d1e-0001-4a6b-9d3e-000000000001', '2025-03-03 09:10:00.25+00', NULL);
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000004', '5f0c1d1e-0001-4a6b-9d3e-000000000001', '5f0c1d1e-0002-4a6b-9d3e-000000000002', '2025-03-04 12:00:00+00', '2025-03-06 12:00:00+00');
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000005', '5f0c1d1e-0001-4a6b-9d3e-000000000001', '5f0c1d1e-0002-4a6b-9d3e-000000000002', '2025-03-07 12:00:00+00', NULL);
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000006', '5f0c1d1e-0002-4a6b-9d3e-000000000002', '5f0c1d1e-0005-4a6b-9d3e-000000000005', '2025-03-05 08:00:00+00', '2025-03-07 08:00:00+00');
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000007', '5f0c1d1e-0002-4a6b-9d3e-000000000002', '5f0c1d1e-0005-4a6b-9d3e-000000000005', '2025-03-06 08:00:00+00', NULL);
INSERT INTO public.follows VALUES ('a0000000-0000-4000-8000-000000000008', '5f0c1d1e-0004-4a6b-9d3e-000000000004', '5f0c1d1e-0004-4a6b-9d3e-000000000004', '2025-03-06 09:00:00+00', NULL);

ALTER TABLE ONLY public.follows ADD CONSTRAINT follows_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.profiles ADD CONSTRAINT profiles_pkey PRIMARY KEY (id);
