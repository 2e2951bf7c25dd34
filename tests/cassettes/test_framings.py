"""A known secret in every framing of a stream that our reader of replies accepts, in pieces: none is left, or the check
reports it.
"""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

from cassettes.carriers import interaction
from cassettes.framings import CARRIERS, CUTS, FRAMINGS, RAW, frame_events
from every import every
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.interactions import scrub
from toolcall_conformance.recording.cassettes.redaction.leaks import has_leak
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

KEY = "sk-test-Zq81hRk2mVw9LtB4xN7pYc3e"
NUMBER = "4071938264550172"
REDACTORS = {key: Redactor(Filters.default(), [key]) for key in (KEY, NUMBER)}


def streamed_interaction(text: str) -> dict[str, Any]:
    return interaction(response_type="text/event-stream", response=text)


def has_leaked(raw: dict[str, Any], key: str) -> bool:
    """Whether anything is left of a secret that a reader could put together."""
    recording = scrub(raw, REDACTORS[key])
    text = recording["response"]["body"]["string"]
    return has_leak(recording, [key]) or key[:10] in json.dumps(text) or key[10:] in json.dumps(text)


@every("framing", FRAMINGS, id=str)
def test_a_framing_is_read_as_the_same_events(framing: str) -> None:
    events = CARRIERS["Anthropic's text, two blocks"](["a", "b"])
    read = parse(FRAMINGS[framing](events).encode())
    data = [event["data"] for event in read["events"]]
    assert data == events or (data == events[:-1] and "rest" in read)


@every("framing, carrier", itertools.product(FRAMINGS, CARRIERS), id="{}, {}".format)
def test_a_key_in_pieces_is_redacted_and_would_be_reported(framing: str, carrier: str) -> None:
    # The cuts meet three framings; the other framings meet two cuts.
    cuts = (
        CUTS if framing in ("LF", "CR", "several data lines") else {cut: CUTS[cut] for cut in ("in halves", "of five")}
    )
    for cut, make in cuts.items():
        events = CARRIERS[carrier](["It is ", *make(KEY), ". Keep it."])
        raw = streamed_interaction(FRAMINGS[framing](events))
        assert has_leak(raw, [KEY]), cut
        assert not has_leaked(raw, KEY), cut
        stream = parse(scrub(raw, REDACTORS[KEY])["response"]["body"]["string"].encode())
        assert len(stream["events"]) == len(parse(FRAMINGS[framing](events).encode())["events"]), cut
        assert "Keep it." in json.dumps(stream), cut


@every("layout, cut", itertools.product(RAW, CUTS), id="{}, {}".format)
def test_a_text_that_is_no_json(layout: str, cut: str) -> None:
    for key in (KEY, NUMBER):
        raw = streamed_interaction(RAW[layout](CUTS[cut](key)))
        is_leaked = has_leak(raw, [key])
        if layout not in ("comments", "lines that are no field") or cut == "whole":
            assert not has_leaked(raw, key)
        assert is_leaked or cut == "of one" or (key == NUMBER and cut == "of three")


def test_a_stream_without_a_secret_stays_byte_for_byte() -> None:
    draw = random.Random(5)
    for framing, carrier in itertools.product(FRAMINGS.values(), CARRIERS.values()):
        words = ["".join(draw.choices("abcdefghij 0123456789", k=draw.randint(1, 6))) for _ in range(12)]
        raw = streamed_interaction(framing(carrier(words)))
        assert scrub(raw, REDACTORS[KEY])["response"] == raw["response"] | {
            "headers": {"content-type": ["text/event-stream"]}
        }
        assert not has_leak(raw, [KEY, NUMBER])


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("test1234", "a test of 1234 events"),
        ("2password", "the password is asked for"),
        ("admin_123_", "admin: rows 1, 2 and 3"),
        ("2026112312345", "2026-11-23"),
        ("k7Qx9ZpL2mVw8RtY", "k7Qx and, far away, 9ZpL" + " word" * 60 + " 2mVw, 8RtY"),
    ],
)
def test_what_only_looks_like_pieces_of_a_secret_is_none(secret: str, text: str) -> None:
    for raw in (
        streamed_interaction(frame_events(CARRIERS["Chat's text"]([text]))),
        interaction(response=json.dumps({"text": text})),
    ):
        assert not has_leak(raw, [secret])
        body = raw["response"]["body"]
        assert scrub(raw, Redactor(Filters.default(), [secret]))["response"]["body"] == body


def test_words_that_reveal_no_secret() -> None:
    """A password of words is found in a row, and not in prose that has the same letters."""
    raw = streamed_interaction(
        frame_events(CARRIERS["Chat's text"](["a correct", " horse, a", " battery", ": staple"]))
    )
    assert not has_leak(raw, ["correcthorse", "battery-staple"])
    assert has_leak(
        streamed_interaction(frame_events(CARRIERS["Chat's text"](["a correct", "horse is"]))), ["correcthorse"]
    )
