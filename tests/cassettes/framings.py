"""A stream's events in every framing that the standard allows, and a secret in its pieces: what no frame may hide."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from cassettes.carriers import pieces

Event = dict[str, Any]


def _event_line(event: Event) -> str:
    return f"event: {event['type']}\n" if "type" in event else ""


def _indented_data(event: Event) -> str:
    """The JSON over several lines, an element a line."""
    laid = json.dumps(event, indent=1)
    return "".join(f"data: {line}\n" for line in laid.split("\n"))


def _with_line_ends(end: str) -> Callable[[list[Event]], str]:
    return lambda events: frame_events(events).replace("\n", end)


def frame_events(events: list[Event]) -> str:
    return "".join(f"{_event_line(event)}data: {json.dumps(event)}\n\n" for event in events)


#: How the same events may be written; each is read as the same events.
FRAMINGS: dict[str, Callable[[list[Event]], str]] = {
    "LF": frame_events,
    "CRLF": _with_line_ends("\r\n"),
    "CR": _with_line_ends("\r"),
    "several data lines": lambda events: "".join(_indented_data(event) + "\n" for event in events),
    "several data lines, CR": lambda events: "".join(_indented_data(event) + "\n" for event in events).replace(
        "\n", "\r"
    ),
    "no blank behind the colon": lambda events: frame_events(events).replace("data: ", "data:"),
    "two blanks behind the colon": lambda events: frame_events(events).replace("data: ", "data:  "),
    "comments between lines": lambda events: frame_events(events).replace("data: ", ": ping\ndata: "),
    "an id behind the data": lambda events: re.sub(r"(data: .*\n)", r"\1id: 7\nretry: 10\n", frame_events(events)),
    "a byte order mark": lambda events: "\ufeff" + "".join(f"data: {json.dumps(event)}\n\n" for event in events),
    "no blank line at the end": lambda events: frame_events(events).rstrip("\n"),
    "several blank lines": lambda events: frame_events(events).replace("\n\n", "\n\n\n\r\n"),
}


def _block(index: int, text: str, kind: str = "text") -> Event:
    delta = {"type": f"{kind}_delta", "partial_json" if kind == "input_json" else kind: text}
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _chat(delta: Event, index: int = 0) -> Event:
    return {"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": index, "delta": delta}]}


def _chat_call_delta(arguments: str, index: int) -> Event:
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


def _part(text: str) -> Event:
    return {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]}


def _text_delta(text: str, item: str) -> Event:
    return {"type": "response.output_text.delta", "item_id": item, "output_index": 0, "content_index": 0, "delta": text}


#: Where a provider's stream has room for text that comes in pieces, another block between them where it has several.
CARRIERS: dict[str, Callable[[list[str]], list[Event]]] = {
    "Anthropic's text": lambda texts: [_block(0, text) for text in texts],
    "Anthropic's text, two blocks": lambda texts: [
        event for text in texts for event in (_block(0, text), _block(1, "other"))
    ],
    "Anthropic's input": lambda texts: [_block(1, text, "input_json") for text in texts],
    "Anthropic's thinking": lambda texts: [_block(0, text, "thinking") for text in texts],
    "Chat's text": lambda texts: [_chat({"content": text}) for text in texts],
    "Chat's arguments": lambda texts: [_chat(_chat_call_delta(text, 0)) for text in texts],
    "Chat's arguments, two calls": lambda texts: [
        event for text in texts for event in (_chat(_chat_call_delta(text, 0)), _chat(_chat_call_delta("{}", 1)))
    ],
    "Responses' text": lambda texts: [_text_delta(text, "m1") for text in texts],
    "Responses' text, two items": lambda texts: [
        event for text in texts for event in (_text_delta(text, "m1"), _text_delta("other", "m2"))
    ],
    "Gemini's text": lambda texts: [_part(text) for text in texts],
}

#: How a text is cut. The last three are cuts that no token has.
CUTS: dict[str, Callable[[str], list[str]]] = {
    "whole": lambda text: [text],
    "in halves": lambda text: [text[: len(text) // 2], text[len(text) // 2 :]],
    "of five": lambda text: pieces(text, 5),
    "of three": lambda text: pieces(text, 3),
    "of one": lambda text: pieces(text, 1),
    "after the first": lambda text: [text[0], text[1:]],
    "before the last": lambda text: [text[:-1], text[-1]],
}

#: A text that is no JSON, in lines or events of its own.
RAW: dict[str, Callable[[list[str]], str]] = {
    "a line each": lambda texts: "".join(f"data: {text}\n" for text in texts) + "\n",
    "a line each, CR": lambda texts: "".join(f"data: {text}\r" for text in texts) + "\r",
    "an event each": lambda texts: "".join(f"data: {text}\n\n" for text in texts),
    "a JSON text each": lambda texts: "".join(f"data: {json.dumps(text)}\n\n" for text in texts),
    "comments": lambda texts: "".join(f": {text}\n" for text in texts) + "\n",
    "lines that are no field": lambda texts: "".join(f"{text}\n" for text in texts) + "data: 1\n\n",
}
