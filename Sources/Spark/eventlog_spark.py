"""A data source for Apache Spark that reads logs of eventlog, and its projections over many machines.

    import eventlog_spark
    eventlog_spark.register(spark)
    events = spark.read.format("eventlog").load("/data/my.log")
    follows = spark.read.format("eventlog").schema("seq long, follower string").load("/data/my.log")

The command `eventlog scan` does the reading: each task runs it for one piece of a segment. It checks
every line of the piece, and that the piece continues the one before. `docs/scale.md` has the options,
the costs and the limits.
"""
import array, copy, datetime, json, math, os, shutil, stat, subprocess, sys, tempfile, zlib

import pyarrow
import pyarrow.compute as pc
from pyspark import cloudpickle
from pyspark.sql import Window, functions as F
from pyspark.sql.datasource import (
    DataSource, DataSourceReader, DataSourceStreamReader, EqualTo, GreaterThan, GreaterThanOrEqual,
    In, InputPartition, LessThan, LessThanOrEqual)
from pyspark.sql.types import StructType

# Sends this module's code to the workers, so that they need no copy of this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

PIECE = 128 << 20  # the largest piece in bytes, if pieceBytes is not set
SPARK_TYPES = {"integer": "bigint", "number": "double", "boolean": "boolean", "text": "string",
               "time": "timestamp"}
ARROW_TYPES = {"bigint": pyarrow.int64(), "double": pyarrow.float64(), "boolean": pyarrow.bool_(),
               "string": pyarrow.utf8(), "timestamp": pyarrow.timestamp("us", "UTC")}


def find_binary(given=None, default=None):
    """Returns the path of the command `eventlog`: the option, a file of --files, or on the path.

    `default` is the path that the driver found. Other machines may not have it."""
    if given and os.path.isfile(given):
        return os.path.abspath(given)
    name = os.path.basename(given or "eventlog")
    try:
        from pyspark import SparkFiles
        shipped = SparkFiles.get(name)
    except Exception:  # There is no Spark context in this process.
        shipped = name
    for path in (shipped, os.path.join(os.getcwd(), name), default):
        if path and os.path.isfile(path):
            if not os.access(path, os.X_OK):
                os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
            return os.path.abspath(path)
    found = shutil.which(name)
    if not found:
        raise FileNotFoundError(
            f"no command '{name}': set option('binary', PATH), ship it by --files, or add it to PATH")
    return found


def run(binary, *arguments):
    """Returns the lines that a command prints; a failed command raises its message."""
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return done.stdout.decode().splitlines()


def catalogue(binary):
    """Returns the Spark type of each column, in the order of the catalogue of event types."""
    columns = map(json.loads, run(binary, "scan", "--schema"))
    return {column["name"]: SPARK_TYPES[column["type"]] for column in columns}


