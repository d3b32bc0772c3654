"""A server for the tests of Supabase's interface, its HTTP client, and a declaration of the tables that it serves."""
import http.client, json, os, re, secrets, subprocess, sys, time, urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Benchmarks"))
from clients import token


class Server:
    """`eventlog serve --supabase` on a free port, with a key for tokens unless `key` is empty."""

    def __init__(self, eventlog, folder, log, *options, key=None):
        self.key = secrets.token_hex(32) if key is None else key
        self.errors = os.path.join(folder, "server.err")
        arguments = [eventlog, "serve", "--log", log, "--listen", "127.0.0.1:0", "--supabase", *options]
        if self.key:
            path = os.path.join(folder, "token.key")
            with open(path, "w") as file:
                file.write(self.key)
            arguments += ["--token-key", path]
        with open(self.errors, "w") as file:
            self.process = subprocess.Popen(arguments, stderr=file)
        found = None
        for _ in range(600):
            found = re.search(r"listening on (http://.*:(\d+))", self.said())
            if found or self.process.poll() is not None:
                break
            time.sleep(0.05)
        if not found:
            self.stop()
            raise SystemExit("the server did not start: " + self.said())
        self.address, self.port = found.group(1), int(found.group(2))

    def said(self):
        with open(self.errors) as file:
            return file.read()

    def stop(self):
        """Ends the server; returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()


def generated(options, folder, log):
    """Generates a log and serves it. `options` has the command, the number of events, the seed and the rules."""
    subprocess.run([options.eventlog, "generate", "--events", str(options.events), "--users", "60", "--seed",
                    str(options.seed), "--log", log], check=True, stderr=subprocess.DEVNULL)
    return Server(options.eventlog, folder, log, "--requests-per-second", "0", "--rules", options.rules)


class Caller:
    """A caller with a connection of its own: a user, a service, or nobody."""

    def __init__(self, server, user=None, service=False, bearer=None):
        claims = {"role": "service"} if service else {}
        self.token = bearer or (token(server.key, user, **claims) if user else None)
        self.user, self.is_service, self.port = None if service else user, service, server.port
        self.connection = None

    def send(self, method, path, headers={}, body=None):
        """Returns the status, the headers and the text of the answer."""
        headers = {"apikey": "public", **headers}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if body is not None and not isinstance(body, (str, bytes)):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        for attempt in (1, 2):
            if not self.connection:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            try:
                self.connection.request(method, path, body.encode() if isinstance(body, str) else body, headers)
                answer = self.connection.getresponse()
                return answer.status, answer.headers, answer.read().decode()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                self.connection = None
                if attempt == 2:
                    raise

    def rest(self, table, items=(), headers={}, method="GET"):
        """Reads a table; `items` are pairs of the query's names and values."""
        query = urllib.parse.urlencode(list(items), quote_via=urllib.parse.quote, safe="*(),.:!\"")
        return self.send(method, f"/rest/v1/{table}?{query}", headers)

    def rows(self, table, items=()):
        """Returns all rows of a table that meet the filters, page by page."""
        rows, order = [], ",".join(TABLES[table].key)
        while True:
            page = [*items, ("order", order), ("limit", "500"), ("offset", str(len(rows)))]
            status, _, text = self.rest(table, page)
            if status == 401 and not self.token:
                return rows
            if status != 200:
                raise RuntimeError(f"GET {table} {page}: {status} {text}")
            more = json.loads(text)
            rows += more
            if len(more) < 500:
                return rows

    def ask(self, use_case, /, **values):
        """Performs a use case; returns the result, or None and the code of the refusal."""
        status, _, text = self.send("POST", "/v1/do/" + use_case, body=values)
        answer = json.loads(text)
        return (answer["result"], None) if status == 200 else (None, answer["error"])


