-- Projections as SQL over the lines of a log, written independently of eventlog's.
-- The table `line` has one row per line: seq, type, stream, data (JSON text). For histories that
-- the domain allows.

create temp view event as
  select seq, type, stream, data from line;

create temp table deleted as
  select distinct data ->> '$.user' as user from event where type = 'AccountDeleted';

-- The last event of each stream determines its state.
create temp table last as
  select e.* from event e
  join (select stream, max(seq) as seq from event group by stream) using (stream, seq);

create temp table follows as
  select data ->> '$.follower' as follower, data ->> '$.followee' as followee from last
  where type = 'UserFollowed'
    and data ->> '$.follower' not in (select user from deleted)
    and data ->> '$.followee' not in (select user from deleted);

create temp table friends as
  select data ->> '$.sender' as a, data ->> '$.receiver' as b from last
  where type = 'FriendRequestAccepted'
    and data ->> '$.sender' not in (select user from deleted)
    and data ->> '$.receiver' not in (select user from deleted);

create temp table workouts as
  select data ->> '$.workout' as workout, data ->> '$.owner' as owner,
    data ->> '$.date' as date, data ->> '$.totalDistance' as meters,
    data ->> '$.audience' as audience
  from event
  where type = 'WorkoutShared'
    and data ->> '$.owner' not in (select user from deleted)
    and data ->> '$.workout' not in
      (select data ->> '$.workout' from event where type = 'WorkoutRemoved');
create index temp.workouts_by_id on workouts (workout);

-- Edits, in order: the last one with a member determines its value.
create temp table edits as
  select seq, data ->> '$.workout' as workout, data ->> '$.date' as date,
    data ->> '$.totalDistance' as meters,
    case when json_type(data, '$.audience') is not null
      then coalesce(data ->> '$.audience', 'default') end as audience
  from event where type = 'WorkoutEdited';
create index temp.edits_by_workout on edits (workout, seq);
update workouts set
  date = coalesce((select e.date from edits e where e.workout = workouts.workout
    and e.date is not null order by seq desc limit 1), date),
  meters = coalesce((select e.meters from edits e where e.workout = workouts.workout
    and e.meters is not null order by seq desc limit 1), meters),
  audience = coalesce((select e.audience from edits e where e.workout = workouts.workout
    and e.audience is not null order by seq desc limit 1), audience);

create temp table chups as
  select data ->> '$.workout' as workout, data ->> '$.user' as user from last
  where type = 'ChupGiven'
    and data ->> '$.user' not in (select user from deleted)
    and data ->> '$.workout' in (select workout from workouts);

-- Answers: a name, the key, and the number that eventlog must print for it.
select 'followers', followee, count(*) from follows group by followee
union all select 'following', follower, count(*) from follows group by follower
union all select 'friends', user, count(*) from
  (select a as user from friends union all select b from friends) group by user
union all select 'chups', workout, count(*) from chups group by workout
union all select 'week', owner, sum(meters) from workouts
  where strftime('%s', date) / 86400 + 3 >= :week * 7
    and strftime('%s', date) / 86400 + 3 < :week * 7 + 7
    and audience is not 'private'
  group by owner having sum(meters) > 0
union all select 'month', owner, sum(meters) from workouts
  where strftime('%Y-%m', date) = :month and audience is not 'private'
  group by owner having sum(meters) > 0;