def piece_size(path):
    """Returns the size of a piece in bytes. A log of more than 4 MiB has at least two pieces."""
    size = sum(os.path.getsize(file) for file in segments(path))
    return min(PIECE, max(2 << 20, size // 4))


def segments(path):
    """Returns the paths of a log's segments. The path is that of a folder, or of one segment."""
    files = [os.path.join(path, name) for name in os.listdir(path)] if os.path.isdir(path) else [path]
    return [file for file in files if file.endswith(".jsonl")]


class Piece(InputPartition):
    """The lines that start in a range of a file's bytes, or a range of positions of a log."""

    def __init__(self, arguments):
        self.arguments = arguments


class Selection:
    """The rows that a reader wants, as arguments of `eventlog scan`."""

    def __init__(self, options, schema):
        self.path = options["path"]
        self.binary, self.default = options.get("binary"), options.get("found")
        self.piece = int(options.get("pieceBytes", 0))
        self.columns = [field.name for field in schema.fields]
        self.types = [name for name in options.get("types", "").split(",") if name]
        self.after, self.until = int(options.get("after", 0)), options.get("asOf")
        self.until = None if self.until is None else int(self.until)
        self.since = self.before = None
        names = {field.name: field.dataType.simpleString() for field in schema.fields}
        wrong = [f"{name} {kind}" for name, kind in names.items() if kind not in ARROW_TYPES]
        if wrong:
            raise ValueError(f"no such type of a column: {', '.join(wrong)}")
        self.arrow = pyarrow.schema([
            pyarrow.field(field.name, ARROW_TYPES[names[field.name]], field.nullable)
            for field in schema.fields])

    def push(self, filter):
        """Takes over a filter, and returns whether each remaining row passes it."""
        name = filter.attribute[0] if len(getattr(filter, "attribute", ())) == 1 else None
        value = getattr(filter, "value", None)
        if name == "type" and isinstance(filter, (EqualTo, In)):
            wanted = [value] if isinstance(filter, EqualTo) else list(value)
            if self.types:
                wanted = [kind for kind in wanted if kind in self.types]
            if not wanted or not all(wanted) or not self.takes(wanted):
                return False
            self.types = wanted
        elif name == "seq" and isinstance(value, int):
            if isinstance(filter, (LessThan, LessThanOrEqual)):
                last = value - isinstance(filter, LessThan)
                self.until = last if self.until is None else min(self.until, last)
            elif isinstance(filter, (GreaterThan, GreaterThanOrEqual)):
                self.after = max(self.after, value - isinstance(filter, GreaterThanOrEqual))
            else:
                return False
        elif name == "time" and isinstance(value, datetime.datetime) and value.tzinfo:
            # The log's times are milliseconds. Spark still compares the rows at the limit.
            utc = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
            text = utc.isoformat(timespec="milliseconds") + "Z"
            if isinstance(filter, (GreaterThan, GreaterThanOrEqual)):
                self.since = max(self.since or text, text)
            elif isinstance(filter, (LessThan, LessThanOrEqual)):
                self.before = min(self.before or text, text)
            return False
        else:
            return False
        return True

    def takes(self, types):
        """Whether the command takes some types. It refuses names that look misspelt."""
        command = [self.command(), "scan", "--log", "-"]
        for kind in types:
            command += ["--type", kind]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
        return done.returncode == 0

    def command(self):
        return find_binary(self.binary, self.default)

    def arguments(self):
        """Returns the arguments that all pieces have."""
        found = ["--columns", ",".join(self.columns)] if self.columns else ["--columns", "seq"]
        for kind in self.types:
            found += ["--type", kind]
        if self.since:
            found += ["--since", self.since]
        if self.before:
            found += ["--until", self.before]
        if self.after or self.until is not None:
            found.append(f"{max(self.after, 0)}..{'' if self.until is None else self.until}")
        return found

    def pieces(self):
        """Returns the log's pieces that can have wanted rows."""
        if self.until is not None and self.until <= max(self.after, 0):
            return []
        if self.since and self.before and self.since > self.before:
            return []
        if "://" in self.path:
            raise ValueError(f"{self.path}: give a path of a file system that every executor has")
        piece = self.piece or piece_size(self.path)
        plan = [json.loads(line) for line in
                run(self.command(), "scan", "--log", self.path, "--plan", piece)]
        ends = [piece["seq"] for piece in plan[1:]] + [None]
        common, found = self.arguments(), []
        for piece, end in zip(plan, ends):
            if end is not None and end <= self.after:
                continue
            if self.until is not None and piece["seq"] >= self.until:
                break
            found.append(Piece(
                ["--log", piece["file"], "--bytes", f"{piece['from']}-{piece['to']}",
                 "--after", f"{piece['seq']}:{piece['sum']}"] + common))
        return found

    def read(self, piece):
        """Yields a piece's rows as Arrow batches. A damaged line raises its place."""
        if not hasattr(piece, "arguments"):  # Spark's own partition of a log without pieces
            return
        command = [self.command(), "scan", "--jobs", "1", *piece.arguments]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
            try:
                try:
                    for batch in pyarrow.ipc.open_stream(process.stdout):
                        # A cast would lose the number of rows without columns.
                        yield batch.cast(self.arrow) if self.columns else batch.select([])
                except (pyarrow.ArrowInvalid, OSError):
                    # The stream ended early; the command says why.
                    if process.wait() == 0:
                        raise
                if process.wait() != 0:
                    errors.seek(0)
                    said = errors.read().decode(errors="replace").strip()
                    raise RuntimeError(said or f"eventlog scan ended with {process.returncode}")
            finally:
                process.kill()
                process.wait()
                process.stdout.close()


class EventlogDataSource(DataSource):
    """The format "eventlog": one row for each event, one column for each field of any event type.

    Options: `path`; `binary`, the command's path on every machine; `pieceBytes`, the size of a
    partition; `types`, names of event types separated by commas; `after` and `asOf`, positions.

    Register it by `register`, so that filters go to the command if Spark's settings allow that.
    """

    def __init__(self, options):
        super().__init__(options)
        # Later, the driver of a stream cannot look among the files of --files.
        self.options["found"] = find_binary(self.options.get("binary"))

    @classmethod
    def name(cls):
        return "eventlog"

    def schema(self):
        columns = catalogue(self.options["found"])
        return ", ".join(f"`{name}` {kind}" for name, kind in columns.items())

    def reader(self, schema):
        return EventlogReader(Selection(self.options, schema))

    def streamReader(self, schema):
        return EventlogStreamReader(Selection(self.options, schema))


class EventlogReader(DataSourceReader):
    def __init__(self, selection):
        self.selection = selection

    def partitions(self):
        return self.selection.pieces()

    def read(self, partition):
        return self.selection.read(partition)


class FilteringDataSource(EventlogDataSource):
    """The same format, whose filters go to the command."""

    def reader(self, schema):
        return FilteringReader(Selection(self.options, schema))


class FilteringReader(EventlogReader):
    def pushFilters(self, filters):
        for filter in filters:
            if not self.selection.push(filter):
                yield filter


def register(spark):
    """Registers the format "eventlog". Call it again after a change of Spark's setting for filters.

    Spark refuses a reader with the method `pushFilters` if the setting is off, which is the default.
    The reader's process does not know the setting, so this function chooses the class."""
    setting = "spark.sql.python.filterPushdown.enabled"
    has_filters = spark.conf.get(setting, "false").lower() == "true"
    spark.dataSource.register(FilteringDataSource if has_filters else EventlogDataSource)


class EventlogStreamReader(DataSourceStreamReader):
    """A stream of a log's events, whose offset is a position."""

    # A batch of fewer events is one task, which finds them by a search for the position.
    SMALL = 200_000

    def __init__(self, selection):
        self.selection, self.end = selection, selection.until

    def initialOffset(self):
        return {"seq": self.selection.after}

    def latestOffset(self, start=None, limit=None):
        head = self.head()
        return {"seq": head if self.end is None else min(head, self.end)}

    def head(self):
        """Returns the position of the last event of a log, or of a segment that may be any one."""
        binary = self.selection.command()
        plan = run(binary, "scan", "--log", self.selection.path, "--plan", 1 << 40)
        if not plan:
            return 0
        last = json.loads(plan[-1])
        rows, size = [], 1 << 16
        while not rows:  # The last line may be longer.
            begin, size = max(last["to"] - size, 0), size * 16
            rows = run(binary, "scan", "--log", last["file"], "--bytes", f"{begin}-{last['to']}",
                       "--columns", "seq", "--format", "jsonl")
        return json.loads(rows[-1])["seq"]

    def partitions(self, start, end):
        selection = self.selection
        selection.after, selection.until = start["seq"], end["seq"]
        if end["seq"] - start["seq"] > self.SMALL:
            return selection.pieces()
        if end["seq"] <= start["seq"]:
            return []
        return [Piece(["--log", selection.path] + selection.arguments())]

    def read(self, partition):
        return self.selection.read(partition)


# Projections. Each is exact: it has the same rows as `eventlog project`, in no order. Accounts are
# deleted for good, so the order of a deletion and the other events matters only where it says so.

FOREVER = (1 << 63) - 1


class Log:
    """A log as of a position, with the events of some types as data frames.

    Each function below takes a path or a `Log`. With `share`, the log is read once, for all of them:
    Spark keeps all columns of all events in its storage, which is as large as the log.
    """

    def __init__(self, spark, path, as_of=None, binary=None, share=False, **options):
        self.spark, self.path, self.as_of = spark, path, as_of
        self.options = {"binary": binary, **options}
        register(spark)
        spark.dataSource.register(EdgeSource)
        self.kinds = catalogue(find_binary(binary))
        self.shared = self.load([], self.kinds).persist() if share else None
        self.kept = {}

    def at(self, as_of):
        """Returns the same log as of another position."""
        other = copy.copy(self)
        other.as_of, other.kept = as_of, {}
        return other

    def reader(self, name):
        reader = self.spark.read.format(name)
        for name, value in self.options.items():
            if value is not None:
                reader = reader.option(name, value)
        return reader if self.as_of is None else reader.option("asOf", self.as_of)

    def load(self, types, columns):
        reader = self.reader("eventlog").option("types", ",".join(types))
        return reader.schema(", ".join(f"`{n}` {self.kinds[n]}" for n in columns)).load(self.path)

    def events(self, types, columns):
        """Returns the events of some types."""
        if self.shared is None:
            return self.load(types, columns.split())
        events = self.shared.where(F.col("type").isin(types))
        if self.as_of is not None:
            events = events.where(F.col("seq") <= self.as_of)
        return events.select(*columns.split())

    def once(self, name, make):
        """Returns a data frame that several projections need. Spark keeps it in its storage."""
        if name not in self.kept:
            self.kept[name] = make().persist()
        return self.kept[name]

    def close(self):
        """Frees Spark's storage."""
        for frame in self.kept.values():
            frame.unpersist()
        self.kept = {}

    def deletions(self):
        """Returns each deleted user with the position of the deletion."""
        return self.once("deletions", lambda: self.events(["AccountDeleted"], "seq user").groupBy(
            "user").agg(F.min("seq").alias("deleted")))

    def accounts(self):
        """Returns the users with an account, and the position at which each was opened."""
        opened = self.events(["ProfileCreated"], "seq user").groupBy("user").agg(
            F.min("seq").alias("opened"))
        return opened.join(self.deletions(), "user", "left_anti")

    def workouts(self):
        """Returns each workout that was ever shared: its owner, the position of its first valid
        event, and the position at which it went for good (FOREVER if it is still there)."""
        return self.once("workouts", self.read_workouts)

    def read_workouts(self):
        shared = self.events(["WorkoutShared"], "seq workout owner")
        deletions = self.deletions().withColumnRenamed("user", "owner")
        removed = self.events(["WorkoutRemoved"], "seq workout").groupBy("workout").agg(
            F.min("seq").alias("removed"))
        first = (
            shared.join(deletions, "owner", "left")
            .where(F.col("deleted").isNull() | (F.col("seq") < F.col("deleted")))
            .join(removed, "workout", "left")
            .where(F.col("removed").isNull() | (F.col("seq") < F.col("removed")))
            .groupBy("workout").agg(F.min(F.struct("seq", "owner", "deleted", "removed")).alias("s")))
        gone = F.least(F.coalesce("s.deleted", F.lit(FOREVER)), F.coalesce("s.removed", F.lit(FOREVER)))
        return first.select("workout", "s.owner", F.col("s.seq").alias("shared"), gone.alias("gone"))

    def present(self):
        """Returns the workouts that are still there, with their owners."""
        return self.workouts().where(F.col("gone") == FOREVER).select("workout", "owner", "shared")


def open_log(spark, path, as_of, binary, options):
    """Returns the log at a path, or the given `Log`."""
    return path if isinstance(path, Log) else Log(spark, path, as_of, binary, **options)


def last(condition, value):
    """Returns an aggregate: twice the position of the last event that meets a condition, plus 1 if
    the value is true for it. It is a number, so that Spark aggregates it in place."""
    return F.max(F.when(condition, F.col("seq") * 2 + value.cast("bigint")))


def holds(column):
    """Whether the last event that `last` found has the value true."""
    return F.coalesce(F.col(column) % 2 == 1, F.lit(False))


def pairs(log, one, other, marks, types):
    """Returns a row for each pair of users, with the last state of each mark and of blocks.

    `one` and `other` are expressions for the two users of an event of `types`, and `marks` makes the
    aggregates from the condition that the event names the smaller user first. The key is the pair.
    Rows whose two users are equal also say whether the account was opened and deleted.
    """
    columns = "seq type user other follower followee sender receiver friend"
    events = log.events(
        types + ["UserBlocked", "UserUnblocked", "ProfileCreated", "AccountDeleted"], columns)
    kind = F.col("type")
    is_tie, is_block = kind.isin(types), kind.isin("UserBlocked", "UserUnblocked")
    is_account = kind.isin("ProfileCreated", "AccountDeleted")
    left = F.when(is_tie, one).otherwise(F.col("user"))
    right = F.when(is_tie, other).when(is_block, F.col("other")).otherwise(F.col("user"))
    events = events.select("seq", "type", left.alias("left"), right.alias("right"))
    is_ordered = F.col("left") <= F.col("right")
    blocks = kind == "UserBlocked"
    return events.groupBy(
        F.least("left", "right").alias("a"), F.greatest("left", "right").alias("b")
    ).agg(
        *[mark.alias(name) for name, mark in marks(is_tie, is_ordered).items()],
        last(is_block & is_ordered, blocks).alias("block_ab"),
        last(is_block & ~is_ordered, blocks).alias("block_ba"),
        F.max(kind == "ProfileCreated").alias("opened"),
        F.max(kind == "AccountDeleted").alias("deleted"),
    )


def standing(state):
    """Returns the pairs without a block and without a deleted account, and the open accounts."""
    gone = state.where("a = b and deleted").select("a")
    users = state.where("a = b and opened and not deleted").select(F.col("a").alias("user"))
    is_parted = (F.col("a") != F.col("b")) & (holds("block_ab") | holds("block_ba"))
    kept = (state.where(~is_parted)
            .join(gone, "a", "left_anti")
            .join(gone.withColumnRenamed("a", "b"), "b", "left_anti"))
    return kept, users


# Follows, in columns. Most events of many logs are follows, and each pair of users has few events. So
# Spark's own operators would take most of the time: they copy each row, and hash its texts, four times.
# Here Spark moves blocks instead. A block has the rows of one piece for one task, as Arrow streams.
#
# The users are divided by hash into as many ranges as the grid has rows and columns. A cell of the grid
# has the follows from users of one range to users of another one. It gets all events that decide these
# follows: of the pair, and the deletions of the users of both ranges. So a deletion has a copy for each
# cell of a row and of a column, and a follow has one copy. The cells' counts are then added by user.

EDGES = ["UserFollowed", "UserUnfollowed", "UserBlocked", "UserUnblocked", "ProfileCreated",
         "AccountDeleted"]
FOLLOWED, UNFOLLOWED, BLOCKED, UNBLOCKED, OPENED, DELETED = range(6)
CELL = 256 << 20  # the bytes of log for each cell of the grid
CELLS = 100_000  # the most cells: more would make small blocks of pieces of 128 MiB


def spread(names, count):
    """Returns a number below `count` for each text. It depends only on the text."""
    names = pyarrow.concat_arrays([names])
    ends, data = (memoryview(part or b"") for part in names.buffers()[1:])
    ends = ends.cast("i")[names.offset:]
    numbers = (zlib.crc32(data[ends[i]:ends[i + 1]]) % count for i in range(len(names)))
    return pyarrow.array(array.array("i", numbers), pyarrow.int32())


def packed(names, rows):
    """Returns two Arrow streams: the distinct names, and rows with numbers of names."""
    streams = []
    for batch in (pyarrow.record_batch({"name": names}), rows):
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
            stream.write(batch)
        streams.append(sink.getvalue().to_pybytes())
    return streams


def unpacked(blocks, columns):
    """Returns the names of some blocks, and a table of their rows. The columns named have numbers of
    names, which become numbers in the common list of names."""
    parts = [[pyarrow.ipc.open_stream(part.as_buffer()).read_all() for part in block]
             for block in blocks]
    names = pyarrow.chunked_array([chunk for part in parts for chunk in part[0]["name"].chunks],
                                  pyarrow.utf8()).combine_chunks().dictionary_encode()
    base, tables = 0, []
    for own, rows in parts:
        for column in columns:
            numbers = names.indices.take(pc.add(rows[column], pyarrow.scalar(base, pyarrow.int32())))
            rows = rows.set_column(rows.schema.get_field_index(column), column, numbers)
        base += len(own)
        tables.append(rows)
    return names.dictionary, pyarrow.concat_tables(tables).combine_chunks()


def divided(table, part, names, columns):
    """Yields a part's number, the names and the rows of each part of a table, as `packed` does."""
    order = pc.sort_indices(part)
    table, part = table.take(order), part.take(order)
    counts = pc.value_counts(part)
    start = 0
    for number, count in zip(counts.field(0).to_pylist(), counts.field(1).to_pylist()):
        rows = table.slice(start, count).combine_chunks()
        start += count
        used = pyarrow.chunked_array([c for column in columns for c in rows[column].chunks],
                                     pyarrow.int32()).combine_chunks().dictionary_encode()
        own = {column: used.indices.slice(index * count, count) for index, column in enumerate(columns)}
        own.update({name: rows[name].combine_chunks() for name in rows.column_names if name not in own})
        yield number, *packed(names.take(used.dictionary), pyarrow.record_batch(own))


def in_batch(blocks):
    """Returns an Arrow batch of blocks."""
    columns = list(zip(*blocks)) or [[], [], []]
    return pyarrow.record_batch(columns, schema=EdgeSource.SCHEMA)


class EdgeSource(EventlogDataSource):
    """The format of `followers`: the blocks of a piece, one for each cell of the grid."""

    COLUMNS = {"part": "int", "names": "binary", "rows": "binary"}
    SCHEMA = pyarrow.schema([("part", pyarrow.int32()), ("names", pyarrow.binary()),
                             ("rows", pyarrow.binary())])

    @classmethod
    def name(cls):
        return "eventlog-edges"

    def schema(self):
        return ", ".join(f"{name} {kind}" for name, kind in self.COLUMNS.items())

    def reader(self, schema):
        columns = StructType().add("seq", "long")
        for name in ("type", "follower", "followee", "user", "other"):
            columns = columns.add(name, "string")
        options = self.options.copy()
        options["types"] = ",".join(EDGES)
        return EdgeReader(Selection(options, columns), int(options["grid"]))


class EdgeReader(DataSourceReader):
    def __init__(self, selection, grid):
        self.selection, self.grid = selection, grid

    def partitions(self):
        return self.selection.pieces()

    def read(self, partition):
        batches = list(self.selection.read(partition))
        if batches:
            yield in_batch(self.blocks(pyarrow.Table.from_batches(batches)))

    def blocks(self, events):
        """Yields the blocks of a piece's events."""
        kind = pc.index_in(events["type"], pyarrow.array(EDGES)).cast("int8")
        left = pc.coalesce(events["follower"], events["user"])
        right = pc.coalesce(events["followee"], events["other"], events["user"])
        events = pyarrow.table({"kind": kind, "seq": events["seq"], "left": left, "right": right})
        events = events.filter(pc.and_(pc.is_valid(left), pc.is_valid(right)))
        if len(events) == 0:
            return []
        users = pyarrow.chunked_array(
            events["left"].chunks + events["right"].chunks).combine_chunks().dictionary_encode()
        names, count = users.dictionary, len(events)
        events = events.set_column(2, "left", users.indices.slice(0, count))
        events = events.set_column(3, "right", users.indices.slice(count))
        band = spread(names, self.grid)
        row, column = band.take(events["left"]), band.take(events["right"])
        tables, cells = [events], [(row, column)]
        # A block also ends the follow in the other direction, which is in another cell.
        is_block = pc.is_in(events["kind"], pyarrow.array([BLOCKED, UNBLOCKED], pyarrow.int8()))
        tables.append(events.filter(is_block))
        cells.append((column.filter(is_block), row.filter(is_block)))
        is_deletion = pc.equal(events["kind"], DELETED)
        deletions, own = events.filter(is_deletion), row.filter(is_deletion)
        for number in range(self.grid):
            line = pyarrow.chunked_array([pyarrow.repeat(pyarrow.scalar(number, pyarrow.int32()), len(own))])
            elsewhere = pc.not_equal(own, line)
            for cell in ((own, line), (line, own)):
                tables.append(deletions.filter(elsewhere))
                cells.append(tuple(side.filter(elsewhere) for side in cell))
        cell = [pc.add(pc.multiply(a, pyarrow.scalar(self.grid, pyarrow.int32())), b) for a, b in cells]
        cell = pyarrow.chunked_array([chunk for part in cell for chunk in part.chunks], pyarrow.int32())
        return divided(pyarrow.concat_tables(tables), cell, names, ["left", "right"])


def directed(rows, kinds):
    """Returns the pairs of users for which the last event of two kinds is the first of these."""
    chosen = rows.filter(pc.is_in(rows["kind"], pyarrow.array(kinds, pyarrow.int8())))
    mark = pc.add(pc.multiply(chosen["seq"], 2), pc.equal(chosen["kind"], kinds[0]).cast("int64"))
    last = pyarrow.table({"pair": paired(chosen["left"], chosen["right"]), "mark": mark}).group_by(
        "pair", use_threads=False).aggregate([("mark", "max")])
    return last["pair"].filter(pc.equal(pc.bit_wise_and(last["mark_max"], 1), 1))


def paired(left, right):
    """Returns two numbers as one."""
    return pc.bit_wise_or(pc.shift_left(left.cast("int64"), 32), right.cast("int64"))


def count_cell(blocks, buckets):
    """Returns the counts of a cell's users, as a batch of blocks by user."""
    names, rows = unpacked(blocks, ["left", "right"])
    gone = rows.filter(pc.equal(rows["kind"], DELETED))["left"]
    ties, walls = directed(rows, [FOLLOWED, UNFOLLOWED]), directed(
        rows.filter(pc.not_equal(rows["left"], rows["right"])), [BLOCKED, UNBLOCKED])
    low = pyarrow.scalar((1 << 32) - 1, pyarrow.int64())
    back = paired(pc.bit_wise_and(walls, low), pc.shift_right(walls, 32))
    for walled in (walls, back):
        ties = ties.filter(pc.invert(pc.is_in(ties, walled.combine_chunks())))
    gone = gone.combine_chunks().cast("int64")
    sides = [pc.shift_right(ties, 32), pc.bit_wise_and(ties, low)]
    kept = pc.invert(pc.or_(*[pc.is_in(side, gone) for side in sides]))
    by, to = (side.filter(kept) for side in sides)
    opened = rows.filter(pc.equal(rows["kind"], OPENED))["left"].cast("int64")
    opened = opened.filter(pc.invert(pc.is_in(opened, gone)))
    counts = []
    for users, values in ((to, (1, 0)), (by, (0, 1)), (opened, (0, 0))):
        found = pc.value_counts(users)
        number = found.field(1)
        counts.append(pyarrow.table({
            "user": found.field(0).cast("int32"), "followers": pc.multiply(number, values[0]),
            "following": pc.multiply(number, values[1])}))
    counts = pyarrow.concat_tables(counts).combine_chunks()
    bucket = spread(names, buckets).take(counts["user"])
    return in_batch(divided(counts, bucket, names, ["user"]))


def add_counts(blocks):
    """Returns each user's counts, from the blocks of all cells."""
    names, rows = unpacked(blocks, ["user"])
    sums = rows.group_by("user", use_threads=False).aggregate(
        [("followers", "sum"), ("following", "sum")]).combine_chunks()
    return pyarrow.record_batch({
        "user": names.take(sums["user"].combine_chunks()),
        "followerCount": sums["followers_sum"].combine_chunks(),
        "followingCount": sums["following_sum"].combine_chunks()})


def follow_counts(log):
    return log.once("follows", lambda: count_follows(log))


def count_follows(log):
    size = sum(os.path.getsize(file) for file in segments(log.path))
    grid = math.ceil(math.sqrt(max(2, min(size / CELL, CELLS))))
    cells = grid * grid

    def exchanged(frame, function, columns):
        """Returns the rows that `function` makes of the blocks of each part."""
        def made(names: pyarrow.Array, rows: pyarrow.Array) -> pyarrow.Scalar:
            batch = function(list(zip(names, rows)))
            ends = pyarrow.array([0, len(batch)], pyarrow.int32())
            made = [pyarrow.ListArray.from_arrays(ends, column) for column in batch.columns]
            return pyarrow.StructArray.from_arrays(made, batch.schema.names)[0]

        # Spark sorts the blocks of a task by part, on disk if need be, and sends one part at a time. A
        # list for each column costs less than a list of rows, which Arrow copies one by one.
        kind = ", ".join(f"{name}: array<{kind}>" for name, kind in columns.items())
        made = F.arrow_udf(made, f"struct<{kind}>")("names", "rows")
        rows = frame.repartition(cells, "part").groupBy("part").agg(made.alias("made"))
        return rows.select(F.inline(F.arrays_zip(*[f"made.{name}" for name in columns]))).toDF(*columns)

    edges = log.reader("eventlog-edges").option("grid", grid).load(log.path)
    counts = exchanged(edges, lambda blocks: count_cell(blocks, cells), EdgeSource.COLUMNS)
    return exchanged(counts, add_counts, {
        "user": "string", "followerCount": "bigint", "followingCount": "bigint"})


def followers(spark, path, as_of=None, binary=None, **options):
    """Returns `user`, `followerCount` and `followingCount` of each user with an account or a follow.

    Divides by the pair of users: the last follow and the last block of a pair decide."""
    return follow_counts(open_log(spark, path, as_of, binary, options))


def following(spark, path, as_of=None, binary=None, **options):
    """Returns `user` and `followingCount`. Divides like `followers`."""
    return follow_counts(open_log(spark, path, as_of, binary, options)).select("user", "followingCount")


def friendships(spark, path, as_of=None, binary=None, **options):
    """Returns `user`, `friends`, `sent` and `pending` of each user with an account.

    Divides by the pair of users: its last event decides."""
    log = open_log(spark, path, as_of, binary, options)
    kind = F.col("type")
    removed = kind == "FriendRemoved"
    one = F.when(removed, F.col("user")).otherwise(F.col("sender"))
    other = F.when(removed, F.col("friend")).otherwise(F.col("receiver"))
    types = ["FriendRequested", "FriendRequestCancelled", "FriendRequestAccepted",
             "FriendRequestRejected", "FriendRemoved"]
    # The state after the pair's last event: 0 nothing, 1 friends, 2 a asks b, 3 b asks a.

    def marks(is_tie, is_ordered):
        state = (F.when(kind == "FriendRequestAccepted", 1)
                 .when(kind == "FriendRequested", F.when(is_ordered, 2).otherwise(3)).otherwise(0))
        return {"tie": F.max(F.when(is_tie, F.col("seq") * 4 + state))}

    kept, users = standing(log.once("ties", lambda: pairs(log, one, other, marks, types)))
    state = (F.col("tie") % 4).alias("state")
    kept = kept.where("a <> b and tie % 4 > 0").select("a", "b", state)
    rows = kept.select(
        F.col("a").alias("user"), "state").union(kept.select(
            F.col("b"), F.expr("case state when 2 then 3 when 3 then 2 else state end")))
    count = [F.sum((F.col("state") == number).cast("bigint")).alias(name)
             for number, name in ((1, "friends"), (2, "sent"), (3, "pending"))]
    return users.join(rows.groupBy("user").agg(*count), "user", "left").fillna(0)


def marked(log, types, given, column):
    """Returns the number of users with a mark on each present workout.

    Divides by workout, user and `column`: the last event decides. Then it counts by workout."""
    given = F.col("type") == given
    keys = ["workout", "user"] + ([column] if column else [])
    marks = (log.events(types, "seq type workout user " + (column or ""))
             .groupBy(*keys).agg(last(F.lit(True), given).alias("mark")).where(holds("mark"))
             .join(log.deletions(), "user", "left_anti"))
    if column:
        marks = marks.groupBy("workout", "user").agg(F.lit(1))
    counts = marks.groupBy("workout").agg(F.count("*").alias("count"))
    return log.present().join(counts, "workout")


def chups(spark, path, as_of=None, binary=None, **options):
    """Returns `workout`, `owner` and `chups` of each workout with chups.

    Divides by workout and user."""
    log = open_log(spark, path, as_of, binary, options)
    return marked(log, ["ChupGiven", "ChupWithdrawn"], "ChupGiven", None).select(
        "workout", "owner", F.col("count").alias("chups"))


def reactions(spark, path, as_of=None, binary=None, **options):
    """Returns `workout`, `owner` and `users`, the number of users who reacted.

    Divides by workout, user and kind."""
    log = open_log(spark, path, as_of, binary, options)
    return marked(log, ["ReactionGiven", "ReactionWithdrawn"], "ReactionGiven", "kind").select(
        "workout", "owner", F.col("count").alias("users"))


def comments(spark, path, as_of=None, binary=None, **options):
    """Returns `workout`, `owner` and `comments` of each workout with comments.

    Divides by comment: its first valid event decides, unless it is ever removed. An event is valid
    if the workout and the author were not gone at the time."""
    log = open_log(spark, path, as_of, binary, options)
    workouts = log.workouts()
    posted = (
        log.events(["CommentPosted"], "seq comment workout user")
        .join(log.deletions(), "user", "left").join(workouts, "workout", "left")
        .where("(deleted is null or seq < deleted) and (gone is null or seq < gone)")
        .groupBy("comment").agg(F.min(F.struct("seq", "workout", "owner", "deleted", "gone")).alias("s"))
        .select("comment", "s.*"))
    removed = log.events(["CommentRemoved"], "comment").distinct()
    return (posted.where((F.col("gone") == FOREVER) & F.col("deleted").isNull())
            .join(removed, "comment", "left_anti")
            .groupBy("workout", "owner").agg(F.count("*").alias("comments")))


def sends(spark, path, as_of=None, binary=None, **options):
    """Returns `user` and `sendCount` of each user with an account. Divides by user: sends from
    before the account was opened do not count."""
    log = open_log(spark, path, as_of, binary, options)
    users = log.accounts()
    counts = (log.events(["SendLogged"], "seq user").join(users, "user")
              .where("seq > opened").groupBy("user").agg(F.count("*").alias("sendCount")))
    return users.select("user").join(counts, "user", "left").fillna(0)


def scores(log):
    return log.once("scores", lambda: read_scores(log))


def read_scores(log):
    """Returns each present workout's owner, date, metres and audience, which its last edits decide."""
    columns = "seq workout date totalDistance audience cleared"
    shared = (log.events(["WorkoutShared"], columns).join(log.present(), "workout")
              .where("seq = shared"))
    edits = (log.events(["WorkoutEdited"], columns).join(log.present(), "workout")
             .where("seq > shared"))
    rows = shared.unionByName(edits)
    is_first = F.col("seq") == F.col("shared")

    def cleared(name):
        return F.array_contains(F.split(F.coalesce("cleared", F.lit("")), ","), name)

    def latest(name):
        """The value after the last event that sets or clears it."""
        isset = is_first | F.col(name).isNotNull() | cleared(name)
        return F.max(F.when(isset, F.struct("seq", F.col(name).alias("value"))))["value"].alias(name)

    return rows.groupBy("workout", "owner").agg(
        latest("date"), latest("totalDistance"), latest("audience"))


def metres(log, period):
    """Returns the metres of each user and period."""
    # A date has its own offset, and its day is that in UTC. Digits beyond milliseconds do not matter.
    text = F.regexp_replace("date", r"(?i)^(.{16}):60(\.\d+)?", "$1:59.999")
    # Spark reads offsets up to 18 hours, the log up to 23:59.
    parts = [F.regexp_extract(text, r"(?i)^(.*?)(?:Z|([+-])(\d\d):(\d\d))$", part) for part in range(1, 5)]
    minutes = F.coalesce(parts[2].try_cast("int") * 60 + parts[3].try_cast("int"), F.lit(0))
    behind = F.make_dt_interval(mins=F.when(parts[1] == "-", -minutes).otherwise(minutes))
    moment = F.to_timestamp(F.concat(F.upper(parts[0]), F.lit("Z"))) - behind
    total = F.sum(F.greatest("totalDistance", F.lit(0)).cast("decimal(38,0)"))
    return (scores(log)
            .where("totalDistance > 0 and (audience is null or audience <> 'private')")
            .groupBy(F.col("owner").alias("user"), F.to_date(F.date_trunc(period, moment)).alias(period))
            .agg(F.least(total, F.lit(FOREVER).cast("decimal(38,0)")).cast("bigint").alias("meters")))


def weekly_metres(spark, path, as_of=None, binary=None, **options):
    """Returns `user`, `week` (the Monday, in UTC) and `meters` that are not private.

    Divides by workout, then by owner and week. Needs the session's time zone UTC."""
    return metres(open_log(spark, path, as_of, binary, options), "week")


def leaderboard(spark, path, as_of=None, binary=None, period="week", containing=None, **options):
    """Returns `rank`, `user` and `meters` for the week or month that contains a date.

    The metres divide by workout, then by owner and period. The rank does not divide: Spark sorts the
    users of one period in one task."""
    day = F.date_trunc(period, F.to_timestamp(F.lit(str(containing)))).cast("date")
    rows = metres(open_log(spark, path, as_of, binary, options), period).where(F.col(period) == day)
    rank = F.rank().over(Window.orderBy(F.col("meters").desc()))
    return rows.select(rank.alias("rank"), "user", "meters")


def tied(log):
    """Returns the notifications of follows, friend requests and their acceptances."""
    kind = F.col("type")
    follows = (
        log.events(["UserFollowed", "UserUnfollowed"], "seq time type follower followee")
        .groupBy("follower", "followee").agg(
            last(F.lit(True), kind == "UserFollowed").alias("mark"), F.max("time").alias("time"))
        .where(holds("mark"))
        .select(F.col("followee").alias("user"), F.col("follower").alias("by"),
                F.floor(F.col("mark") / 2).alias("seq"), "time"))
    types = ["FriendRequested", "FriendRequestCancelled", "FriendRequestAccepted",
             "FriendRequestRejected", "FriendRemoved"]
    events = log.events(types, "seq time type sender receiver user friend")
    one = F.when(kind == "FriendRemoved", F.col("user")).otherwise(F.col("sender"))
    other = F.when(kind == "FriendRemoved", F.col("friend")).otherwise(F.col("receiver"))
    is_ordered = F.col("one") <= F.col("other")
    # The pair's last event: 0 tells nobody, 1 tells the smaller user, 2 the greater one.
    told = (F.when(kind == "FriendRequested", F.when(is_ordered, 2).otherwise(1))
            .when(kind == "FriendRequestAccepted", F.when(is_ordered, 1).otherwise(2)).otherwise(0))
    friends = (
        events.select("seq", "time", "type", one.alias("one"), other.alias("other"))
        .groupBy(F.least("one", "other").alias("a"), F.greatest("one", "other").alias("b"))
        .agg(F.max(F.col("seq") * 4 + told).alias("mark"), F.max("time").alias("time"))
        .where("mark % 4 > 0"))
    is_first = F.col("mark") % 4 == 1
    return follows.union(friends.select(
        F.when(is_first, F.col("a")).otherwise(F.col("b")), F.when(is_first, F.col("b")).otherwise(
            F.col("a")), F.floor(F.col("mark") / 4), "time"))


def marked_notices(log, workouts, types, given, column):
    """Returns the notifications of chups or reactions to the workouts that are still there."""
    keys = ["workout", "user"] + ([column] if column else [])
    events = log.events(types, "seq time type workout user " + (column or ""))
    return (
        events.join(workouts, "workout").where("seq > shared")
        .groupBy("owner", *keys).agg(
            last(F.lit(True), F.col("type") == given).alias("mark"), F.max("time").alias("time"))
        .where(holds("mark"))
        .select(F.col("owner").alias("user"), F.col("user").alias("by"),
                F.floor(F.col("mark") / 2).alias("seq"), "time"))


def comment_notices(log, workouts):
    """Returns the notifications of comments, replies and hearts. `workouts` are all ever shared."""
    posted = (
        log.events(["CommentPosted"], "seq time comment workout user replyTo").join(workouts, "workout")
        .where("seq > shared and seq < gone")
        .groupBy("comment").agg(
            F.min(F.struct("seq", "time", "workout", "user", "replyTo", "owner", "gone")).alias("s"))
        .select("comment", "s.*"))
    removed = log.events(["CommentRemoved"], "seq comment").withColumnRenamed("seq", "at").join(
        posted.select("comment", "seq"), "comment").where("at > seq").groupBy("comment").agg(
            F.min("at").alias("removed"))
    posts = log.once("posts", lambda: posted.join(removed, "comment", "left"))
    kept = posts.where((F.col("gone") == FOREVER) & F.col("removed").isNull())
    comments = kept.select(F.col("owner").alias("user"), F.col("user").alias("by"), "seq", "time")
    parents = posts.select(
        F.col("comment").alias("replyTo"), F.col("user").alias("author"),
        F.col("seq").alias("posted"), F.col("removed").alias("ended"))
    replies = (
        kept.join(parents, "replyTo")
        .where("posted < seq and (ended is null or ended > seq) and author <> owner")
        .select(F.col("author").alias("user"), F.col("user").alias("by"), "seq", "time"))
    hearts = log.events(["CommentHearted", "CommentUnhearted"], "seq time type comment user")
    authors = kept.select("comment", F.col("user").alias("author"), F.col("seq").alias("posted"))
    hearts = (
        hearts.join(authors, "comment").where("seq > posted").groupBy("comment", "author", "user").agg(
            last(F.lit(True), F.col("type") == "CommentHearted").alias("mark"),
            F.max("time").alias("time"))
        .where(holds("mark"))
        .select(F.col("author").alias("user"), F.col("user").alias("by"),
                F.floor(F.col("mark") / 2).alias("seq"), "time"))
    return comments.union(replies).union(hearts)


class Group:
    """A group and the notifications about it, as `Memberships` and `Notifications` of eventlog keep
    them. The events of one group, in order, decide."""

    ADMINS = ("admin", "owner")
    MEMBERS = ("member", "admin", "owner")

    def __init__(self):
        self.owner, self.is_gone, self.is_public = None, False, False
        self.standings, self.deleted, self.rows = {}, set(), []

    def apply(self, event):
        kind, user = event["type"], event["user"] or event["owner"]
        if kind == "AccountDeleted":
            if self.owner == user:
                self.drop()
            self.standings.pop(user, None)
            self.deleted.add(user)
            self.rows = [row for row in self.rows if row["user"] != user]
        elif kind == "GroupCreated":
            if self.owner is None:
                self.is_public = event["isPublic"]
                if not self.is_gone:
                    self.own(user)
        elif kind == "GroupEdited":
            self.is_public = self.is_public if event["isPublic"] is None else event["isPublic"]
        elif kind == "GroupDeleted":
            self.drop()
        else:
            old = self.standings.get(user)
            if kind == "GroupTransferred":
                if self.owner is not None and self.owner != user:
                    self.standings[self.owner] = "admin"
                    self.own(user)
            elif not self.is_gone and user not in self.deleted:
                self.move(kind, user, old, event["role"])
            self.change(user, old, event)

    def own(self, user):
        if user in self.deleted:
            self.drop()
        else:
            self.owner, self.standings[user] = user, "owner"

    def drop(self):
        self.owner, self.is_gone, self.standings, self.rows = None, True, {}, []

    def move(self, kind, user, old, role):
        if kind in ("MemberLeft", "MemberRemoved"):
            if old != "owner":
                self.standings.pop(user, None)
        elif kind == "MemberRoleSet":
            if old in self.MEMBERS and old != "owner":
                self.standings[user] = role
        elif old not in self.MEMBERS:
            self.standings[user] = {"MemberInvited": "invited", "MemberRequested": "requested",
                                    "MemberJoined": "member"}[kind]

    def change(self, user, old, event):
        new = self.standings.get(user)
        if old == new:
            return
        if old == "invited" or old in self.MEMBERS:
            both = old in self.MEMBERS and new in self.MEMBERS
            self.rows = [
                row for row in self.rows if row["user"] != user
                or (new in self.ADMINS if row["asks"] else both and new != "owner")]
        if old == "requested":
            self.rows = [row for row in self.rows if not (
                row["asks"] and row["by"] == user
                and self.standings.get(row["user"]) in self.ADMINS)]
        if self.owner is None:
            return
        if new == "invited" or new == "member" and old == "requested" and not self.is_public:
            self.notify(user, self.owner, False, event)
        elif new == "requested":
            for admin, standing in list(self.standings.items()):
                if standing in self.ADMINS:
                    self.notify(admin, user, True, event)

    def notify(self, user, by, asks, event):
        if user != by and user not in self.deleted and by not in self.deleted:
            self.rows.append({"user": user, "by": by, "asks": asks, "seq": event["seq"],
                              "time": event["time"]})

    def notices(self):
        return [{**{name: row[name] for name in ("user", "seq", "time")},
                 "by": row["by"] if row["asks"] else self.owner or row["by"]} for row in self.rows]


def group_notices(log):
    """Returns the notifications of invitations, requests to join and approvals, by group."""
    types = ["GroupCreated", "GroupEdited", "GroupTransferred", "GroupDeleted", "MemberInvited",
             "MemberRequested", "MemberJoined", "MemberLeft", "MemberRemoved", "MemberRoleSet"]
    events = log.events(types, "seq time type group user owner isPublic role")
    people = events.select("group", F.coalesce("user", "owner").alias("user")).distinct()
    deletions = log.events(["AccountDeleted"], "seq time type user").join(people, "user").select(
        "seq", "time", "type", "group", "user", F.lit(None).cast("string"),
        F.lit(None).cast("boolean"), F.lit(None).cast("string"))
    def notices(events):
        group = Group()
        for event in events:
            group.apply(event.asDict())
        return [tuple(row[name] for name in ("user", "by", "seq", "time")) for row in group.notices()]

    # A time is a number here, because a Python function gets times in its own time zone.
    events = events.union(deletions).withColumn("time", F.unix_micros("time")).groupBy("group").agg(
        F.sort_array(F.collect_list(F.struct(*events.columns))).alias("events"))
    found = F.udf(notices, "array<struct<user: string, by: string, seq: bigint, time: bigint>>",
                  useArrow=False)
    return events.select(F.inline(found("events"))).withColumn("time", F.timestamp_micros("time"))


def unread_notifications(spark, path, as_of=None, binary=None, **options):
    """Returns `user` and `unread` of each user with unread notifications.

    Divides by the notification's cause (an edge, a comment or a group), then by recipient."""
    log = open_log(spark, path, as_of, binary, options)
    workouts = log.workouts()
    present = workouts.where(F.col("gone") == FOREVER).select("workout", "owner", "shared")
    notices = (
        tied(log)
        .union(marked_notices(log, present, ["ChupGiven", "ChupWithdrawn"], "ChupGiven", None))
        .union(marked_notices(
            log, present, ["ReactionGiven", "ReactionWithdrawn"], "ReactionGiven", "kind"))
        .union(comment_notices(log, workouts)).union(group_notices(log)))
    # An id of version 7 begins with its milliseconds. Everything up to then is read.
    read = F.least(
        F.conv(F.substring(F.regexp_replace("upTo", "-", ""), 1, 12), 16, 10).cast("bigint"),
        F.unix_millis("time"))
    marks = (
        log.events(["NotificationsRead"], "seq time user upTo")
        .where(F.substring("upTo", 15, 1) == "7")
        .groupBy("user").agg(F.max(F.struct(read.alias("time"), "seq")).alias("read")))
    deletions = log.deletions().select("user")
    return (
        notices.where("user <> by")
        .join(deletions, "user", "left_anti")
        .join(deletions.withColumnRenamed("user", "by"), "by", "left_anti")
        .join(marks, "user", "left")
        .where((F.col("read").isNull()) | (F.col("seq") >= F.col("read.seq"))
               | (F.unix_millis(F.col("time")) > F.col("read.time")))
        .groupBy("user").agg(F.count("*").alias("unread")))
