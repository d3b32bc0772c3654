#!/usr/bin/env python3
"""Prints the records of the erg app, exported from CloudKit, as event lines, oldest first; writes the
numbers that the app shows as CSV files, each with the members of one projection.

    events.py records.jsonl > events.jsonl      (and friends.csv, workouts.csv, comments-WORKOUT.csv)

A line of records.jsonl is a record as CloudKit's web service answers it. A migration reads pairs, not
rows: who is asked cannot change the record of who asked, so an acceptance is a second record the other
way round, with status accepted, and a rejection a record of its own; the first stays pending for good.
"""
import collections, csv, datetime, json, sys

records = collections.defaultdict(list)
for line in open(sys.argv[1], encoding="utf-8"):
    record = json.loads(line)
    fields = {name: field["value"] for name, field in record["fields"].items()}
    # What has no time of its own was made when its record was.
    fields["when"] = fields.get("createdAt", fields.get("timestamp", record["created"]["timestamp"]))
    fields["name"] = record["recordName"]
    records[record["recordType"]].append(fields)
for kind in records.values():
    kind.sort(key=lambda fields: (fields["when"], fields["name"]))

events = []


def event(when, kind, actor, **data):
    data = {name: value for name, value in data.items() if value is not None}
    events.append((when, len(events), {"type": kind, "time": text(when), "actor": actor, "data": data}))


def text(milliseconds):
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return time.strftime("%Y-%m-%dT%H:%M:%S") + f".{milliseconds % 1000:03d}Z"


def clock(duration):
    """7:31.4 as 07:31.4."""
    return "0" + duration if duration.index(":") == 1 and duration.count(":") == 1 else duration


# A profile that was saved twice is two records: the first counts.
users = {}
for profile in records["UserProfile"]:
    if users.setdefault(profile["appleUserID"], profile) is profile:
        event(profile["when"], "ProfileCreated", profile["appleUserID"], user=profile["appleUserID"],
              handle=profile["username"].lower(), displayName=profile.get("displayName"), isPublic=True)

# What is between two users after each record: who has asked, or "friends".
between = {}
for request in records["FriendRequest"]:
    sender, receiver, when = request["senderID"], request["receiverID"], request["when"]
    pair = frozenset((sender, receiver))
    state = between.get(pair)
    if request["status"] == "pending":
        if state is None:
            event(when, "FriendRequested", sender, sender=sender, receiver=receiver)
            between[pair] = sender
        continue
    # Who made this record answers; the first record is gone if its maker deleted it.
    if state is None:
        event(when, "FriendRequested", receiver, sender=receiver, receiver=sender)
    elif state == "friends":
        continue
    answer = {"accepted": "FriendRequestAccepted", "rejected": "FriendRequestRejected"}[request["status"]]
    event(when, answer, sender, sender=receiver, receiver=sender)
    between[pair] = "friends" if request["status"] == "accepted" else None

# A workout that was shared twice is two records of one localWorkoutID: the first stands for both.
first, names = {}, {}
for workout in records["SharedWorkout"]:
    key = (workout["ownerID"], workout["localWorkoutID"])
    names[workout["name"]] = first.setdefault(key, workout["name"])
    if first[key] == workout["name"]:
        event(workout["when"], "WorkoutShared", workout["ownerID"], workout=workout["name"],
              owner=workout["ownerID"], localID=workout["localWorkoutID"], date=text(workout["workoutDate"]),
              workoutType=workout["workoutType"], totalTime=clock(workout["totalTime"]),
              totalDistance=workout["totalDistance"], averageSplit=clock(workout["averageSplit"]),
              intensityZone=workout.get("intensityZone"), isErgTest=bool(workout["isErgTest"]), audience="friends")
for detail in records["WorkoutDetail"]:
    event(detail["when"], "WorkoutDetailAttached", detail["ownerID"], workout=names[detail["sharedWorkoutID"]],
          intervals=json.loads(detail["intervalsJSON"]), image=detail.get("ergImage"),
          ocrConfidence=detail.get("ocrConfidence"), wasManuallyEdited=bool(detail["wasManuallyEdited"]))

seen = set()
for kind, name in [("WorkoutChup", "workoutID"), ("CommentHeart", "commentID")]:
    for record in records[kind]:
        key = (kind, names.get(record[name], record[name]), record["userID"])
        if key in seen:
            continue
        seen.add(key)
        if kind == "WorkoutChup":
            event(record["when"], "ChupGiven", key[2], workout=key[1], user=key[2], big=False)
        else:
            event(record["when"], "CommentHearted", key[2], comment=key[1], user=key[2])
for comment in records["WorkoutComment"]:
    event(comment["when"], "CommentPosted", comment["userID"], comment=comment["name"],
          workout=names[comment["workoutID"]], user=comment["userID"], text=comment["text"])

# Of one time, what others need comes first.
order = ["ProfileCreated", "FriendRequested", "FriendRequestAccepted", "FriendRequestRejected", "WorkoutShared",
         "WorkoutDetailAttached", "ChupGiven", "CommentPosted", "CommentHearted"]
for _, _, line in sorted(events, key=lambda e: (e[0], order.index(e[2]["type"]), e[1])):
    print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


def table(name, head, rows):
    with open(name + ".csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


# What the app shows: it counts records.
def count(kind, name):
    return collections.Counter(names.get(record[name], record[name]) for record in records[kind])


accepted = [r for r in records["FriendRequest"] if r["status"] == "accepted"]
friends = collections.Counter(user for r in accepted for user in (r["senderID"], r["receiverID"]))
table("friends", ["user", "friends"], [(user, friends[user]) for user in users])
chups, comments, hearts = (count(*pair) for pair in [
    ("WorkoutChup", "workoutID"), ("WorkoutComment", "workoutID"), ("CommentHeart", "commentID")])
table("workouts", ["workout", "chups", "comments"],
      [(name, chups[name], comments[name]) for name in first.values()])
for workout in first.values():
    table("comments-" + workout, ["comment", "user", "text", "hearts"], [
        (c["name"], c["userID"], c["text"], hearts[c["name"]])
        for c in records["WorkoutComment"] if names[c["workoutID"]] == workout])
