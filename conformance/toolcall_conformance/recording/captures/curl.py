"""Reads what ``curl -v`` prints, with its command above it if somebody copied that as well."""

from __future__ import annotations

import itertools
import re
import shlex
from typing import Any

from toolcall_conformance.recording.captures.exchanges import Capture, CapturedExchange, body_of

_REQUEST_LINE = re.compile(r"^> (?:POST|PUT) (\S+) HTTP/[\d.]+", re.MULTILINE)
_STATUS_LINE = re.compile(r"^< HTTP/[\d.]+ (\d{3})", re.MULTILINE)
_NOISE = re.compile(r"^(?:[*<>{}] ?|[<>]$|\} \[|\{ \[|  % Total|\s+Dload|\s*\d+ +\d+[kM]? +\d+ .*|100 .*)")
_NEXT = re.compile(r"^\s*(?:\$ )?curl\b", re.MULTILINE)
_BODY_OPTIONS = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json")


_PROGRESS = re.compile(
    r"\r?[ ]*\d+(?: +[\d.]+[kMGTP]?){5,8}(?: +(?:--:--:--|\d+:\d\d:\d\d)){3} +[\d.]+[kMGTP]?[ ]*\n?(?=[\r*<>{}\n]|\Z)"
)
_CONNECTION_LINE = re.compile(r"\* (?:Connection #\d+ to host|Closing connection)[^\n]*\n")
"""What curl writes between two pieces of a body, wherever a line of it is."""


def is_curl(text: str) -> bool:
    """Whether a text is of ``curl -v``."""
    return bool(_REQUEST_LINE.search(text) and _STATUS_LINE.search(text))


def read(text: str) -> Capture:
    """The exchanges in a text. ``curl -v`` shows no request's body: only the command has it."""
    text = _CONNECTION_LINE.sub("", _PROGRESS.sub("", text))
    starts = [match.start() for match in _REQUEST_LINE.finditer(text)]
    commands = [*_commands(text)]
    exchanges = []
    for number, (begin, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), 1):
        part = _NEXT.split(text[begin:end], maxsplit=1)[0]
        statuses = [*_STATUS_LINE.finditer(part)]
        body = _body(part[statuses[-1].end() :]) if statuses else ""
        streamed = body.lstrip().startswith(("data:", "event:", ":"))
        request_line = _REQUEST_LINE.match(part)
        assert request_line is not None
        exchanges.append(
            CapturedExchange(
                f"request {number}",
                commands[number - 1] if number <= len(commands) else None,
                None if streamed else body_of(body),
                body.encode() if streamed else None,
                request_line[1],
                int(statuses[-1][1]) if statuses else None,
            )
        )
    return Capture("curl's output", exchanges)


def _body(text: str) -> str:
    """The text after the headers of a reply, without curl's own lines."""
    lines = text.split("\n")
    while lines and lines[0].startswith(("< ", "<\r", "<")):
        lines.pop(0)
    body_lines = [
        line
        for line in lines[1:]
        if not _NOISE.match(line) or (line.lstrip()[:1] in ("{", "}") and not line.startswith(("{ [", "} [")))
    ]
    return "\n".join(body_lines).strip("\r\n") + "\n\n"


def _commands(text: str) -> Any:
    """The JSON bodies of the curl commands in a text, in their order."""
    for match in re.finditer(r"^\s*(?:\$ )?curl\b(?:.*\\\n)*.*(?:\n(?![*>]).*)*", text, re.MULTILINE):
        try:
            words = shlex.split(match[0].replace("\\\n", " "))
        except ValueError:
            continue
        for option, value in itertools.pairwise(words):
            if option in _BODY_OPTIONS and isinstance(body := body_of(value), dict):
                yield body
                break
