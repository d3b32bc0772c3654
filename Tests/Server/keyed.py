"""Callers that send each command with a key until a server answers, and the proof that each happened once."""
import collections, glob, http.client, json, os, random, re, socket, ssl, subprocess, sys, threading, time, uuid

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Benchmarks"))
from clients import token


class Difference(Exception):
    """A result that must not occur."""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """`eventlog serve` on a port that stays the same when the server is started again."""

    def __init__(self, eventlog, log, key_file, *options, port=None, environment={}):
        self.port, self.log, self.errors = port or free_port(), log, log + ".err"
        self.arguments = [eventlog, "serve", "--log", log, "--listen", f"127.0.0.1:{self.port}", "--token-key",
                          key_file, "--requests-per-second", "0", *options]
        self.environment, self.address = {**os.environ, **environment}, ("127.0.0.1", self.port)
        self.start()

    def start(self):
        with open(self.errors, "a") as file:
            start = file.tell()
            self.process = subprocess.Popen(self.arguments, stderr=file, env=self.environment)
        for _ in range(1_200):
            if "listening on" in self.said()[start:]:
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise Difference("a server did not start: " + self.said()[start:])

    def said(self):
        with open(self.errors) as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self):
        """Ends the server by SIGTERM; returns its exit status."""
        self.process.terminate()
        return self.process.wait(60)


class Load:
    """Users who each toggle one follow again and again, and have one command under way at a time.

    `addresses` are asked in turn: a caller stays with one until it gets no answer or a 503. If `certificate` is the
    path of a server's certificate, the callers use TLS.
    """

    # A command is sent again after these statuses; all others but 200 are wrong.
    again = (503,)

    def __init__(self, addresses, key, callers=6, pause=0.02, timeout=10, certificate=None):
        self.tls = None
        if certificate:
            self.tls = ssl.create_default_context(cafile=certificate)
            self.tls.check_hostname = False
        self.addresses, self.key, self.pause, self.timeout = addresses, key, pause, timeout
        self.lock = threading.Condition()
        self.is_paused, self.is_over, self.busy = True, False, 0
        self.answered = []  # the times of acknowledgements
        self.waits = []  # when each acknowledged command was first sent, and when it was acknowledged
        # The numbers of answers by status and code, and of exceptions.
        self.statuses, self.wrong = collections.Counter(), []
        self.users = [f"caller{number}" for number in range(callers)]
        self.done = {user: [] for user in self.users}
        self.threads = [threading.Thread(target=self._call, args=(number, user), daemon=True)
                        for number, user in enumerate(self.users)]

    def start(self):
        sender = Sender(self, 0)
        for user in ["star", *self.users]:
            sender.perform(user, "CreateProfile", {"user": user, "handle": user})
        for thread in self.threads:
            thread.start()
        self.go()

    def go(self):
        with self.lock:
            self.is_paused = False
            self.lock.notify_all()

    def stop(self, seconds=120):
        """Waits until no command is under way; afterwards the callers pause."""
        with self.lock:
            self.is_paused = True
            if not self.lock.wait_for(lambda: self.busy == 0, seconds):
                raise Difference(f"{self.busy} commands have no answer after {seconds} s")

    def retried(self, since=collections.Counter()):
        """Returns in words how often commands were sent again, and why."""
        reasons = (self.statuses - since).items()
        return ", ".join(f"{count} {reason}" for reason, count in reasons
                         if reason not in (200, "422 cannotFollowSelf")) or "nothing"

    def end(self):
        self.stop()
        with self.lock:
            self.is_over = True
            self.lock.notify_all()
        for thread in self.threads:
            thread.join()

    def wait_for(self, count, seconds):
        """Waits for further acknowledgements; returns whether they came in time."""
        target, end = len(self.answered) + count, time.monotonic() + seconds
        while len(self.answered) < target:
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def gap(self, since, until):
        """Returns the longest time without an acknowledgement that begins in a period, in seconds."""
        times = [since, *sorted(each for each in self.answered if each > since)]
        return max((later - earlier for earlier, later in zip(times, times[1:]) if earlier < until), default=0.0)

    def longest(self, since, until):
        """Returns the longest time for which a caller waited for an acknowledgement in a period, in seconds."""
        return max((end - begun for begun, end in self.waits if end > since and begun < until), default=0.0)

    def token(self, user):
        return token(self.key, user)

    def _call(self, number, user):
        sender, rng = Sender(self, number), random.Random(number)
        while True:
            with self.lock:
                self.lock.wait_for(lambda: self.is_over or not self.is_paused)
                if self.is_over:
                    return
                self.busy += 1
            try:
                if rng.random() < 0.2:
                    # A refusal, which appends nothing.
                    sender.perform(user, "FollowUser", {"followee": user}, refusal="cannotFollowSelf")
                else:
                    answer = sender.perform(user, "ToggleFollow", {"followee": "star"})
                    self.done[user].append((answer["seq"], answer["result"]))
            except Exception as error:
                self.wrong.append(f"{user}: {error!r}")
                raise
            finally:
                with self.lock:
                    self.busy -= 1
                    self.lock.notify_all()
            time.sleep(self.pause * rng.uniform(0.5, 1.5))

    def check(self, logs):
        """Checks that clones have the same bytes, and each acknowledged command once and nothing else.

        The callers must pause. Returns the number of commands.
        """
        self._await_same(logs)
        expected = {user: [("UserFollowed" if result else "UserUnfollowed", *seq) for seq, result in done]
                    for user, done in self.done.items()}
        found = {user: [] for user in self.users}
        for line in (json.loads(each) for each in lines(logs[0]) if b'"follower":"caller' in each):
            if line["type"] in ("UserFollowed", "UserUnfollowed") and line["data"]["follower"] in found:
                found[line["data"]["follower"]].append((line["type"], line["seq"]))
        for user in self.users:
            if found[user] != expected[user]:
                lost = [each for each in expected[user] if each not in found[user]]
                more = [each for each in found[user] if each not in expected[user]]
                raise Difference(f"{user}: of {len(expected[user])} acknowledged commands the log lacks {lost[:5]}, "
                                 f"and has {more[:5]} besides")
        if self.wrong:
            raise Difference(f"{len(self.wrong)} wrong answers: {self.wrong[:3]}")
        return sum(map(len, found.values()))

    def _await_same(self, logs, seconds=20):
        end = time.monotonic() + seconds
        while len(logs) > 1:
            contents = [b"".join(lines(log)) for log in logs]
            if all(each == contents[0] for each in contents):
                return
            if time.monotonic() > end:
                raise Difference(f"{seconds} s after the last command the clones still differ: "
                                 + ", ".join(f"{each.count(bytes([10]))} events" for each in contents))
            time.sleep(0.1)


