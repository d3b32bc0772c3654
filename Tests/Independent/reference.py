#!/usr/bin/env python3
"""A second, independent reader of a log: written from docs/log-format.md, without code from eventlog.

usage: reference.py verify LOG_FOLDER
       reference.py followers LOG_FOLDER [REVISION | @TIME]

`verify` checks every sum with the xxhash package, and positions, revisions, times and batches. `followers` prints the
same as `eventlog project followers --format json --limit 0`. Needs: pip install xxhash, or Debian's python3-xxhash.
"""
import glob, json, os, re, sys

TAIL = re.compile(rb',"sum":"([0-9a-f]{16})"}\n$')


def lines(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        first = int(os.path.basename(path)[:16])
        with open(path, "rb") as segment:
            for number, line in enumerate(segment, 1):
                yield path, first, number, line


def verify(folder):
    import xxhash
    last_sum, last_time, revisions, batch, count = 0, "", {}, None, 0
    for path, first, number, line in lines(folder):
        def fail(what):
            sys.exit(f"{path}, line {number}: {what}")
        match = TAIL.search(line)
        if not match:
            fail("no sum at the end")
        if xxhash.xxh64(line[:-27], seed=last_sum).hexdigest().encode() != match[1]:
            fail("wrong sum")
        last_sum = int(match[1], 16)
        event = json.loads(line)
        count += 1
        if event["seq"] != count or first + number - 1 != count:
            fail("wrong seq")
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["time"]) or event["time"] < last_time:
            fail("wrong time")
        last_time = event["time"]
        revisions[event["stream"]] = revisions.get(event["stream"], 0) + 1
        if event["rev"] != revisions[event["stream"]]:
            fail("wrong rev")
        place = tuple(map(int, event["batch"].split("/"))) if "batch" in event else None
        expected = (batch[0] + 1, batch[1]) if batch and batch[0] < batch[1] else None
        if expected and place != expected or not expected and place and place[0] != 1:
            fail("broken batch")
        batch = place
        if canonical(event, line) is False:
            fail("not canonical")
    print(f"{count} events, last sum {last_sum:016x}")


def canonical(event, line):
    """Returns canonical JSON; Python's json differs only in the form of numbers and control characters."""
    order = [m for m in ("seq", "time", "type", "v", "stream", "rev", "actor", "id", "cause", "batch", "data") if m in event]
    return list(event)[: len(order)] == order and list(event)[-1] == "sum" and b": " not in line[:20]


def followers(folder, until):
    edges, handles, deleted = {}, {}, set()
    for *_, line in lines(folder):
        event = json.loads(line)
        if until and (event["time"] > until[1:] if until[0] == "@" else event["seq"] > int(until)):
            break
        kind, data = event["type"], event["data"]
        if kind == "UserFollowed":
            edges[data["follower"], data["followee"]] = True
        elif kind == "UserUnfollowed":
            edges.pop((data["follower"], data["followee"]), None)
        elif kind in ("ProfileCreated", "ProfileEdited") and "handle" in data:
            handles[data["user"]] = data["handle"]
        elif kind == "AccountDeleted":
            deleted.add(data["user"])
    rows = {user: [0, 0] for user in handles if user not in deleted}
    for a, b in edges:
        if a not in deleted and b not in deleted:
            rows.setdefault(b, [0, 0])[0] += 1
            rows.setdefault(a, [0, 0])[1] += 1
    ranked = sorted(rows.items(), key=lambda row: (-row[1][0], row[0].encode()))
    print(json.dumps([
        {"user": user, "handle": handles.get(user), "followerCount": counts[0], "followingCount": counts[1]}
        for user, counts in ranked]))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "verify":
        verify(sys.argv[2])
    elif len(sys.argv) in (3, 4) and sys.argv[1] == "followers":
        followers(sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else None)
    else:
        sys.exit(__doc__)
