"""Random queries of PostgREST's language, and a translator of them to SQL, for `tables`."""
import os, random, sys, unicodedata

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Unicode"))
from folding import fold
from serving import TABLES

COMPARISONS = {"eq": "=", "neq": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
TYPES = {"text": "text", "user": "text", "uuid": "uuid", "bool": "boolean", "integer": "bigint",
         "double": "double precision", "date": "date", "time": "timestamptz", "json": "json"}

# The most rows of an answer.
MOST = 1_000


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Leaf:
    """A comparison of a column: `handle=not.ilike.*a*`."""

    def __init__(self, column, operator, value, negated=False, quoting=False):
        self.column, self.operator, self.value = column, operator, value
        self.negated, self.quoting = negated, quoting

    def text(self, is_nested):
        value = self.value
        if self.operator == "in":
            value = "(" + ",".join(self.element(each) for each in value) + ")"
        elif is_nested and (self.quoting or set(value) & set(",.:()\"\\ \n")):
            value = quoted(value) if self.operator != "is" else value
        return ("not." if self.negated else "") + self.operator + "." + value

    def element(self, value):
        return quoted(value) if self.quoting or not value or set(value) & set(",()\"\\") else value

    def item(self, prefix=""):
        return prefix + self.column.name, self.text(False)

    def nested(self):
        return self.column.name + "." + self.text(True)

    def sql(self, row):
        column, kind = f"{row}.{self.column.name}", TYPES[self.column.kind]
        if self.operator == "is":
            condition = f"{column} IS {self.value.upper()}"
        elif self.operator == "in":
            values = ", ".join(f"{literal(value)}::{kind}" for value in self.value)
            condition = f"{column} IN ({values})" if values else f"{column} = ANY ('{{}}')"
        elif self.operator in ("like", "ilike"):
            condition = f"{column} {self.operator.upper()} {literal(self.value.replace('*', '%'))}"
            if self.operator == "ilike":
                condition += ' COLLATE "default"'
        elif self.column.is_text and self.operator not in ("eq", "neq"):
            other = f"({literal(fold(self.value))}, {literal(self.value)})"
            condition = f"({column}_fold, {column}) {COMPARISONS[self.operator]} {other}"
        else:
            condition = f"{column} {COMPARISONS[self.operator]} {literal(self.value)}::{kind}"
        return f"NOT ({condition})" if self.negated else f"({condition})"


class Logic:
    """Several conditions: `or=(a.eq.1,and(b.gt.2,c.is.null))`."""

    def __init__(self, operator, parts, negated=False):
        self.operator, self.parts, self.negated = operator, parts, negated

    def inside(self):
        return "(" + ",".join(part.nested() for part in self.parts) + ")"

    def nested(self):
        return ("not." if self.negated else "") + self.operator + self.inside()

    def item(self, prefix=""):
        return prefix + ("not." if self.negated else "") + self.operator, self.inside()

    def sql(self, row):
        condition = f" {self.operator.upper()} ".join(part.sql(row) for part in self.parts)
        return f"NOT ({condition})" if self.negated else f"({condition})"


class Order:
    def __init__(self, column, direction, nulls):
        self.column, self.direction, self.nulls = column, direction, nulls

    def text(self):
        return ".".join(part for part in (self.column.name, self.direction, self.nulls) if part)

    def sql(self, row):
        name = f"{row}.{self.column.name}"
        end = (" DESC" if self.direction == "desc" else "") + {
            "nullsfirst": " NULLS FIRST", "nullslast": " NULLS LAST", "": ""}[self.nulls]
        return [f"{name}_fold{end}", f"{name}{end}"] if self.column.is_text else [name + end]


class Rows:
    """Rows of a table: the selected columns, the conditions, the order and the page."""

    def __init__(self, table):
        self.table, self.columns, self.conditions, self.orders = table, [], [], []
        self.limit = self.offset = None

    def items(self, prefix=""):
        items = [condition.item(prefix) for condition in self.conditions]
        if self.orders:
            items.append((prefix + "order", ",".join(order.text() for order in self.orders)))
        items += [(prefix + name, str(value)) for name, value in (("limit", self.limit), ("offset", self.offset))
                  if value is not None]
        return items

    def wheres(self, row):
        return [condition.sql(row) for condition in self.conditions]

    def sorting(self, row):
        return ", ".join(part for order in self.orders for part in order.sql(row)) or "1"

    def object(self, row, more=()):
        members = [f"{literal(name)}, {row}.{column.name}" for column, name in self.columns]
        return f"json_build_object({', '.join([*members, *more])})"


class Embedding:
    """Rows of another table inside each row. `local` and `foreign` are the columns whose values are equal."""

    def __init__(self, rows, name, target, local, foreign, is_one, drops):
        self.rows, self.name, self.target, self.local, self.foreign = rows, name, target, local, foreign
        self.is_one, self.drops = is_one, drops
        # Whether the rows inside have no order, so that they are compared as a set.
        self.is_set = not is_one and not rows.orders
        self.is_inner = "!inner" in target

    def select(self):
        columns = ",".join(selected(column, name) for column, name in self.rows.columns)
        return f"{self.target}({columns})"

    def source(self, schema, with_conditions=True):
        wheres = self.rows.wheres("e") if with_conditions else []
        return (f"{schema}.{self.rows.table.name} e WHERE "
                + " AND ".join([f"e.{self.foreign.name} = t.{self.local.name}", *wheres]))

    def condition(self, schema):
        """Returns the condition that drops rows without rows inside; None if all rows stay."""
        return f"EXISTS (SELECT 1 FROM {self.source(schema, self.is_inner)})" if self.drops else None

    def member(self, schema):
        if self.is_one:
            return f"{literal(self.name)}, (SELECT {self.rows.object('e')} FROM {self.source(schema)})"
        limit = MOST if self.rows.limit is None else self.rows.limit
        return (f"{literal(self.name)}, (SELECT coalesce(json_agg(s.j ORDER BY s.n), '[]') FROM (SELECT "
                f"{self.rows.object('e')} j, row_number() OVER (ORDER BY {self.rows.sorting('e')}) n "
                f"FROM {self.source(schema)} ORDER BY n LIMIT {limit} OFFSET {self.rows.offset or 0}) s)")


def selected(column, name):
    return column.name if name == column.name else f"{name}:{column.name}"


class Query:
    """A request with its translation."""

    def __init__(self, table):
        self.table, self.rows, self.embeddings = table, Rows(table), []
        self.method, self.headers, self.features = "GET", {}, set()
        self.counts = self.is_single = self.is_star = False
        self.window = None

    def items(self):
        parts = ["*"] if self.is_star else [selected(column, name) for column, name in self.rows.columns]
        parts += [embedding.select() for embedding in self.embeddings]
        items = [("select", ",".join(parts))] if parts != ["*"] or self.embeddings else []
        items += self.rows.items()
        for embedding in self.embeddings:
            items += embedding.rows.items(embedding.name + ".")
        return items

    def sql(self, schema):
        """Returns a statement whose result is a JSON array of pairs: the place in the order, and the row."""
        conditions = [embedding.condition(schema) for embedding in self.embeddings]
        wheres = [*self.rows.wheres("t"), *(each for each in conditions if each)] or ["TRUE"]
        row = self.rows.object("t", [embedding.member(schema) for embedding in self.embeddings])
        return (f"SELECT replace(coalesce(json_agg(json_build_array(r, j) ORDER BY r), '[]')::text, E'\\n', '') FROM "
                f"(SELECT dense_rank() OVER (ORDER BY {self.rows.sorting('t')}) r, {row} j "
                f"FROM {schema}.{self.table.name} t WHERE {' AND '.join(wheres)}) x;")


class Drawing:
    """Draws queries. `values` has, by table and column, texts of values for filters."""

    def __init__(self, seed):
        self.random, self.values = random.Random(seed), {}

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *choices):
        return self.random.choice(choices)

    def value(self, table, column):
        known = self.values[table.name][column.name]
        value = self.random.choice(known) if known else None
        kind = column.kind
        if kind == "bool":
            return self.pick("true", "false")
        if kind == "integer":
            near = int(value or 0) + self.pick(0, 0, 0, 1, -1)
            return str(near)
        if kind == "double":
            return value or "0.5"
        if kind == "date":
            return value or "2020-02-29"
        if kind == "time":
            value = value or "2024-01-10T00:00:00+00:00"
            return self.pick(value, value, value.replace("+00:00", "Z"), value.replace("T", " "), value[:10])
        if kind == "uuid":
            return self.pick(value, value.upper()) if value else "00000000-0000-8000-8000-000000000000"
        if not value:
            return self.pick("a", "", "ü")
        if self.chance(0.15):
            value = self.pick(value.upper(), value.lower(), fold(value), unicodedata.normalize("NFC", value),
                              unicodedata.normalize("NFD", value), value + "x", value[:-1])
        return value[:80] if self.chance(0.9) else value

    def pattern(self, table, column):
        """Returns a pattern of `like` from a part of a value, some characters of it replaced by wildcards."""
        value = self.value(table, column)[:60]
        start = self.random.randint(0, max(len(value) - 1, 0))
        part = value[start:start + self.random.randint(1, 8)]
        if self.chance(0.4):
            part = self.pick(part.upper(), part.lower())
        out = ""
        for character in part:
            if character in "\\%_":
                out += "\\" + character
            elif character == "*" or self.chance(0.1):
                out += self.pick("_", "%", "*")
            else:
                out += character
        return self.pick("*{}*", "%{}%", "{}*", "*{}", "*{}*", "{}").format(out)

    def leaf(self, table):
        columns = list(table.columns.values())
        column = self.random.choice(columns)
        choices = ["eq", "neq", "gt", "gte", "lt", "lte", "in", "is"]
        if column.is_text:
            choices += ["like", "ilike", "ilike", "eq", "in"]
        if column.kind == "bool":
            choices = ["eq", "neq", "is", "is"]
        if column.kind == "json":
            choices = ["is"]
        operator = self.random.choice(choices)
        if operator == "is":
            value = self.pick("true", "false", "null", "unknown") if column.kind == "bool" else "null"
        elif operator == "in":
            value = [self.value(table, column) for _ in range(self.random.choice([0, 1, 2, 3, 8]))]
        elif operator in ("like", "ilike"):
            value = self.pattern(table, column)
        else:
            value = self.value(table, column)
        self.features.add(operator)
        negated = self.chance(0.2)
        if negated:
            self.features.add("not")
        return Leaf(column, operator, value, negated, quoting=self.chance(0.4))

    def condition(self, table, depth=0):
        if depth < 2 and self.chance(0.3 if depth else 0.25):
            operator = self.pick("or", "or", "and")
            parts = [self.condition(table, depth + 1) for _ in range(self.random.randint(1 if depth else 2, 3))]
            self.features.add(("nested " if depth else "") + operator)
            return Logic(operator, parts, self.chance(0.2))
        return self.leaf(table)

    def order(self, table):
        # Documents have another order in PostgreSQL.
        column = self.random.choice([each for each in table.columns.values() if each.kind != "json"])
        order = Order(column, self.pick("", "asc", "desc", "desc"), self.pick("", "", "nullsfirst", "nullslast"))
        self.features.add("order with nulls" if order.nulls else "order")
        return order

    def fill(self, rows, has_star=False):
        """Draws the selected columns."""
        columns = [each for each in rows.table.columns.values()]
        if has_star:
            rows.columns = [(column, column.name) for column in columns]
            return
        for number, column in enumerate(self.random.sample(columns, self.random.randint(1, min(6, len(columns))))):
            alias = self.chance(0.15)
            if alias:
                self.features.add("alias")
            rows.columns.append((column, f"c{number}" if alias else column.name))

    def embedding(self, table, number):
        """Draws an embedding; None if the table has no references in either direction."""
        towards = [(column, TABLES[column.target]) for column in table.references]
        back = [(column, other) for other in TABLES.values() for column in other.references
                if column.target == table.name and other is not table]
        if not towards and not back:
            return None
        is_one = bool(towards) and (not back or self.chance(0.5))
        column, other = self.random.choice(towards if is_one else back)
        owner = table if is_one else other
        # A key that is also a reference makes a reference back to at most one row.
        is_single = is_one or owner.key == [column.name]
        fewest = sum(each is other for _, each in towards + back) == 1
        hints = [f"{other.name}!{column.name}", f"{other.name}!{owner.name}_{column.name}_fkey"]
        if other is table:
            hints = [column.name]
        elif is_one:
            hints.append(column.name)
        if fewest:
            hints.append(other.name)
        target = self.random.choice(hints)
        name = f"e{number}" if self.chance(0.6) or target == column.name else other.name
        inner = self.chance(0.2) and target != column.name
        rows = Rows(other)
        self.fill(rows)
        if self.chance(0.35):
            rows.conditions = [self.condition(other, 1) for _ in range(self.random.randint(1, 2))]
            self.features.add("filter of embedded rows")
        if not is_single:
            if self.chance(0.5):
                rows.orders = [self.order(other)] + [Order(other.columns[each], "", "") for each in other.key]
                self.features.add("order of embedded rows")
                if self.chance(0.6):
                    rows.limit = self.random.randint(0, 5)
                    rows.offset = self.random.randint(0, 2) if self.chance(0.3) else None
                    self.features.add("limit of embedded rows")
        self.features.add("to one" if is_single else "to many")
        if inner:
            self.features.add("inner")
        full = ("" if name == other.name else name + ":") + target + ("!inner" if inner else "")
        local, foreign = (column, other.columns[other.key[0]]) if is_one else (table.columns[table.key[0]], column)
        return Embedding(rows, name, full, local, foreign, is_single, inner or is_one and not column.is_nullable)

    def query(self, table, is_anonymous=False):
        query = Query(table)
        self.features = query.features
        query.is_star = self.chance(0.2)
        self.fill(query.rows, query.is_star)
        if is_anonymous and table.opening:
            for name in self.random.choice(table.opening):
                column = table.columns[name]
                many = [self.value(table, column) for _ in range(self.random.randint(1, 20))]
                leaf = Leaf(column, "in", many) if self.chance(0.7) else Leaf(column, "eq", many[0])
                query.rows.conditions.append(leaf)
                self.features.add(leaf.operator)
        for _ in range(self.random.choice([0, 0, 1, 1, 1, 2, 3])):
            query.rows.conditions.append(self.condition(table))
        if self.chance(0.6):
            query.rows.orders = [self.order(table) for _ in range(self.random.randint(1, 2))]
        if self.chance(0.45):
            for number in range(self.random.choice([1, 1, 2])):
                embedding = self.embedding(table, number)
                names = [each.name for each in query.embeddings] + [name for _, name in query.rows.columns]
                if embedding and embedding.name not in names:
                    query.embeddings.append(embedding)
        self.page(query)
        return query

    def page(self, query):
        """Draws the page and the kind of answer."""
        rows = query.rows
        if self.chance(0.5) or query.embeddings:
            rows.limit = self.random.choice([0, 1, 1, 5, 20, 20, 50])
            rows.offset = self.random.choice([0, 1, 3, 10, 40]) if rows.limit and self.chance(0.4) else None
            query.features.add("limit" if rows.offset is None else "limit and offset")
            query.window = rows.offset or 0, rows.limit
        elif self.chance(0.3):
            start, length = self.random.choice([0, 0, 1, 10, 30]), self.random.randint(1, 30)
            query.headers.update({"Range-Unit": "items", "Range": f"{start}-{start + length - 1}"})
            query.features.add("Range")
            query.window = start, length
        else:
            query.window = 0, MOST
        kind = self.random.random()
        if kind < 0.25:
            query.counts = True
            query.headers["Prefer"] = "count=exact"
            query.features.add("count")
            if self.chance(0.3):
                query.method = "HEAD"
                query.features.add("HEAD")
        elif kind < 0.32:
            query.is_single = True
            query.headers["Accept"] = "application/vnd.pgrst.object+json"
            query.features.add("single object")
        elif kind < 0.35:
            query.method = "HEAD"
            query.features.add("HEAD")