def visible(caller, table, everything):
    """Returns all rows of a table that a caller sees; nobody must name them one by one."""
    if caller.user or caller.is_service:
        return caller.rows(table.name)
    found = {}
    for opening in table.opening[:1]:
        pairs = sorted({tuple(row[name] for name in opening) for row in everything[table.name]})
        size = 1 if len(opening) > 1 else 100
        for start in range(0, len(pairs), size):
            part = pairs[start:start + size]
            filters = [(name, "in.(" + ",".join(f'"{pair[place]}"' for pair in part) + ")")
                       for place, name in enumerate(opening)]
            for row in caller.rows(table.name, filters):
                found[tuple(row[name] for name in table.key)] = row
    return list(found.values())


class Column:
    """A column: its name, type, whether a row may have null, and the table whose key it holds."""

    def __init__(self, text):
        name, kind, *other = text.split()
        self.name, self.kind, self.is_nullable = name, kind.rstrip("?"), kind.endswith("?")
        self.target = other[0].lstrip(">") if other else None
        self.is_text = self.kind in ("text", "user")


class Table:
    def __init__(self, name, key, columns, opening):
        self.name, self.key = name, key
        self.columns = {column.name: column for column in columns}
        # Lists of columns: a caller who is not signed in must filter all columns of one list by eq or in.
        self.opening = opening
        self.references = [column for column in columns if column.target]


def declared(text):
    tables = {}
    for block in text.strip().split("\n\n"):
        head, *lines = block.split("\n")
        name, key, *opening = head.split()
        columns = [Column(part) for line in lines for part in line.split(",") if part.strip()]
        tables[name] = Table(name, key.split(","), columns, [each.split(",") for each in opening])
    return tables


# A table's name, its key, and the columns by which anybody may read it. Then the columns with their types. `?` marks
# those whose value may be null in a visible row, `>` those that refer to another table's key.
TABLES = declared("""
profiles id id handle
id user, handle text?, display_name text?, bio text?, photo_url text?, home_zip text?, home_gym text?
climbing_since date?, favorite_style text?, preferred_grade_scale_boulder text?, preferred_grade_scale_route text?
is_public bool, follower_count integer?, following_count integer?, send_count integer?, friend_count integer?
rider_type text?, premium_expires_at time?, premium_product_id text?, premium_original_transaction_id text?
created_at time?, updated_at time?

follows id follower_id,followee_id
id uuid, follower_id user >profiles, followee_id user >profiles, created_at time, updated_at time, deleted_at time?

friendships user_id,friend_id
user_id user >profiles, friend_id user >profiles, status text, created_at time?

blocks user_id,blocked_id
user_id user >profiles, blocked_id user, created_at time

workouts id id
id text, owner_id user >profiles, local_id text?, date time, workout_type text?, total_time text?
total_distance integer?, average_split text?, intensity_zone text?, is_erg_test bool, text text?, session text?
climb text?, audience text, chup_count integer, big_chup_count integer, comment_count integer, chupped_by_me bool
created_at time?

workout_details workout_id workout_id
workout_id text >workouts, intervals json, image text?, ocr_confidence double?, was_manually_edited bool?
created_at time?

chups workout_id,user_id workout_id
workout_id text >workouts, user_id user >profiles, is_big bool, created_at time?

reactions workout_id,user_id,kind workout_id
workout_id text >workouts, user_id user >profiles, kind text

comments id id workout_id
id text, workout_id text >workouts, user_id user? >profiles, text text, reply_to text? >comments
heart_count integer, hearted_by_me bool, created_at time

comment_hearts comment_id,user_id
comment_id text >comments, user_id user >profiles

groups id id
id text, owner_id user? >profiles, name text, description text?, is_public bool, member_count integer, created_at time

group_members group_id,user_id
group_id text >groups, user_id user >profiles, role text, created_at time?

messages id
id text, sender_id user? >profiles, receiver_id user? >profiles, text text, position integer, created_at time

notifications id
id integer, user_id user >profiles, kind text, actor_id user? >profiles, workout_id text? >workouts
comment_id text? >comments, group_id text? >groups, is_big bool?, reaction text?, text text?, is_unread bool
created_at time
""")
