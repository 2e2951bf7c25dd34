"""Every harmless change of the verdicts is reported somewhere: none passes silently.

The judge lists it among the tolerated differences, or among the losses that the loss table allows, or says a NOTE or
SHOULD of it. If it does none of that, the change has changed nothing: as JSON the output is what the reference makes
(of streams: the replies that they assemble to). Or it has taken a difference back: then that of the reference is
reported. A body that the reference may refuse has nothing to be compared with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from corpus_judge import judge
from doubles.verdict_judge import judge_instead, received_source
from every import every
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts, whole_verdict
from toolcall_reference import ReferenceTranslator, Refused

CORPUS = load_corpus()


def harmless() -> Iterator[Mapping[str, Any]]:
    """The verdicts of harmless changes, but for those of an output that is on its own."""
    return (verdict for verdict in read_verdicts(CORPUS.root) if verdict["kind"] == "harmless" and "source" in verdict)


def judge_output(whole: Mapping[str, Any], output: Any) -> list[Judgement]:
    """The judgements of an output; of a request in a loop with the earlier turns, and on its own."""
    results = [judge_instead(whole, output, tolerated=True)]
    if whole["direction"] == "loop" and "request" in whole:
        keys = ("client", "upstream", "client_model", "upstream_model")
        results.append(judge(whole["request"], output, tolerated=True, **{key: whole[key] for key in keys}))
    assert {place.name for result in results for place in result.tolerated} <= CORPUS.equivalences.keys()
    return [result for result in results if result.findings or result.losses or result.tolerated]


def reference_output(whole: Mapping[str, Any]) -> Any:
    """What the reference makes of the source of a verdict; in a loop it makes the golden."""
    direction, source = whole["direction"], whole["source"]
    ends = Route(whole["client"], whole["upstream"], whole["client_model"], whole["upstream_model"])
    session = ReferenceTranslator().open(ends)
    if direction == "request":
        return session.request(source)
    if direction == "loop":
        return source
    if direction == "error":
        status, body, headers = session.error(source["status"], source["body"], source.get("headers") or {})
        return {"status": status, "headers": headers, "body": body}
    session.request(whole["request"])
    if direction == "response":
        return session.response(source)
    return b"".join(session.stream(iter([dump(received_source(whole)["events"])])))


def is_same_reply(whole: Mapping[str, Any], reference: Any) -> bool:
    """Whether an output is, as JSON, what the reference makes; of streams whether the replies are."""
    if whole["direction"] != "stream":
        return equal(whole["output"], reference)
    left, right = (formats.assemble(whole["client"], parse(stream)) for stream in (whole["output"], reference))
    return equal([left.body, left.end, left.error], [right.body, right.end, right.error])


@every("verdict", harmless(), id=lambda verdict: verdict["name"])
def test_a_harmless_change_is_reported(verdict: Mapping[str, Any]) -> None:
    whole = whole_verdict(CORPUS.root, verdict)
    if judge_output(whole, whole["output"]):
        return
    try:
        reference = reference_output(whole)
    except Refused:
        ends = Route(whole["client"], whole["upstream"], whole["client_model"], whole["upstream_model"])
        assert Judge(CORPUS).may_refuse(ends, whole["source"])
        return
    assert is_same_reply(whole, reference) or judge_output(whole, reference)


def test_all_directions_have_harmless_changes() -> None:
    assert Counter(verdict["direction"] for verdict in harmless()).keys() == {
        "request",
        "response",
        "error",
        "stream",
        "loop",
    }
