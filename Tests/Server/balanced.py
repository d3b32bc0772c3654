"""Kills and drains servers behind a proxy while callers send commands with keys, and readers send queries once.

First checks with servers that fail which requests the proxy sends to more than one of them.

usage: balanced.py EVENTLOG PROXY-PORT CERTIFICATE KEY-FILE FOLDER PORT PORT PORT

The proxy is already running, and passes requests on to the three ports. The servers that this script starts there have
clones of one shared log, a folder. Prints a line of figures. The exit status is 1 if a command was lost or happened
twice, if a caller got another answer than 503 and the right one, or a reader another one than 200.
"""
import collections, http.client, os, socket, ssl, subprocess, sys, threading, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from keyed import Difference, Load, Server, sound
from clients import token


class Reader(threading.Thread):
    """Sends a query again and again, each once."""

    def __init__(self, port, load):
        super().__init__(daemon=True)
        self.port, self.load, self.is_over, self.answers, self.wrong = port, load, False, 0, []

    def run(self):
        headers = {"Authorization": "Bearer " + token(self.load.key, "star")}
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=20, context=self.load.tls)
        while not self.is_over:
            connection.request("GET", "/v1/do/GetFollowCounts?user=star", headers=headers)
            answer = connection.getresponse()
            text = answer.read()
            self.answers += 1
            if answer.status != 200:
                self.wrong.append(f"{answer.status} {text[:200]}")
            time.sleep(0.01)


class Failing:
    """A server that counts requests, and ends the connection without an answer, or answers 503."""

    def __init__(self, port, counts):
        self.socket, self.counts = socket.create_server(("127.0.0.1", port)), counts
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            request = connection.recv(65_536)
            if not request:  # the connection that `close` makes
                return
            self.counts[request.split(b" ")[1].decode()] += 1
            if b"X-Expect: 503" in request:
                connection.sendall(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            connection.close()

    def close(self):
        socket.create_connection(self.socket.getsockname()).close()
        self.socket.close()


def passed_on(proxy, certificate, ports):
    """Checks to how many of three failing servers the proxy sends a request."""
    counts, tls = collections.Counter(), ssl.create_default_context(cafile=certificate)
    tls.check_hostname = False
    servers = [Failing(port, counts) for port in ports]
    key = {"Idempotency-Key": "a"}
    for method, path, headers, expected, status in [
            ("POST", "/v1/do/FollowUser", {"X-Expect": "503"}, 1, 503),
            ("POST", "/v1/do/FollowUser", {"X-Expect": "503", **key}, 3, 503),
            ("GET", "/v1/do/GetFeed?a=b", {"X-Expect": "503"}, 3, 503),
            # From here on the proxy avoids servers that fail: one more for each request that it does not repeat.
            ("POST", "/v1/do/FollowUser", {}, 1, 502), ("POST", "/v1/do/FollowUser", key, 3, 502),
            ("POST", "/v1/do/FollowUser?explain", key, 1, 502), ("POST", "/v1/run", key, 1, 502),
            ("GET", "/v1/do/GetFeed?a=b", {}, 3, 502)]:
        counts.clear()
        connection = http.client.HTTPSConnection("127.0.0.1", proxy, timeout=20, context=tls)
        connection.request(method, path, "{}" if method == "POST" else None, headers)
        found = connection.getresponse()
        text, retry = found.read(), found.headers["Retry-After"]
        connection.close()
        if (counts[path], found.status) != (expected, status) or status == 502 and (
                b"unavailable" not in text or retry != "1"):
            raise Difference(f"{method} {path} {headers}: {counts[path]} servers received it, and the answer is "
                             f"{found.status} {retry} {text}")
    for server in servers:
        server.close()
    time.sleep(2.2)  # fail_timeout


def run(eventlog, proxy, certificate, key_file, folder, *ports):
    proxy, ports = int(proxy), [int(port) for port in ports]
    passed_on(proxy, certificate, ports)

    def command(*arguments):
        subprocess.run([eventlog, *arguments], check=True, stderr=subprocess.DEVNULL)

    with open(key_file) as file:
        key = file.read().strip()
    shared, servers = os.path.join(folder, "shared"), []
    command("remote", "init", shared)
    load = Load([("127.0.0.1", proxy)], key, certificate=certificate)
    try:
        for number, port in enumerate(ports):
            log = os.path.join(folder, f"clone{number}")
            command("clone", shared, log)
            servers.append(Server(eventlog, log, key_file, port=port))
        load.start()
        readers = [Reader(proxy, load) for _ in range(2)]
        for reader in readers:
            reader.start()

        def works():
            if not load.wait_for(100, 30):
                raise Difference("the servers perform no commands")
            time.sleep(1)

        works()
        began = time.monotonic()
        servers[0].kill()
        works()
        killed = load.gap(began, time.monotonic())
        servers[0].start()
        works()
        began = time.monotonic()
        if status := servers[1].terminate():
            raise Difference(f"a drained server ends with {status}")
        works()
        drained = load.gap(began, time.monotonic())
        servers[1].start()
        works()
        # One by one, like an upgrade.
        for server in servers:
            server.terminate()
            server.start()
            works()
        for reader in readers:
            reader.is_over = True
            reader.join()
        load.end()
        if wrong := [each for reader in readers for each in reader.wrong]:
            raise Difference(f"{len(wrong)} of {sum(each.answers for each in readers)} queries failed: {wrong[:3]}")
        commands = load.check([each.log for each in servers])
        sound(eventlog, [each.log for each in servers])
        print(f"{commands} commands, each once; {sum(each.answers for each in readers)} queries answered; longest gap"
              f" {killed:.2f} s after a kill, {drained:.2f} s while one drains; retried: {load.retried()}")
    finally:
        for server in servers:
            server.kill()


if len(sys.argv) != 9:
    sys.exit(__doc__.split("\n\n")[2])
try:
    run(*sys.argv[1:])
except Difference as difference:
    sys.exit(f"balanced: {difference}")
