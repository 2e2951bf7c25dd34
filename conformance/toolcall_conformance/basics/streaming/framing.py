"""The same events in other lines: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping


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


FRAMES: Mapping[str, Callable[[str], str]] = {
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
"""Each takes the text of a stream, and gives another whose events are the same."""
