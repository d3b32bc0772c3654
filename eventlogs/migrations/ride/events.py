#!/usr/bin/env python3
"""Prints what the riders API answers as event lines, oldest first; writes what the app shows as CSV files,
each with the members of one projection.

    events.py riders.json > events.jsonl      (and profiles.csv, sports.csv, locations.csv)

riders.json is a list of objects: for each rider, what GET /riders/me, /riders/me/base-location and
/riders/me/sports answered. The API says when a rider was made and last changed, and not when a sport or a
place was set: these are given the time of the last change.
"""
import csv, datetime, json, sys

riders = json.load(open(sys.argv[1], encoding="utf-8"))
events = []
# A line without a version is of version 1, of which a profile has a handle.
VERSIONS = {"ProfileCreated": 2, "ProfilePhotoSet": 2}


def utc(text):
    time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(datetime.timezone.utc)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def event(when, kind, user, **data):
    data = {name: value for name, value in data.items() if value not in (None, "")}
    line = {"type": kind, "v": VERSIONS.get(kind, 1), "time": utc(when), "actor": user, "data": {"user": user, **data}}
    events.append(line)


for rider in riders:
    me, place = rider["me"], rider["base-location"]
    user, made, changed = me["userId"], me["createdAt"], me["updatedAt"]
    # There are no handles; whoever has a displayName is shown to all.
    event(made, "ProfileCreated", user, displayName=me["displayName"], isPublic=True)
    event(made, "ProfileEdited", user, bio=me["description"], riderType=me["type"].lower())
    if me["avatarUrl"]:
        event(changed, "ProfilePhotoSet", user, url=me["avatarUrl"])
    if place:
        event(changed, "BaseLocationSet", user, latitude=place["latitude"], longitude=place["longitude"],
              name=place.get("name"))
    for sport in rider["sports"]:
        event(changed, "SportSet", user, sport=sport["sportId"], level=sport["level"].lower(),
              isMentor=sport["isMentor"])

# Python's sort keeps the order of lines of one time.
for line in sorted(events, key=lambda event: event["time"]):
    print(json.dumps(line, ensure_ascii=False, separators=(",", ":")))


def table(name, head, rows):
    with open(name + ".csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


table("profiles", ["user", "displayName", "bio", "riderType", "createdAt"], [
    (me["userId"], me["displayName"], me["description"], me["type"].lower(), utc(me["createdAt"]))
    for me in (rider["me"] for rider in riders)])
levels = ["beginner", "intermediate", "advanced", "expert"]
sports = [sport for rider in riders for sport in rider["sports"]]
table("sports", ["sport", "users", "mentors", *levels], [
    (name, len(those), sum(sport["isMentor"] for sport in those),
     *(sum(sport["level"].lower() == level for sport in those) for level in levels))
    for name in sorted({sport["sportId"] for sport in sports})
    for those in [[sport for sport in sports if sport["sportId"] == name]]])
table("locations", ["user", "latitude", "longitude", "name"], [
    (rider["me"]["userId"], place["latitude"], place["longitude"], place.get("name"))
    for rider in riders if (place := rider["base-location"])])
