"""Judging a request in the course of a conversation: does the provider get back what it said, and what was answered?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Finding
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.reading import Reading, Result
from toolcall_conformance.rules.check import check_body
from toolcall_conformance.translation import calls, results, state, texts, tools
from toolcall_conformance.translation.pair import Pair, call_words


def judge_history(
    golden: Any,
    output: Any,
    *,
    client: str,
    upstream: str,
    request: Any = None,
    upstream_model: str | None = None,
    corpus: Corpus | None = None,
) -> tuple[Finding, ...]:
    """Judge the upstream request that a translator made of a client's request in a running conversation.

    ``golden`` is the request as a native client of the upstream's format would send it: the provider's own replies with
    their ids, names and opaque state, and the client's results. ``client`` is the format that everything had to pass
    through: what it cannot say is not demanded. ``request`` is the client's golden request, by whose words results are
    judged: never the one built from translated replies, whose ids may be what is wrong. Returns findings with pointers
    into ``output``.
    """
    corpus = corpus or load_corpus()
    before = formats.read(upstream, "request", golden)
    if request is not None:
        _as_the_client_said(before, formats.read(client, "request", request))
    after = formats.read(upstream, "request", output)
    pair = Pair(corpus, before, after, through=client)
    if not isinstance(output, dict):
        pair.report("translation/target-format", "", got=output)
        return tuple(pair.findings)
    own = check_body(corpus, upstream, "request", output, model=upstream_model, reading=after)
    tools.map_tools(pair)
    calls.compare_calls(pair)
    results.compare_results(pair)
    texts.compare_texts(pair)
    state.compare_media(pair)
    state.compare_opaque(pair)
    _compare_ids(pair)
    return tuple(own + [finding for finding in pair.findings if finding.rule != "translation/ids-kept"])


def _as_the_client_said(golden: Reading, asked: Reading) -> None:
    """Put the results as the client gave them into the golden reading: with its own wrappers and marks of failure."""
    given = {result.call: result for result in asked.results if result.call is not None}
    for turn in golden.turns:
        turn.items = [
            replace(item, parts=given[item.call].parts, error=given[item.call].error)
            if isinstance(item, Result) and item.call in given
            else item
            for item in turn.items
        ]


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
