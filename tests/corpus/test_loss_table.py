"""The loss table: the file is what expresses.json yields, and says what is known of the formats."""

from __future__ import annotations

import copy
from itertools import permutations
from typing import Any

import pytest

from toolcall_conformance.basics.jsonvalue import parse
from toolcall_conformance.library import Corpus, default_root
from toolcall_conformance.library.loss_table import WAYS, demands, pairs, table

ROOT = default_root()
FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
LOOSER = ("must", "may", "cannot")


def names(table: dict[str, Any], pair: str, where: str, demand: str) -> set[str]:
    """What is lost whatever its value: a limit concerns some values only."""
    rows = table["pairs"][pair][where]
    return {loss["element"] for loss in rows if loss["demand"] == demand and "limit" not in loss}


@pytest.fixture(scope="module")
def file() -> dict[str, Any]:
    content: dict[str, Any] = parse((ROOT / "translation" / "losses.json").read_bytes())
    return content


def test_the_file_is_what_the_formats_yield(file: dict[str, Any], corpus: Corpus) -> None:
    """Red after a change of expresses.json: ``toolcall-conformance losses --json`` makes it again."""
    assert file == table(corpus)


def test_a_change_of_expresses_changes_the_table(corpus: Corpus) -> None:
    other = Corpus(ROOT)
    changed = copy.deepcopy(other._format_files.expresses)
    changed["openai_chat"]["error-mark"]["how"] = "no"
    other._format_files.__dict__["expresses"] = changed
    assert "error-mark" in names(table(other), "anthropic-to-openai_chat", "request", "cannot")
    assert "error-mark" in names(table(corpus), "anthropic-to-openai_chat", "request", "may")


def test_there_are_twelve_pairs(file: dict[str, Any], corpus: Corpus) -> None:
    assert set(file["pairs"]) == {f"{client}-to-{upstream}" for client, upstream in permutations(FORMATS, 2)}
    assert set(pairs(corpus)) == set(file["pairs"])


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_speaks_of_every_element(name: str, corpus: Corpus) -> None:
    assert set(parse((ROOT / "formats" / name / "expresses.json").read_bytes())["elements"]) == set(corpus.elements)


def test_exceptions_loosen_and_speak_of_what_there_is(corpus: Corpus) -> None:
    for exception in corpus.exceptions:
        element = exception["element"]
        spoken = corpus.elements[element]["in"]
        assert {"loop": ["request", "reply"]}.get(exception["where"][0], [exception["where"][0]])[0] in spoken
        for pair in exception["pairs"]:
            client, upstream = pair.split("-to-")
            ways = {corpus.expresses(client, element), corpus.expresses(upstream, element)}
            plain = "cannot" if "no" in ways else "may" if "convention" in ways else "must"
            assert LOOSER.index(exception["demand"]) >= LOOSER.index(plain), (element, pair)
            for where in exception["where"]:
                assert demands(corpus, where, client, upstream)[element] == exception["demand"]
    keys = [
        (exception["element"], where, pair)
        for exception in corpus.exceptions
        for where in exception["where"]
        for pair in exception["pairs"]
    ]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("pair", "where", "demand", "there", "not_there"),
    [
        # A mark that the client has and Chat has no key for: its words stay. It never has to come back.
        ("anthropic-to-openai_chat", "request", "may", {"error-mark", "result-image"}, {"signature"}),
        ("anthropic-to-openai_chat", "request", "cannot", {"text-between-calls", "top-k"}, {"error-mark", "stop"}),
        ("anthropic-to-openai_chat", "loop", "may", {"signature"}, {"error-mark", "text-between-calls"}),
        ("anthropic-to-gemini", "request", "cannot", {"parallel-flag", "tool-strict", "big-integers"}, {"error-mark"}),
        # A Chat client's settings go up only; what Gemini says between its calls and signs comes back through Chat.
        ("openai_chat-to-anthropic", "request", "cannot", {"metadata", "seed", "tool-custom"}, {"stop", "top-k"}),
        ("openai_chat-to-gemini", "loop", "cannot", {"text-between-calls"}, {"metadata", "big-integers", "signature"}),
        ("openai_chat-to-gemini", "loop", "may", {"signature", "call-id"}, {"text-between-calls"}),
        # Gemini's numbers are doubles: what Chat says exactly comes back rounded.
        ("gemini-to-openai_chat", "loop", "cannot", {"big-integers"}, {"parallel-flag"}),
        ("gemini-to-openai_chat", "request", "cannot", {"top-k"}, {"big-integers", "parallel-flag"}),
        ("openai_responses-to-anthropic", "reply", "cannot", {"finish-stop_sequence"}, {"finish-error", "usage-total"}),
        # A pause is said as the nearest word.
        ("openai_responses-to-anthropic", "reply", "may", {"finish-pause"}, {"finish-stop_sequence"}),
        ("anthropic-to-openai_responses", "reply", "cannot", {"usage-total", "finish-error"}, {"finish-pause"}),
        # Every provider signs for itself.
        ("gemini-to-anthropic", "request", "cannot", {"signature"}, {"reasoning-text", "tool-hosted"}),
    ],
)
def test_what_is_known_of_the_pairs(
    pair: str, where: str, demand: str, there: set[str], not_there: set[str], file: dict[str, Any]
) -> None:
    loss_names = names(file, pair, where, demand)
    assert there <= loss_names
    assert not not_there & loss_names


def test_media_types_that_the_other_end_does_not_take_are_lost(file: dict[str, Any]) -> None:
    """Gemini takes HEIC and sounds, Anthropic neither; what both take has no row."""

    def types(pair: str, element: str) -> list[str]:
        rows = [loss for loss in file["pairs"][pair]["request"] if loss["element"] == element and "types" in loss]
        assert all(loss["demand"] == "cannot" for loss in rows)
        return [mime for loss in rows for mime in loss["types"]]

    assert {"image/heic", "audio/*", "video/*"} <= set(types("gemini-to-anthropic", "media-user"))
    assert "image/png" not in types("gemini-to-anthropic", "media-user")
    assert types("anthropic-to-gemini", "result-image") == ["image/gif"]
    assert types("anthropic-to-openai_responses", "result-image") == []


def test_what_all_formats_say_natively_is_in_no_row(file: dict[str, Any]) -> None:
    rows = {loss["element"] for ways in file["pairs"].values() for where in WAYS for loss in ways[where]}
    assert not rows & {"call", "arguments", "result", "text", "tool-schema", "choice-named", "finish-tools", "system"}


def test_a_loop_loss_is_one_that_history_brings_back(file: dict[str, Any], corpus: Corpus) -> None:
    for ways in file["pairs"].values():
        for loss in ways["loop"]:
            assert set(corpus.elements[loss["element"]]["in"]) == {"request", "reply"}
        assert {loss["element"] for loss in ways["loop"]} <= {loss["element"] for loss in ways["reply"]}
