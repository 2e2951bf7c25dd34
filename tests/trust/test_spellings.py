"""Each way to spell something otherwise does what its sentence says, once."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.harmless.notations import REWRITERS, Notation
from toolcall_conformance.trust.harmless.variants import NotationTable, apply_variant, variants
from toolcall_conformance.trust.operators.spots import Unfit

BODY: dict[str, Any] = {
    "turns": [
        {"role": "user", "parts": [{"type": "text", "text": "ab cd"}, {"type": "result", "of": "x1", "n": 7}]},
        {"role": "user", "parts": [{"type": "text", "text": "ef"}]},
        {"role": "model", "parts": [{"type": "call", "id": "x1", "json": '{"a": 1, "b": "ü"}', "data": "+/8="}]},
    ],
    "mode": None,
    "kind": "STRING",
    "max_count": 3,
    "says": "hello",
    "said": [{"type": "text", "text": "hello"}],
}
EVENTS: dict[str, Any] = {
    "events": [
        {"event": "delta", "data": {"at": 0, "name": "n", "text": "ab", "parts": [1, 2], "end": None}},
        {"event": "delta", "data": {"at": 1, "text": "c", "parts": [3], "end": None}},
        {"event": "end", "data": {"at": 2, "text": "d", "end": "stop"}},
    ]
}


def texts(stream: Any) -> list[str]:
    return [event["data"].get("text") for event in stream["events"]]


def counts(stream: Any) -> list[int]:
    return [event["data"]["at"] for event in stream["events"]]


DELTA = {"text": "/data/text", "count": "/data/at"}

#: The operator, what its entry says, the choice, and what is true of the body then.
DOES: list[tuple[str, dict[str, Any], str, Any]] = [
    ("alike", {"paths": ["/mode"], "values": [None, "auto"], "absent": True}, "1", lambda b: b["mode"] == "auto"),
    ("alike", {"paths": ["/mode"], "values": [None, "auto"], "absent": True}, "absent", lambda b: "mode" not in b),
    ("alike", {"paths": ["/more"], "values": [[]], "absent": True}, "0", lambda b: b["more"] == []),
    ("order-members", {}, "reversed", lambda b: list(b) == list(BODY)[::-1]),
    ("order-members", {}, "sorted", lambda b: list(b) == sorted(BODY)),
    ("reverse-items", {"paths": ["/turns"]}, "", lambda b: b["turns"] == BODY["turns"][::-1]),
    (
        "reverse-run",
        {"paths": ["/turns"], "where": {"/role": "user"}},
        "",
        lambda b: b["turns"] == [BODY["turns"][1], BODY["turns"][0], BODY["turns"][2]],
    ),
    (
        "merge-items",
        {"paths": ["/turns"], "list": "parts"},
        "",
        lambda b: [len(turn["parts"]) for turn in b["turns"]] == [3, 1],
    ),
    (
        "split-item",
        {"paths": ["/turns/*"], "list": "parts"},
        "",
        lambda b: [[part["type"] for part in turn["parts"]] for turn in b["turns"][:2]] == [["text"], ["result"]],
    ),
    (
        "text-as-parts",
        {"paths": [""], "member": "says", "part": {"type": "text", "text": "$text"}},
        "",
        lambda b: b["says"] == BODY["said"],
    ),
    (
        "parts-as-text",
        {"paths": [""], "member": "said", "part": {"type": "text", "text": "$text"}},
        "",
        lambda b: b["said"] == "hello",
    ),
    (
        "split-part",
        {"paths": ["/turns/*/parts/*"], "text": "text", "plain": ["type", "text"]},
        "",
        lambda b: [part.get("text") for part in b["turns"][0]["parts"]] == ["ab", " cd", None],
    ),
    ("respell-json", {"paths": ["/turns/*/parts/*/json"]}, "compact", lambda b: call(b)["json"] == '{"a":1,"b":"ü"}'),
    ("respell-json", {"paths": ["/turns/*/parts/*/json"]}, "escaped", lambda b: "\\u00fc" in call(b)["json"]),
    ("as-float", {"paths": ["/max_count"]}, "", lambda b: repr(b["max_count"]) == "3.0"),
    ("as-digits", {"paths": ["/max_count"]}, "", lambda b: b["max_count"] == "3"),
    ("respell-base64", {"paths": ["/turns/*/parts/*/data"]}, "url-unpadded", lambda b: call(b)["data"] == "-_8"),
    ("respell-case", {"paths": ["/kind"]}, "lower", lambda b: b["kind"] == "string"),
    ("respell-keys", {"own": ["turns"]}, "camel", lambda b: b["maxCount"] == 3 and b["turns"] == BODY["turns"]),
    (
        "rename-ids",
        {"paths": ["/turns/*/parts/*/id", "/turns/*/parts/*/of"], "schemes": ["call_{n:03d}"]},
        "0",
        lambda b: call(b)["id"] == b["turns"][0]["parts"][1]["of"] == "call_001",
    ),
]

#: The same of streams; the operator applies at the first place that it finds.
STREAMS: list[tuple[str, dict[str, Any], str, Any]] = [
    ("split-delta", DELTA, "characters", lambda s: texts(s) == ["a", "b", "c", "d"] and counts(s) == [0, 1, 2, 3]),
    ("split-delta", DELTA, "empty-first", lambda s: texts(s) == ["", "ab", "", "c", "", "d"]),
    (
        "split-delta",
        {**DELTA, "once": ["/data/name"]},
        "halves",
        lambda s: ["name" in event["data"] for event in s["events"]] == [True, False, False, False],
    ),
    (
        "split-delta",
        {**DELTA, "meanwhile": {"/data/end": None}, "where": {"/event": "end"}},
        "empty-last",
        lambda s: [event["data"]["end"] for event in s["events"]] == [None, None, None, "stop"],
    ),
    ("merge-deltas", {**DELTA, "own": ["/data/name", "/data/parts"]}, "", lambda s: texts(s) == ["abc", "d"]),
    (
        "merge-chunks",
        {"list": "/data/parts"},
        "",
        lambda s: [event["data"].get("parts") for event in s["events"]] == [[1, 2, 3], None],
    ),
    (
        "split-chunk",
        {"list": "/data/parts"},
        "",
        lambda s: [event["data"].get("parts") for event in s["events"]] == [[1], [2], [3], None],
    ),
    (
        "insert-event",
        {"event": {"event": "ping", "data": {"at": 0}}, "count": "/data/at", "where": {"/data/at": 0}},
        "",
        lambda s: [event["event"] for event in s["events"]] == ["delta", "ping", "delta", "end"] and counts(s)[-1] == 3,
    ),
    ("insert-event", {"set": {"/data/text": ""}}, "", lambda s: texts(s) == ["ab", "", "c", "", "d"]),
]


def call(body: Any) -> Any:
    return body["turns"][2]["parts"][0]


def apply_spelling(operator: str, entry: dict[str, Any], choice: str, body: Any) -> Any:
    raw = {"name": "x", "operator": operator, "meaning": "X.", "formats": ["f"], "directions": ["request"], **entry}
    variant = next(
        variant for variant in variants(Notation.of(raw), body) if variant.everywhere and variant.site.choice == choice
    )
    return apply_variant(variant, body)


@pytest.mark.parametrize(
    ("operator", "entry", "choice", "holds"),
    DOES + STREAMS,
    ids=[f"{row[0]}-{row[2]}" for row in DOES + STREAMS],
)
def test_an_operator_does_what_it_says(operator: str, entry: dict[str, Any], choice: str, holds: Any) -> None:
    body = BODY if any(row[1] is entry for row in DOES) else EVENTS
    before = deep_copy(body)
    assert holds(apply_spelling(operator, entry, choice, body))
    assert body == before, "it changed the body that it was given, and no copy"


@pytest.mark.parametrize(
    "frame",
    ["crlf", "cr", "comments", "comments-inside", "no-space", "ids", "retry", "mark", "blank-lines", "lines"],
)
def test_the_events_are_the_same_in_other_lines(frame: str) -> None:
    from toolcall_conformance.basics.streaming.cuts import REFRAMINGS

    text = dump(EVENTS["events"]).decode()
    assert REFRAMINGS[frame](text) != text
    assert parse(REFRAMINGS[frame](text).encode())["events"] == EVENTS["events"]


def test_what_changes_nothing_is_no_variant() -> None:
    with pytest.raises(Unfit):
        apply_spelling("reverse-items", {"paths": ["/said"]}, "", BODY)


def test_every_operator_is_tried_and_every_entry_is_of_one() -> None:
    entries = NotationTable(load_corpus()).all
    assert set(REWRITERS) == {row[0] for row in DOES + STREAMS} | {"reframe"}
    assert {entry.operator for entry in entries} == set(REWRITERS)
    assert len({entry.name for entry in entries}) == len(entries)
