"""Judging a request in the course of a conversation: does the provider get back what it said, and what was answered?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Judgement
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.reading import Reading, Result, Turn
from toolcall_conformance.remembered import Held, whole
from toolcall_conformance.rules.check import check_body
from toolcall_conformance.translation import calls, losses, results, returned, state, texts, tools
from toolcall_conformance.translation.pair import Pair, call_words
from toolcall_conformance.translation.stored import is_half


def judge_history(
    golden: Any,
    output: Any,
    *,
    client: str,
    upstream: str,
    request: Any = None,
    upstream_model: str | None = None,
    held: Held | None = None,
    stored: bool = False,
    corpus: Corpus | None = None,
) -> Judgement:
    """Judge the upstream request that a translator made of a client's request in a running conversation.

    ``golden`` is the request as a native client of the upstream's format would send it: the provider's own replies with
    their ids, names and opaque state, and the client's results. ``client`` is the format that everything had to pass
    through: what it cannot say is not demanded. ``request`` is the client's golden request, by whose words results are
    judged: never the one built from translated replies, whose ids may be what is wrong. ``held`` is what the provider
    remembers, by the id of its reply: a request may go on from there. ``stored``: the client's request left out what it
    had said before. Returns findings with pointers into ``output``.
    """
    corpus = corpus or load_corpus()
    before = formats.read(upstream, "request", golden)
    called: dict[str, int] = {}
    if request is not None:
        asked = formats.read(client, "request", request)
        called = {call.id: call.ordinal for call in asked.calls if call.id}
        before = _as_the_client_said(before, asked)
    read = whole(upstream, output, held or {})
    after = formats.read(upstream, "request", read.body)
    pair = Pair(corpus, before, after, through=client, said_in=client, called=called)
    if not isinstance(output, dict):
        pair.report("translation/target-format", "", got=output)
        return pair.judgement()
    own = check_body(corpus, upstream, "request", output, model=upstream_model)
    if read.unknown is not None:
        pair.report("translation/stored-reply-known", read.pointer or "", got=read.unknown)
        return pair.judgement(own)
    if stored and is_half(before, after):
        pair.report("translation/stored-history", "", want=_turns(before), got=_turns(after))
        return pair.judgement(own)
    tools.map_tools(pair)
    calls.compare_calls(pair)
    results.compare_results(pair)
    texts.compare_texts(pair)
    state.compare_media(pair)
    returned.compare_returned(pair)
    _compare_ids(pair)
    container = formats.get(upstream).client.CONTAINER
    pair.findings = [
        read.as_sent(finding, container) for finding in pair.findings if finding.rule != "translation/ids-kept"
    ]
    return pair.judgement(own, losses.met(pair, history=True))


def _turns(reading: Reading) -> str:
    count = sum(turn.side == "assistant" for turn in reading.turns)
    return f"{count} turn{'s' if count != 1 else ''} of the assistant"


def declared_names(golden: Any, output: Any, *, upstream: str, corpus: Corpus | None = None) -> Mapping[str, str]:
    """Under which names a translator declared the tools of the ``golden`` request: the golden's name to its own."""
    if upstream not in formats.names():
        return {}  # nobody can read which tools are declared
    before, after = (formats.read(upstream, "request", body) for body in (golden, output))
    pair = Pair(corpus or load_corpus(), before, after)
    tools.map_tools(pair)
    return pair.names


def _as_the_client_said(golden: Reading, asked: Reading) -> Reading:
    """The golden reading with what the client said: its results with their wrappers, media where it has them.

    Results keep the upstream's ids and names. The replies between are the provider's own and stay.
    """
    golden = replace(golden, system=asked.system)
    mine = {result.call: result for result in golden.results if result.call is not None}
    said, ours = _runs(asked), _runs(golden)
    if [run[0].side == "assistant" for run in said] != [run[0].side == "assistant" for run in ours]:
        return golden
    turns: list[Turn] = []
    for theirs, own in zip(said, ours, strict=True):
        if own[0].side == "assistant":
            turns += own
            continue
        for turn in theirs:
            items = [_relinked(item, mine) if isinstance(item, Result) else item for item in turn.items]
            turns.append(replace(turn, items=items))
    return replace(golden, turns=turns)


def _runs(reading: Reading) -> list[list[Turn]]:
    """The turns, grouped: the assistant's, then what the client said to them, and so on."""
    grouped = groupby(reading.turns, key=lambda turn: turn.side == "assistant")
    return [list(turns) for _, turns in grouped]


def _relinked(said: Result, mine: dict[int, Result]) -> Result:
    own = mine.get(said.call) if said.call is not None else None
    return said if own is None else replace(own, parts=said.parts, error=said.error)


def _compare_ids(pair: Pair) -> None:
    """The provider gets its own ids back: it made the calls, and may know them by nothing else."""
    source, output = pair.source.calls, pair.output.calls
    for left, right in sorted(pair.calls.items()):
        old, new = source[left], output[right]
        if old.id is not None and new.id is not None and old.id != new.id:
            pair.report(
                "translation/ids-returned",
                new.id_pointer or new.pointer,
                want=old.id,
                got=new.id,
                subject=call_words(old),
            )
