"""Each operator does what its sentence says, once."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.operators.catalogue import OPERATORS, Unfit, apply_operator
from toolcall_conformance.trust.table import MutationTable

BODY: dict[str, Any] = {
    "turns": [
        {"role": "user", "parts": [{"text": "abcd"}, {"text": "ef", "mark": True}]},
        {"role": "model", "parts": [{"text": "gh"}, {"call_id": "x1", "json": '{"a": 1, "b": [2]}'}]},
        {"role": "user", "parts": [{"text": "ij"}]},
    ],
    "count": 7,
    "rate": 7,
    "on": True,
    "notes": [{"say": "go there"}],
    "exchanges": [
        {"request": {"history": ["a"], "n": 1}},
        {"request": {"history": ["a", "b"], "n": 2}},
    ],
}
DONOR = {
    "turns": [{"role": "user", "parts": [{"text": "kl"}]}],
    "count": 9,
    "exchanges": [{}, {"request": {"history": [], "n": 3}}],
}

ONE, TWO = (exchange["request"] for exchange in BODY["exchanges"])
EXCHANGED = [{"request": {**ONE, "n": 2}}, {"request": {**TWO, "n": 1}}]
LAST = {"text": "ef", "mark": True}
MARKED = {"role": "user", "mark": True}

#: The operator, the place of the fault, where to look, and what stands there then.
DOES: list[tuple[str, str, str, Any]] = [
    ("drop", "/count", "", {key: value for key, value in BODY.items() if key != "count"}),
    ("duplicate", "/turns/0/parts/0", "/turns/0/parts", [{"text": "abcd"}, *BODY["turns"][0]["parts"]]),
    ("repeat", "/turns/0/parts/0", "/turns/0/parts", [*BODY["turns"][0]["parts"], {"text": "abcd"}]),
    ("swap", "/turns/0", "/turns", [BODY["turns"][1], BODY["turns"][0], BODY["turns"][2]]),
    ("swap-values", "/turns/1/parts/1/call_id", "/turns/1/parts/1", {"call_id": '{"a": 1, "b": [2]}', "json": "x1"}),
    ("move-to-end", "/turns/0", "/turns", [BODY["turns"][1], BODY["turns"][2], BODY["turns"][0]]),
    ("move-over", "/turns/0/parts/1", "/turns/1/parts/2", {"text": "ef", "mark": True}),
    ("move-up", "/turns/0/parts/1/mark", "/turns/0", {**MARKED, "parts": [{"text": "abcd"}, {"text": "ef"}]}),
    ("forget-before", "/turns/2", "/turns", [BODY["turns"][2]]),
    ("rename", "/turns/0/parts/1/text", "/turns/0/parts/1", {"text_": "ef", "mark": True}),
    ("respell", "/turns/1/parts/1/call_id", "/turns/1/parts/1", {"callId": "x1", "json": '{"a": 1, "b": [2]}'}),
    ("to-null", "/count", "/count", None),
    ("to-text", "/count", "/count", "7"),
    ("to-number", "/turns/0/parts/0/text", "/turns/0/parts/0/text", 4),
    ("to-list", "/count", "/count", [7]),
    ("to-entry", "/turns/2/parts", "/turns/2/parts", {"text": "ij"}),
    ("to-object", "/count", "/count", {"value": 7}),
    ("empty", "/turns", "/turns", []),
    ("blank", "/turns/0/role", "/turns/0/role", " "),
    ("truncate", "/turns/0/parts/0/text", "/turns/0/parts/0/text", "ab"),
    ("change-last", "/turns/0/parts/0/text", "/turns/0/parts/0/text", "abcx"),
    ("capitals", "/turns/0/role", "/turns/0/role", "USER"),
    ("flip", "/on", "/on", False),
    ("plus-one", "/count", "/count", 8),
    ("minus-one", "/count", "/count", 6),
    ("to-zero", "/count", "/count", 0),
    ("merge", "/turns/0/parts/0", "/turns/0/parts", [{"text": "abcdef", "mark": True}]),
    ("merge-texts", "/turns/0/parts/0", "/turns/0/parts", [{"text": "abcdef"}]),
    ("split-text", "/notes/0", "/notes", [{"say": "go "}, {"say": "there"}]),
    ("split-word", "/turns/0/parts/0", "/turns/0/parts", [{"text": "ab"}, {"text": "cd"}, LAST]),
    ("split-list", "/turns/0", "/turns/1", {"role": "user", "parts": [{"text": "ef", "mark": True}]}),
    ("take-from-turn", "/turns/0/parts/0/text", "/turns/0/parts/0/text", "ef"),
    ("take-from-case", "/turns/0/parts/0/text", "/turns/0/parts/0/text", "kl"),
    ("exchange", "/turns/0/parts/0/text", "/turns/0/parts", [{"text": "ef"}, {"text": "abcd", "mark": True}]),
    ("json-drop", "/turns/1/parts/1/json", "/turns/1/parts/1/json", '{"a": 1}'),
    ("json-change", "/turns/1/parts/1/json", "/turns/1/parts/1/json", '{"a": 2, "b": [2]}'),
    ("json-rename", "/turns/1/parts/1/json", "/turns/1/parts/1/json", '{"a_": 1, "b": [2]}'),
    ("repeat-earlier", "/exchanges/1/request/n", "/exchanges/1/request/n", 1),
    ("exchange-with-next", "/exchanges/0/request/n", "/exchanges", EXCHANGED),
    ("take-from-session", "/exchanges/1/request/n", "/exchanges/1/request/n", 3),
    ("forget-earlier", "/exchanges/1/request/history", "/exchanges/1/request/history", ["b"]),
    ("add-earlier", "/exchanges/1/request/history", "/exchanges/1/request/history", ["a", "a", "b"]),
]  # fmt: skip

#: Places at which an operator has nothing to do.
UNFIT = [
    ("swap", "/turns/2"),
    ("move-to-end", "/turns/1"),
    ("move-over", "/turns/0"),
    ("move-up", "/count"),
    ("respell", "/count"),
    ("truncate", "/turns/2/parts"),
    ("take-from-turn", "/count"),
    ("take-from-case", "/rate"),
    ("merge-texts", "/turns/1/parts/0"),
    ("split-list", "/turns/2/parts/0"),
    ("json-drop", "/turns/0/role"),
    ("split-word", "/turns/1/parts/1"),
    ("repeat-earlier", "/exchanges/0/request/n"),
    ("repeat-earlier", "/exchanges/1"),
    ("exchange-with-next", "/exchanges/1/request/n"),
    ("take-from-session", "/exchanges/0/request/n"),
    ("forget-earlier", "/exchanges/0/request/history"),
]


def value_at(body: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        body = body[int(token) if isinstance(body, list) else token]
    return body


@pytest.mark.parametrize(("name", "pointer", "where", "becomes"), DOES, ids=[row[0] for row in DOES])
def test_an_operator_does_what_it_says(name: str, pointer: str, where: str, becomes: Any) -> None:
    before = deep_copy(BODY)
    result = apply_operator(name, BODY, pointer, DONOR)
    assert value_at(result, where) == becomes
    assert before == BODY, "it changed the body that it was given, and no copy"
    top = where.split("/")[1:2] or [pointer.split("/")[1]]
    assert {key: value for key, value in result.items() if key not in top} == {
        key: value for key, value in BODY.items() if key not in top
    }


@pytest.mark.parametrize(("name", "pointer"), UNFIT)
def test_an_operator_says_where_it_changes_nothing(name: str, pointer: str) -> None:
    with pytest.raises(Unfit):
        apply_operator(name, BODY, pointer, DONOR)


def test_every_operator_is_tried_and_in_the_table() -> None:
    names = {operator.name for operator in MutationTable(load_corpus()).operators}
    assert names == set(OPERATORS) == {row[0] for row in DOES}
