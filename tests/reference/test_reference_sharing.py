"""What the reference is given stays as it is, and belongs to the caller: nothing that comes out is part of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from reference.reference_bodies import open_way
from toolcall_conformance.library import Corpus
from toolcall_reference import Refused

FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")


def _holders(value: Any) -> Iterator[Any]:
    """The objects and lists of a JSON value, itself among them."""
    if isinstance(value, (dict, list)):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _holders(inner)


def _is_apart(given: Any, made: Any) -> bool:
    ours = {id(one) for one in _holders(given)}
    return not any(id(one) in ours for one in _holders(made))


@pytest.mark.parametrize("client", FORMATS)
def test_bodies_are_the_callers(corpus: Corpus, client: str) -> None:
    pairs = 0
    for number, case in enumerate(corpus.cases.values()):
        upstream = FORMATS[(FORMATS.index(client) + 1 + number % 3) % 4]
        if not {client, upstream} <= set(case.formats):
            continue
        session = open_way(client, upstream)
        for asked, answered in zip(case.exchanges(client), case.exchanges(upstream), strict=True):
            works = [(session.request, asked.request), (session.response, answered.response)]
            for work, given in works:
                if given is None:
                    continue
                before = json.dumps(given)
                try:
                    made = work(given)
                except Refused:
                    continue
                assert json.dumps(given) == before, case.id
                assert _is_apart(given, made), case.id
                pairs += 1
    assert pairs > 200
