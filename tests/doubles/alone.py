"""What the judge says of a file of ``corpus/verdicts/`` alone, as a judge in another language would use it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from doubles.border import alone
from judging import judge, judge_history, judge_stream
from toolcall_conformance import formats
from toolcall_conformance.checks.streamed import reply_content
from toolcall_conformance.findings import Finding, Level
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reading import Opaque
from toolcall_conformance.streaming import dump, parse


def disagreement(path: Path) -> str:
    """How the judge's word differs from what the file says; empty if it does not."""
    content = json.loads(path.read_bytes())
    if "usual" in content:
        usual, output = (_said(content["client"], _stream(path, content[key])) for key in ("usual", "output"))
        right = content["expect"] == ["translation/stream-cuts"] and usual != output
        return "" if right else "both streams say the same"
    found = judged(path, content)
    must, should = ({each.rule for each in found if each.level is level} for level in (Level.MUST, Level.SHOULD))
    if content["expect"]:
        follows = content.get("follows", must)
        right = must & {*content["expect"]} and must <= {*content["expect"], *follows}
    elif content["kind"] == "warning":
        right = not must and should & {*content["may_warn"]}
    else:
        right = not must and should <= {*content["may_warn"]}
    return "" if right else f"its file alone: MUST {sorted(must)}, SHOULD {sorted(should)}"


def judged(path: Path, content: dict[str, Any]) -> Sequence[Finding]:
    """What the judge says of the body of a file, with the content that the file has."""
    ends = {key: content[key] for key in ("client", "upstream")}
    models = {key: content[key] for key in ("client_model", "upstream_model")}
    if "source" not in content:
        output = _stream(path, content["output"]) if content["direction"] == "stream" else content["output"]
        return alone(content["client"], content["direction"], output, models["client_model"])
    if content["direction"] == "stream":
        request = json.loads((load_corpus().root / content["request"]).read_bytes())
        source, output = _source(content), _stream(path, content["output"])
        return judge_stream(output, source=source, request=request, **ends, **models).findings
    source, output, request = content["source"], content["output"], content.get("request")
    if content["direction"] == "loop":
        stored, model = content["variant"].endswith(("stored", "referring")), content["upstream_model"]
        return judge_history(source, output, request=request, upstream_model=model, stored=stored, **ends).findings
    return judge(source, output, direction=content["direction"], request=request, **ends, **models).findings


def _source(content: dict[str, Any]) -> Any:
    """The provider's stream, as far as it came."""
    corpus = load_corpus()
    source = (corpus.root / content["source"]).read_bytes()[: content.get("source_bytes")]
    if content.get("source_then") == "error":
        source += dump([corpus.transports[content["upstream"]]["stream"]["error"]])
    return parse(source)


def _stream(path: Path, name: str) -> dict[str, Any]:
    return parse(path.with_name(name).read_bytes())


def _said(client: str, stream: dict[str, Any]) -> dict[str, Any]:
    """What a client is told, however it is cut, and the state that it is given."""
    heard = formats.assembled(client, stream)
    reading = formats.read(client, "response", heard.body)
    state = [item.value for turn in reading.turns for item in turn.items if isinstance(item, Opaque)]
    return {**reply_content(reading), "end": heard.end, "state": state}
