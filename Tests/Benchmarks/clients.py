#!/usr/bin/env python3
"""Clients of `eventlog serve`, for `serve` and the soak.

usage: clients.py prepare LOG FOLDER            creates a key, tokens, requests, and a SQLite database of the same follows
       clients.py ask ADDRESS REQUESTS          prints the answer to the first of the requests
       clients.py streams ADDRESS PID FOLDER N  opens N event streams; causes events for all of them and for none
       clients.py table FOLDER                  prints the figures of FOLDER/figures, and the targets that are met
"""
import base64, glob, hashlib, hmac, json, os, re, secrets, select, socket, sqlite3, statistics, sys, time
import http.client, urllib.request


def text64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(key, user, seconds=86_400, **claims):
    """Returns a JSON Web Token like an identity provider's."""
    claims = {"sub": user, "exp": int(time.time()) + seconds, **claims}
    signed = text64(b'{"alg":"HS256","typ":"JWT"}') + "." + text64(json.dumps(claims).encode())
    return signed + "." + text64(hmac.new(key.encode(), signed.encode(), hashlib.sha256).digest())


class Log:
    """A log's users and follows; people are the users whom everybody may follow."""

    def __init__(self, path):
        users, blocks, edges = {}, set(), set()
        for segment in sorted(glob.glob(os.path.join(path, "*.jsonl"))):
            with open(segment, encoding="utf-8") as lines:
                for line in map(json.loads, lines):
                    kind, data = line["type"], line["data"]
                    if kind == "ProfileCreated":
                        users[data["user"]] = data.get("isPublic", True)
                    elif kind == "ProfileEdited" and "isPublic" in data:
                        users[data["user"]] = data["isPublic"]
                    elif kind == "AccountDeleted":
                        users.pop(data["user"], None)
                        edges = {edge for edge in edges if data["user"] not in edge}
                    elif kind == "UserFollowed":
                        edges.add((data["follower"], data["followee"]))
                    elif kind == "UserUnfollowed":
                        edges.discard((data["follower"], data["followee"]))
                    elif kind == "UserBlocked":
                        blocks.update(value for value in data.values() if isinstance(value, str))
        self.users, self.edges = list(users), edges
        self.people = [user for user, is_public in users.items() if is_public and user not in blocks]


def memory(pid, name="VmRSS"):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(name + r":\s+(\d+)", file.read()).group(1)) * 1024


