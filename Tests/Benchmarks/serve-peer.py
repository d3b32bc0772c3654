"""The two requests of `serve` with FastAPI, uvicorn and SQLite (WAL, synchronous=FULL), written to be fast: the event
loop answers a query directly, and a pool of threads performs commands, of which one at a time writes.
"""
import os, sqlite3, threading
from typing import Annotated
import jwt
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel

app = FastAPI()
key = open(os.environ["PEER_KEY"]).read()


def connect():
    database = sqlite3.connect(os.environ["PEER_DATABASE"], isolation_level=None, check_same_thread=False)
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = full")
    database.execute("pragma busy_timeout = 10000")
    return database


reader, writer = connect(), connect()
writing = threading.Lock()


async def authenticated(given: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]) -> str:
    try:
        return jwt.decode(given.credentials, key, algorithms=["HS256"], options={"require": ["sub", "exp"]})["sub"]
    except jwt.InvalidTokenError:
        raise HTTPException(401)


Caller = Annotated[str, Depends(authenticated)]


class Followee(BaseModel):
    followee: str


@app.get("/v1/do/GetFollowCounts")
async def counts(user: str, caller: Caller):
    followers, following = reader.execute(
        "select (select count(*) from follows where followee = ?1), (select count(*) from follows where follower = ?1)",
        (user,)).fetchone()
    return {"result": {"followers": followers, "following": following}}


def toggled(follower, followee):
    writer.execute("begin immediate")
    try:
        there = writer.execute("select count(*) from users where id in (?, ?)", (follower, followee)).fetchone()[0]
        follows = there == 2 and writer.execute(
            "delete from follows where follower = ? and followee = ?", (follower, followee)).rowcount == 0
        if follows:
            writer.execute("insert into follows values (?, ?)", (follower, followee))
        writer.execute("commit")
    except BaseException:
        writer.execute("rollback")
        raise
    return follows if there == 2 else None


@app.post("/v1/do/ToggleFollow")
def toggle(input: Followee, caller: Caller):
    with writing:
        follows = toggled(caller, input.followee)
    if follows is None:
        raise HTTPException(404)
    return {"result": follows}
