"""Checks, plain requests and pictures for the story with Supabase's client library."""
import json, struct, urllib.error, urllib.request, zlib

from postgrest.exceptions import APIError
from storage3.exceptions import StorageApiError


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def equal(value, wanted, what):
    check(value == wanted, f"{what}: {value!r}, not {wanted!r}")


def raises(code, perform, kind=APIError):
    """Checks that the library raises an error with this code."""
    try:
        answer = perform()
    except kind as error:
        found = error.code if kind is not StorageApiError else str(error.status)
        return check(found in (code if isinstance(code, tuple) else (code,)), f"{found} instead of {code}: {error}")
    raise AssertionError(f"{getattr(answer, 'data', answer)!r} instead of the error {code}")


def picture(side, shade):
    """Returns a PNG."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes([shade]) * 3 * side for _ in range(side))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def send(address, token, path, method="GET", body=None, **headers):
    """Sends a request without the library; returns the status and the answer."""
    request = urllib.request.Request(
        address + path, None if body is None else json.dumps(body).encode(), method=method, headers={
            "apikey": "public-key", "Authorization": "Bearer " + token, "Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read().decode()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        return error.code, json.loads(text) if text else None