def prepare(path, folder):
    key = secrets.token_hex(32)
    with open(os.path.join(folder, "key"), "w") as file:
        file.write(key)
    log = Log(path)
    followers = {}
    for _, followee in log.edges:
        followers[followee] = followers.get(followee, 0) + 1
    # The queries are about a user with the median number of followers.
    asked = sorted((user for user in log.people if user in followers), key=followers.get)
    asked = asked[len(asked) // 2]
    people = [user for user in log.people if user != asked]
    with open(os.path.join(folder, "query"), "w") as file:
        file.write(f"GET\t/v1/do/GetFollowCounts?user={asked}\t{token(key, people[0])}\t\n")
    some = people[:1_000]
    with open(os.path.join(folder, "toggles"), "w") as file, open(os.path.join(folder, "follows"), "w") as follows:
        for number, user in enumerate(some):
            other = some[(number * 7 + 1) % len(some)]
            if user != other:
                body = json.dumps({"followee": other})
                file.write(f"POST\t/v1/do/ToggleFollow\t{token(key, user)}\t{body}\n")
                follows.write(f"{user}\t{other}\n")
    with open(os.path.join(folder, "watchers"), "w") as file:
        json.dump({"watched": asked, "other": people[-1], "tokens": [token(key, user) for user in people]}, file)
    database = sqlite3.connect(os.path.join(folder, "peer.db"))
    database.execute("pragma journal_mode = wal")
    database.execute("create table users (id text primary key) without rowid")
    database.execute("create table follows (follower text, followee text, primary key (follower, followee))"
                     " without rowid")
    database.executemany("insert into users values (?)", ((user,) for user in log.users))
    database.executemany("insert into follows values (?, ?)", log.edges)
    database.execute("create index followers on follows (followee, follower)")
    database.commit()
    database.close()


def ask(address, requests):
    with open(requests) as file:
        method, path, given, body = file.readline().rstrip("\n").split("\t")
    request = urllib.request.Request(address + path, body.encode() or None, method=method,
                                     headers={"Authorization": "Bearer " + given, "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        print(answer.read().decode())


def streams(address, pid, folder, count, rounds=11, untouched=500):
    host, port = re.search(r"//(.*):(\d+)", address).groups()
    with open(os.path.join(folder, "watchers")) as file:
        made = json.load(file)
    given, watched = made["tokens"], made["watched"]
    poll, sockets, ends = select.epoll(), {}, {}

    def wait(patience=120):
        """Waits until each stream has one more event; returns the seconds of each."""
        start, times, missing = time.perf_counter(), [], set(sockets)
        while missing:
            for number, _ in poll.poll(patience):
                data = sockets[number].recv(1 << 16)
                if not data:
                    sys.exit("an event stream ended")
                text = ends[number] + data
                if number in missing and re.search(rb"data: .*\n\n", text):
                    missing.discard(number)
                    times.append(time.perf_counter() - start)
                    if b"event: error" in text:
                        sys.exit("an event stream was refused: " + text.decode())
                    text = b""
                ends[number] = text[-1_000:]
            if time.perf_counter() - start > patience:
                sys.exit(f"{len(missing)} event streams had no event")
        return times

    before, start = memory(pid), time.perf_counter()
    for number in range(count):
        stream = socket.create_connection((host, int(port)))
        stream.sendall((f"GET /v1/updates/GetFollowCounts?user={watched} HTTP/1.1\r\nHost: {host}\r\n"
                        f"Authorization: Bearer {given[number % len(given)]}\r\n\r\n").encode())
        stream.setblocking(False)
        sockets[stream.fileno()], ends[stream.fileno()] = stream, b""
        poll.register(stream.fileno(), select.EPOLLIN)
    wait()
    opened = time.perf_counter() - start
    time.sleep(2)
    after = memory(pid)
    connection = http.client.HTTPConnection(host, int(port))

    def toggle(followee):
        """Follows or unfollows; returns the time at which the command was answered."""
        connection.request("POST", "/v1/do/ToggleFollow", json.dumps({"followee": followee}), {
            "Authorization": "Bearer " + given[0], "Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            sys.exit(f"the command was answered {answer.status}")
        return time.perf_counter()

    def cpu():
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    halves, alls = [], []
    for _ in range(rounds):
        time.sleep(0.2)  # The server gathers the changes of 50 ms after a first one.
        answered = toggle(watched)
        base = time.perf_counter()
        times = [base + waited - answered for waited in wait()]
        halves.append(statistics.median(times))
        alls.append(max(times))
    later = memory(pid)
    # Events that change no stream's answer.
    used, wall = cpu(), time.perf_counter()
    for _ in range(untouched):
        toggle(made["other"])
    used, wall = cpu() - used, time.perf_counter() - wall
    for stream in sockets.values():
        stream.close()
    time.sleep(1)
    print(f"{count:,} event streams, opened and answered in {opened:.2f} s")
    print(f"  VmRSS: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB with them, {later / 1e6:.1f} MB after {rounds}"
          f" events to all, {memory(pid) / 1e6:.1f} MB a second after they had gone")
    print(f"  {(after - before) / count:,.0f} bytes a stream; {(later - before) / count:,.0f} after the events")
    half, last = (statistics.median(times) * 1e3 for times in (halves, alls))
    print(f"  {rounds} events for all streams; medians: half of the streams had one {half:.1f} ms after the command's"
          f" answer, all after {last:.1f} ms (one Python client reads)")
    print(f"  {untouched} events for no stream: {used / untouched * 1e6:.0f} us of processor time and"
          f" {wall / untouched * 1e6:.0f} us for each command")


def table(folder, is_small):
    figures = {}
    with open(os.path.join(folder, "figures")) as file:
        for line in file:
            name, *numbers = line.rstrip("\n").split("\t")
            figures.setdefault(name, []).append([float(number) if number else None for number in numbers])
    middle = {name: [None if row[0] is None else statistics.median(row) for row in zip(*rows)]
              for name, rows in figures.items()}
    fixed, process = "fixed reply of libmicrohttpd", "ToggleFollow, 64 callers in process"
    print(f"{'':46}{'a second':>10}{'p50 ms':>9}{'p99 ms':>9}{'ratio':>8}{'not 200':>9}  each round")
    for name, (rate, half, most, _) in middle.items():
        base = middle[process if name.startswith("Toggle") else fixed][0]
        times = f"{half:>9.2f}{most:>9.2f}" if half is not None else f"{'':>18}"
        bad = sum(int(row[3] or 0) for row in figures[name])
        rounds = " ".join(f"{row[0]:,.0f}" for row in figures[name])
        print(f"{name:46}{rate:>10,.0f}{times}{rate / base:>8.3f}{bad:>9}  {rounds}")
    if not is_small:
        for name, base, of in (("GetFollowCounts, eventlog serve", fixed, "of the fixed reply"),
                               ("ToggleFollow, eventlog serve", process, "of the callers in process")):
            ratio = middle[name][0] / middle[base][0]
            print(f"target: {name}: at least 0.5 {of}: {'met' if ratio >= 0.5 else 'missed'}, {ratio:.2f}")
    bad = [name for name, rows in figures.items() if any(row[3] for row in rows)]
    if bad:
        sys.exit("not all were answered 200: " + "; ".join(bad))
    print("all were answered 200")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["prepare", path, folder]: prepare(path, folder)
        case ["ask", address, requests]: ask(address, requests)
        case ["streams", address, pid, folder, count]: streams(address, int(pid), folder, int(count))
        case ["table", folder, *small]: table(folder, bool(small))
        case _: sys.exit(__doc__)