class Sender:
    """A connection to one server at a time."""

    def __init__(self, load, number):
        self.load, self.place, self.connection, self.tokens = load, number, None, {}

    def perform(self, user, use_case, body, refusal=None):
        """Sends a command until it is answered; returns the answer."""
        load, key, begun = self.load, str(uuid.uuid4()), time.monotonic()
        while True:
            try:
                status, text = self._send(user, use_case, body, key)
            except (OSError, http.client.HTTPException) as error:
                status, text = type(error).__name__, ""
            code = re.match(r'{"error":"(\w+)"', text)
            with load.lock:
                load.statuses[f"{status} {code.group(1)}" if code else status] += 1
                if status == 200 and not refusal or refusal and f'"{refusal}"' in text:
                    load.answered.append(time.monotonic())
                    load.waits.append((begun, load.answered[-1]))
                    return json.loads(text)
                if isinstance(status, int) and status not in load.again:
                    load.wrong.append(f"{use_case} of {user}: {status} {text[:300]}")
            self._next()
            time.sleep(0.2)

    def _send(self, user, use_case, body, key):
        if not self.connection:
            address, tls = self.load.addresses[self.place % len(self.load.addresses)], self.load.tls
            self.connection = (http.client.HTTPSConnection(*address, timeout=self.load.timeout, context=tls) if tls
                               else http.client.HTTPConnection(*address, timeout=self.load.timeout))
        if user not in self.tokens:
            self.tokens[user] = token(self.load.key, user)
        self.connection.request("POST", "/v1/do/" + use_case, json.dumps(body), {
            "Content-Type": "application/json", "Authorization": "Bearer " + self.tokens[user],
            "Idempotency-Key": key})
        answer = self.connection.getresponse()
        return answer.status, answer.read().decode()

    def _next(self):
        if self.connection:
            self.connection.close()
        self.connection, self.place = None, self.place + 1


def lines(log):
    """Yields the lines of a log's segments."""
    for segment in sorted(glob.glob(os.path.join(log, "*.jsonl"))):
        with open(segment, "rb") as file:
            yield from file


def sound(eventlog, logs):
    """Checks the bytes and the rules of logs."""
    running = [(log, command, subprocess.Popen([eventlog, command, "--log", log], stdout=subprocess.PIPE,
                                               stderr=subprocess.STDOUT))
               for log in logs for command in ("verify", "check")]
    for log, command, process in running:
        said = process.communicate()[0].decode()
        if process.returncode:
            raise Difference(f"{command} of {log} exits with {process.returncode}: {said[-1_000:]}")
