"""What the goldens have and no recorded reply of the provider has, and the other way round: printed, to be read.

A golden may show what was never recorded (a refusal, a failure); what all recorded replies have and some golden lacks,
or has alone in an ordinary reply, is a golden to mend.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

from formats.test_traffic import TRAFFIC, records
from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.replay.shapes import Member, ReplyPlaces, Shape

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")

#: What was wrong once: no recorded stream has these.
NEVER = {
    "openai_responses": ("response.completed/response/billing", "response.output_item.added/item/action"),
    "gemini": ("finish+part.text/candidates/*/finishMessage", "finish+part.text/candidates/*/avgLogprobs"),
}


def recorded_shape(corpus: Corpus, name: str, *, streamed: bool) -> Shape:
    shape = Shape(ReplyPlaces.of(corpus, name))
    for record in records(name):
        content = record.content
        if record.is_official(name) and streamed and content["sse"] and content["stream_format"] == "sse":
            shape.learn_stream(parse(content["sse"].encode("utf-8", "surrogatepass"))["events"])
        elif record.is_official(name) and not streamed and isinstance(content["response"], dict):
            shape.learn(content["response"])
    return shape


def golden_members(
    corpus: Corpus, name: str, places: ReplyPlaces, *, streamed: bool
) -> Iterator[tuple[str, str, Member]]:
    """Every member of every golden reply, or stream, with its case and its place."""
    for case in corpus.cases.values():
        for exchange in case.exchanges(name) if name in case.formats and name not in case.dialects else ():
            body: Any = exchange.response
            if streamed and exchange.stream_path is not None:
                events = parse(exchange.stream_path.read_bytes())["events"]
                yield from ((case.id, *member) for member in places.of_events(events))
            elif not streamed and body is not None:
                yield from ((case.id, *member) for member in places.of_body(body))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", formats.names())
def test_goldens_have_the_shape_of_what_was_recorded(name: str, streamed: bool, corpus: Corpus) -> None:
    recorded = recorded_shape(corpus, name, streamed=streamed)
    alone: dict[str, set[str]] = defaultdict(set)
    lacking: dict[str, set[str]] = defaultdict(set)
    objects: dict[tuple[str, str], tuple[str, set[str]]] = {}
    for case, place, member in golden_members(corpus, name, recorded.places, streamed=streamed):
        if member.type == "object":
            objects[case, member.pointer] = (place, set())
        above = case, member.pointer.rpartition("/")[0]
        if above in objects:
            objects[above][1].add(place)
        if place not in recorded.types and place.rpartition("/")[0] in recorded.types:
            alone[place].add(case)
    for (case, _), (place, members) in objects.items():
        for missing_place in recorded.always(place) - members:
            lacking[missing_place].add(case)
    for title, cases_by_place in (("only in goldens", alone), ("always recorded, but not in", lacking)):
        print(f"\n{name}, {'streams' if streamed else 'replies'}, {title}:")
        print(
            "\n".join(f"  {place}: {', '.join(sorted(cases)[:3])}" for place, cases in sorted(cases_by_place.items()))
        )
    assert recorded.types
    assert not {place for place in NEVER.get(name, ()) if streamed and place in alone}
