"""Where a recording has room for a secret: each carrier makes an exchange that holds one."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote


def interaction(**changes: Any) -> dict[str, Any]:
    """A recorded exchange in vcrpy's layout, with the places that a test fills."""
    request = {
        "uri": "https://api.example/v1/messages",
        "request_headers": {},
        "request_type": "application/json",
        "request": "{}",
        "response_headers": {},
        "response_type": "application/json",
        "response": "{}",
    } | changes
    return {
        "request": {
            "method": "POST",
            "uri": request["uri"],
            "headers": {"Content-Type": [request["request_type"]], **request["request_headers"]},
            "body": request["request"],
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"Content-Type": [request["response_type"]], **request["response_headers"]},
            "body": {"string": request["response"]},
        },
    }


def deltas(texts: list[str]) -> str:
    """A stream whose events each add a text to block 0, with another block between them."""

    def event(index: int, text: str) -> str:
        data = {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}}
        return f"event: content_block_delta\ndata: {json.dumps(data)}\n\n"

    return "".join(event(0, text) + event(1, "other") for text in texts)


def part(name: str, content: str) -> str:
    """A body of one part, in multipart/form-data with the boundary ``b0``."""
    return f'--b0\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{content}\r\n--b0--\r\n'


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def escape(text: str) -> str:
    return "".join(f"\\u{ord(letter):04x}" for letter in text)


def encode_base64(text: str, before: str = "") -> str:
    return base64.b64encode((before + text).encode()).decode()


#: Where a secret of known looks is planted.
PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "request header": lambda secret: interaction(request_headers={"X-Any": [secret]}),
    "reply header": lambda secret: interaction(response_headers={"X-Any": [f"a {secret}"], "Retry-After": [secret]}),
    "query": lambda secret: interaction(uri=f"https://api.example/v1?q={quote(secret, safe='')}&alt=sse"),
    "path": lambda secret: interaction(uri=f"https://api.example/v1/{quote(secret, safe='')}/x"),
    "JSON value": lambda secret: interaction(response=json.dumps({"a": [{"text": f"it is {secret}, keep it"}]})),
    "JSON name": lambda secret: interaction(request=json.dumps({"a": {secret: 1}})),
    "JSON escapes": lambda secret: interaction(response=f'{{"a": "{escape(secret)}"}}'),
    "arguments": lambda secret: interaction(
        response=json.dumps({"arguments": json.dumps({"command": f"curl {secret}"})})
    ),
    "event": lambda secret: interaction(response_type="text/event-stream", response=deltas([f"It is {secret}."])),
    "comment of a stream": lambda secret: interaction(
        response_type="text/event-stream", response=f": {secret.splitlines()[0]}\n\ndata: {json.dumps(secret)}\n\n"
    ),
    "split events": lambda secret: interaction(
        response_type="text/event-stream", response=deltas(["It is ", *pieces(secret, 5), "."])
    ),
    "multipart": lambda secret: interaction(
        request_type="multipart/form-data; boundary=b0", request=part("file", secret)
    ),
    "form": lambda secret: interaction(
        request_type="application/x-www-form-urlencoded", request=f"a=1&note={quote(secret, safe='')}"
    ),
    "error text": lambda secret: interaction(response_type="text/plain", response=f"wrong: {secret}\nsee the docs"),
    "base64": lambda secret: interaction(response=json.dumps({"data": encode_base64(secret, "a ")})),
    "error body": lambda secret: interaction(
        response=json.dumps({"error": {"message": f"Incorrect API key provided: {secret}. See the docs.", "code": 401}})
    ),
    "data URL": lambda secret: interaction(
        request=json.dumps({"url": f"data:text/plain;base64,{encode_base64(secret)}"})
    ),
}
#: Where one is planted and packed.
PACKED: dict[str, Callable[[str], dict[str, Any]]] = {
    "gzip in base64": lambda secret: interaction(
        response=json.dumps({"data": base64.b64encode(gzip.compress(f"a {secret}\n".encode(), mtime=0)).decode()})
    ),
    "gzip": lambda secret: interaction(response=gzip.compress(json.dumps({"a": f"a {secret} b"}).encode(), mtime=0)),
}
#: Where one is planted that only its name tells.
NAMED_PLACES: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "request header": lambda name, secret: interaction(request_headers={name: [secret]}),
    "reply header": lambda name, secret: interaction(response_headers={name: [secret]}),
    "query": lambda name, secret: interaction(uri=f"https://api.example/v1?{name}={secret}&alt=sse"),
    "JSON value": lambda name, secret: interaction(response=json.dumps({"a": {name: secret, "b": 1}})),
    "arguments": lambda name, secret: interaction(response=json.dumps({"arguments": json.dumps({name: secret})})),
    "split events": lambda name, secret: interaction(
        response_type="text/event-stream",
        response=deltas([f'{{"{name}', f'": "{secret[:4]}', f'{secret[4:]}"}}']),
    ),
    "multipart": lambda name, secret: interaction(
        request_type='multipart/form-data; boundary="b0"', request=part(name, secret)
    ),
    "error text": lambda name, secret: interaction(response_type="text/plain", response=f"wrong {name}={secret} given"),
    "base64": lambda name, secret: interaction(
        response=json.dumps({"data": encode_base64(json.dumps({name: secret}))})
    ),
}
