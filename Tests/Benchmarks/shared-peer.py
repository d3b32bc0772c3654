"""Events per second of the Python library `eventsourcing` on a PostgreSQL server: one at a time, in
batches of 100, and from 16 threads.

usage: shared-peer.py HOST PORT USER DATABASE SINGLES
"""
import concurrent.futures, os, sys, time, uuid

host, port, user, database, singles = sys.argv[1:6]
os.environ.update(
    PERSISTENCE_MODULE="eventsourcing.postgres", POSTGRES_DBNAME=database, POSTGRES_HOST=host,
    POSTGRES_PORT=port, POSTGRES_USER=user, POSTGRES_PASSWORD="none", POSTGRES_POOL_SIZE="20",
    POSTGRES_MAX_OVERFLOW="20", POSTGRES_CONN_MAX_AGE="3600")

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Follow(Aggregate):
    @event("Followed")
    def __init__(self, follower, followee):
        self.follower, self.followee = follower, followee


app = Application()
app.save(Follow("a", "b"))
count = int(singles)


def rate(name, events, body):
    start = time.perf_counter()
    body()
    took = time.perf_counter() - start
    print(f"{name:26}{took / events * 1000:9.3f} ms {events / took:12.0f} a second")


def one(number):
    app.save(Follow(f"u{number}", "star"))


rate("eventsourcing, one", count, lambda: [one(number) for number in range(count)])
rate(
    "eventsourcing, 100", count * 10,
    lambda: [
        app.save(*[Follow(f"u{number}-{index}", "star") for index in range(100)])
        for number in range(count // 10)
    ])
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    rate("eventsourcing, 16 callers", count * 4, lambda: list(pool.map(one, range(count * 4))))
