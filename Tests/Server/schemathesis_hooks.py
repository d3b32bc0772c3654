"""The callers, and data that a schema cannot describe; `describe` uses this through schemathesis.toml.

EVENTLOG_KEY is the file with the secret that signs tokens; EVENTLOG_ROLE is `user` or `service`.
"""
import base64, hashlib, hmac, itertools, json, os, struct, time, zlib

import schemathesis
from hypothesis import strategies as st

USERS = ["alice", "bob", "lena", "erin", "chiara", "hana", "diego", "dog", "samir", "nils"]
IS_SERVICE = os.environ["EVENTLOG_ROLE"] == "service"
with open(os.environ["EVENTLOG_KEY"], "rb") as file:
    KEY = file.read()


def token(subject):
    """Returns a JSON Web Token, HS256."""

    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    claims = {"sub": subject, "exp": int(time.time()) + 3600}
    if IS_SERVICE:
        claims["role"] = "service"
    text = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    return (text + b"." + part(hmac.new(KEY, text, hashlib.sha256).digest())).decode()


@schemathesis.auth(refresh_interval=None)
class Caller:
    """Alice, unless one caller is not enough: DeleteAccount removes its caller, and a caller may have only a limited
    number of event streams."""

    numbers = itertools.count()

    def get(self, case, context):
        path = case.operation.path
        if path == "/v1/do/DeleteAccount":
            return token("kaya")
        if not path.startswith("/v1/updates/"):
            return token("importer" if IS_SERVICE else "alice")
        number = next(self.numbers)
        return token(f"importer-{number % 100}" if IS_SERVICE else USERS[number % len(USERS)])

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes each valid key unique, because generated keys are reused with other input, which the server only refuses."""
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and 0 < len(key) <= 200 and all("!" <= letter <= "~" for letter in key):
        case.headers["Idempotency-Key"] = f"{key}-{next(NUMBERS)}"


NUMBERS = itertools.count()

# The body of /v1/run and /v1/outbox, which schemathesis cannot make from a schema: lines of JSON, and invalid lines.
names = st.sampled_from(USERS + ["nobody"])
requests = st.one_of(
    st.builds(lambda user: {"do": "GetProfile", "with": {"user": user}}, names),
    st.builds(lambda user: {"do": "ToggleFollow", "with": {"followee": user}}, names),
    st.fixed_dictionaries(
        {"do": st.text(max_size=20)},
        optional={"as": names, "service": st.booleans(), "time": st.text(max_size=30), "with": st.just({})},
    ),
)
lines = st.lists(st.one_of(requests.map(json.dumps), st.text(max_size=40)), max_size=8)
schemathesis.openapi.media_type(
    "application/x-ndjson", lines.map(lambda lines: "\n".join(lines).encode("utf-8", "replace"))
)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# A pixel as PNG, which /v1/photo accepts as a body with any image type.
pixel = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(bytes(4)))
    + chunk(b"IEND", b"")
)
schemathesis.openapi.media_type("image/jpeg", st.one_of(st.just(pixel), st.binary(max_size=40)))
