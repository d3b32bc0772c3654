#!/usr/bin/env python3
"""Compares `eventlog project` with SQL over the same lines: counts, friends, chups and leaderboard.

usage: sql.py EVENTLOG LOG [REVISION]
"""
import datetime, glob, json, os, sqlite3, subprocess, sys

program, log = sys.argv[1:3]
revision = int(sys.argv[3]) if len(sys.argv) > 3 else None
here = os.path.dirname(os.path.abspath(__file__))

database = sqlite3.connect(":memory:")
if sqlite3.sqlite_version_info < (3, 38):
    sys.exit("SQLite 3.38 or later is needed, for ->>")
database.execute("create table line (seq integer primary key, type text, stream text, data text)")
last = "1970-01-01T00:00:00.000Z"
for segment in sorted(glob.glob(os.path.join(log, "*.jsonl"))):
    with open(segment, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if revision is not None and event["seq"] > revision:
                break
            last = event["time"]
            database.execute("insert into line values (?, ?, ?, ?)", (
                event["seq"], event["type"], event["stream"], json.dumps(event["data"])))
database.execute("create index by_stream on line (stream, seq)")
day = datetime.date.fromisoformat(last[:10])
week = ((day - datetime.date(1970, 1, 1)).days + 3) // 7

expected = {name: {} for name in ("followers", "following", "friends", "chups", "week", "month")}
statements = open(os.path.join(here, "projections.sql"), encoding="utf-8").read().split(";\n")
for statement in statements[:-1] if not statements[-1].strip() else statements:
    named = {"week": week, "month": last[:7]} if ":week" in statement else {}
    for name, key, number in database.execute(statement, named):
        expected[name][key] = int(number)


def rows(*arguments):
    command = [program, "project", *arguments, "--limit", "0", "--format", "jsonl", "--log", log]
    if revision is not None:
        command += ["--as-of", str(revision)]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in out.splitlines()]


followers = rows("followers")
found = {
    "followers": {row["user"]: row["followerCount"] for row in followers},
    "following": {row["user"]: row["followingCount"] for row in followers},
    "friends": {row["user"]: row["friends"] for row in rows("friends")},
    "chups": {row["workout"]: row["chups"] for row in rows("chups")},
    "week": {row["user"]: row["meters"] for row in rows("leaderboard", "--containing", last[:10])},
    "month": {row["user"]: row["meters"]
              for row in rows("leaderboard", "--period", "month", "--containing", last[:10])},
}
compared = 0
for name, numbers in expected.items():
    known = {key: number for key, number in found[name].items() if number}
    if known != numbers:
        for key in sorted(set(known) | set(numbers)):
            if known.get(key) != numbers.get(key):
                sys.exit(f"{name} of {key}: eventlog {known.get(key)}, SQL {numbers.get(key)}")
    compared += len(numbers)
print(f"{compared} numbers agree: " + ", ".join(f"{len(n)} {k}" for k, n in expected.items()))
