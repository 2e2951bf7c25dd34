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


def _is_apart(source: Any, output: Any) -> bool:
    ours = {id(holder) for holder in _holders(source)}
    return not any(id(holder) in ours for holder in _holders(output))


@pytest.mark.parametrize("client", FORMATS)
def test_bodies_are_the_callers(corpus: Corpus, client: str) -> None:
    pairs = 0
    for number, case in enumerate(corpus.cases.values()):
        upstream = FORMATS[(FORMATS.index(client) + 1 + number % 3) % 4]
        if not {client, upstream} <= set(case.formats):
            continue
        session = open_way(client, upstream)
        for exchange, answered in zip(case.exchanges(client), case.exchanges(upstream), strict=True):
            works = [(session.request, exchange.request), (session.response, answered.response)]
            for work, source in works:
                if source is None:
                    continue
                before = json.dumps(source)
                try:
                    output = work(source)
                except Refused:
                    continue
                assert json.dumps(source) == before, case.id
                assert _is_apart(source, output), case.id
                pairs += 1
    assert pairs > 200
