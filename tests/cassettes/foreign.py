"""Cassettes as other tools write them, made from exchanges on the fly."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml


@dataclass(frozen=True)
class ForeignExchange:
    """An exchange to be written: the request's JSON, and the bytes of the answer with their type."""

    url: str
    request: Any
    status: int
    content_type: str
    answer: bytes
    method: str = "POST"

    @property
    def request_text(self) -> str:
        return json.dumps(self.request, ensure_ascii=False)


Writer = Callable[[Sequence[ForeignExchange]], str]


def vcrpy_yaml(exchanges: Sequence[ForeignExchange]) -> str:
    return _yaml(_vcrpy_cassette(exchanges, str))


def vcrpy_json(exchanges: Sequence[ForeignExchange]) -> str:
    return json.dumps(_vcrpy_cassette(exchanges, str), indent=4) + "\n"


def vcrpy_yaml_gzipped(exchanges: Sequence[ForeignExchange]) -> str:
    """As vcrpy records without ``decode_compressed_response``: the bytes that were on the wire."""
    cassette = _vcrpy_cassette(exchanges, gzip.compress)
    for interaction in cassette["interactions"]:
        interaction["response"]["headers"]["Content-Encoding"] = ["gzip"]
    return _yaml(cassette)


def vcrpy_of_old_httpx(exchanges: Sequence[ForeignExchange]) -> str:
    """What vcrpy 2 to 5 kept of httpx: the text as ``content``, the status as a number."""
    cassette = _vcrpy_cassette(exchanges, str)
    for interaction in cassette["interactions"]:
        answered = interaction["response"]
        interaction["response"] = {
            "content": answered["body"]["string"],
            "headers": answered["headers"],
            "http_version": "HTTP/1.1",
            "status_code": answered["status"]["code"],
        }
    return _yaml(cassette)


def vcrpy_parsed(exchanges: Sequence[ForeignExchange]) -> str:
    """A serializer of a well-known agent framework: JSON bodies as data under ``parsed_body``."""
    cassette = _vcrpy_cassette(exchanges, str)
    for interaction in cassette["interactions"]:
        interaction["request"]["parsed_body"] = json.loads(interaction["request"].pop("body"))
        text = interaction["response"]["body"]["string"]
        if text.lstrip().startswith("{"):
            del interaction["response"]["body"]
            interaction["response"]["parsed_body"] = json.loads(text)
    return _yaml(cassette)


def ruby_yaml(exchanges: Sequence[ForeignExchange]) -> str:
    return _yaml(_ruby_cassette(exchanges))


def ruby_base64(exchanges: Sequence[ForeignExchange]) -> str:
    """With ``preserve_exact_body_bytes``: the answer in base64."""
    cassette = _ruby_cassette(exchanges)
    for interaction, exchange in zip(cassette["http_interactions"], exchanges, strict=True):
        interaction["response"]["body"] = {
            "encoding": "ASCII-8BIT",
            "base64_string": base64.encodebytes(exchange.answer).decode(),
        }
    return _yaml(cassette)


def ruby_binary(exchanges: Sequence[ForeignExchange]) -> str:
    """As Psych writes a text that is not ASCII and marked as binary: the tag ``!binary``."""
    lines = ["---", "http_interactions:"]
    for interaction, exchange in zip(_ruby_cassette(exchanges)["http_interactions"], exchanges, strict=True):
        interaction["response"]["body"] = {"encoding": "ASCII-8BIT", "string": "PLACE"}
        coded = base64.b64encode(exchange.answer).decode()
        text = _yaml([interaction]).replace("string: PLACE", f"string: !binary |-\n          {coded}")
        lines.append(text.rstrip())
    return "\n".join([*lines, "recorded_with: VCR 6.2.0", ""])


def ruby_json(exchanges: Sequence[ForeignExchange]) -> str:
    return json.dumps(_ruby_cassette(exchanges))


WRITERS: dict[str, Writer] = {
    writer.__name__: writer
    for writer in (
        vcrpy_yaml,
        vcrpy_json,
        vcrpy_yaml_gzipped,
        vcrpy_of_old_httpx,
        vcrpy_parsed,
        ruby_yaml,
        ruby_base64,
        ruby_binary,
        ruby_json,
    )
}


def _yaml(data: Any) -> str:
    text: str = yaml.dump(data, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), allow_unicode=True)
    return text


def _vcrpy_cassette(exchanges: Sequence[ForeignExchange], pack: Callable[[bytes], Any]) -> dict[str, Any]:
    return {
        "version": 1,
        "interactions": [
            {
                "request": {
                    "method": exchange.method,
                    "uri": exchange.url,
                    "body": exchange.request_text,
                    "headers": {"Content-Type": ["application/json"]},
                },
                "response": {
                    "status": {"code": exchange.status, "message": "OK"},
                    "headers": {"Content-Type": [exchange.content_type]},
                    "body": {"string": exchange.answer.decode() if pack is str else pack(exchange.answer)},
                },
            }
            for exchange in exchanges
        ],
    }


def _ruby_cassette(exchanges: Sequence[ForeignExchange]) -> dict[str, Any]:
    return {
        "http_interactions": [
            {
                "request": {
                    "method": exchange.method.lower(),
                    "uri": exchange.url,
                    "body": {"encoding": "UTF-8", "string": exchange.request_text},
                    "headers": {"Content-Type": ["application/json"]},
                },
                "response": {
                    "status": {"code": exchange.status, "message": "OK"},
                    "headers": {"Content-Type": [exchange.content_type]},
                    "body": {"encoding": "UTF-8", "string": exchange.answer.decode()},
                },
                "recorded_at": "Tue, 03 Jun 2025 10:11:12 GMT",
            }
            for exchange in exchanges
        ],
        "recorded_with": "VCR 6.2.0",
    }
