"""The same events in other lines: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from toolcall_conformance.streaming import dump, parse
from toolcall_conformance.trust.harmless.spelling import Site, Spelling, speller


def _indented(text: str) -> str:
    """Each event's JSON over several lines of data."""
    lines = []
    for line in text.split("\n"):
        data = line.removeprefix("data: ")
        if line.startswith("data: {"):
            lines += [
                f"data: {part}" for part in json.dumps(json.loads(data), indent=1, ensure_ascii=False).split("\n")
            ]
        else:
            lines.append(line)
    return "\n".join(lines)


def _data_first(text: str) -> str:
    blocks = text.split("\n\n")
    return "\n\n".join("\n".join(sorted(block.split("\n"))) for block in blocks)


FRAMES: dict[str, Callable[[str], str]] = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "cr": lambda text: text.replace("\n", "\r"),
    "comments": lambda text: ": keep-alive\n\n" + text.replace("\n\n", "\n\n: keep-alive\n\n"),
    "comments-inside": lambda text: text.replace("data: ", ": keep-alive\ndata: "),
    "no-space": lambda text: text.replace("data: ", "data:").replace("event: ", "event:"),
    "ids": lambda text: text.replace("data: ", "id: 7\ndata: "),
    "retry": lambda text: "retry: 3000\n\n" + text,
    "mark": lambda text: "\ufeff" + text,
    "blank-lines": lambda text: "\n" + text.replace("\n\n", "\n\n\n"),
    "lines": _indented,
    "data-first": _data_first,
}


def _choices(spelling: Spelling, _body: Any) -> Iterator[Site]:
    for choice in spelling.raw["frames"]:
        yield Site("", choice)


@speller(_choices)
def reframe(_spelling: Spelling, body: Any, site: Site) -> None:
    text = dump(body["events"]).decode()
    body.update(parse(FRAMES[site.choice](text).encode("utf-8", "backslashreplace")))
