"""What the judge says of a verdict of ``corpus/verdicts/`` alone, as a judge in another language would use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus_judge import judge, judge_history, judge_stream
from doubles.border import judge_body
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement, Level
from toolcall_conformance.basics.reading import Opaque
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.checks.streams.exchange import reply_content
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import whole_verdict


def disagreement(verdict: Mapping[str, Any]) -> str:
    """How the judge's word differs from what a verdict says; empty if it does not."""
    if "usual" in verdict:
        whole = whole_verdict(load_corpus().root, verdict)
        usual, output = (_received_content(verdict["client"], parse(whole[key])) for key in ("usual", "output"))
        right = verdict["expect"] == ["translation/stream-cuts"] and usual != output
        return "" if right else "both streams say the same"
    findings = judge_verdict(verdict)
    must, should = ({each.rule for each in findings if each.level is level} for level in (Level.MUST, Level.SHOULD))
    if verdict["expect"]:
        follows = verdict.get("follows", must)
        right = must & {*verdict["expect"]} and must <= {*verdict["expect"], *follows}
    elif verdict["kind"] == "warning":
        right = not must and should & {*verdict["may_warn"]}
    else:
        right = not must and should <= {*verdict["may_warn"]}
    return "" if right else f"its verdict alone: MUST {sorted(must)}, SHOULD {sorted(should)}"


def judge_verdict(verdict: Mapping[str, Any]) -> Sequence[Finding]:
    """What the judge says of the output of a verdict, as its family's file says it."""
    whole = whole_verdict(load_corpus().root, verdict)
    if "source" not in whole:
        output = parse(whole["output"]) if whole["direction"] == "stream" else whole["output"]
        return judge_body(whole["client"], whole["direction"], output, whole["client_model"])
    return judge_instead(whole, whole["output"]).findings


def judge_instead(whole: Mapping[str, Any], output: Any, *, tolerated: bool = False) -> Judgement:
    """What the judge says of an output in the place of that of a verdict, whose bodies are there."""
    ends = {key: whole[key] for key in ("client", "upstream")}
    models = {key: whole[key] for key in ("client_model", "upstream_model")}
    more: dict[str, Any] = {**ends, "request": whole.get("request"), "tolerated": tolerated}
    if whole["direction"] == "stream":
        return judge_stream(parse(output), source=received_source(whole), **models, **more)
    if whole["direction"] == "loop":
        more["stored"] = whole["variant"].endswith(("stored", "referring"))
        return judge_history(whole["source"], output, upstream_model=whole["upstream_model"], **more)
    return judge(whole["source"], output, direction=whole["direction"], **models, **more)


def received_source(whole: Mapping[str, Any]) -> Any:
    """The provider's stream of a verdict, as far as it came."""
    source = whole["source"][: whole.get("source_bytes")]
    if whole.get("source_then") == "error":
        source += dump([load_corpus().transports[whole["upstream"]]["stream"]["error"]])
    return parse(source)


def _received_content(client: str, stream: dict[str, Any]) -> dict[str, Any]:
    """What a client receives, however it is cut, and its state."""
    assembled = formats.assemble(client, stream)
    reading = formats.read(client, "response", assembled.body)
    state = [item.value for turn in reading.turns for item in turn.items if isinstance(item, Opaque)]
    return {**reply_content(reading), "end": assembled.end, "state": state}
