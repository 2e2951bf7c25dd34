"""The judge: one body, its translation, and what is wrong with it. Needs no golden, no translator and no pytest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.findings import Finding, Judgement
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.levels import weighed
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.rules.check import check_body
from toolcall_conformance.translation import (
    calls,
    identity,
    losses,
    outcome,
    results,
    settings,
    state,
    stored,
    texts,
    tools,
    upstream_errors,
)
from toolcall_conformance.translation.pair import Pair
from toolcall_conformance.translation.tolerances import note_tolerated

_HEADERS = frozenset({"headers"})


def judge(
    source: Any,
    output: Any,
    *,
    client: str,
    upstream: str,
    direction: str = "request",
    client_model: str | None = None,
    upstream_model: str | None = None,
    request: Any = None,
    upstream_request: Any = None,
    declared: Collection[str] = (),
    vendor: bool = False,
    captured: bool = False,
    tolerated: bool = False,
    corpus: Corpus | None = None,
) -> Judgement:
    """Judge what a translator made of a body.

    ``direction`` ``"request"``: ``source`` is the client's request (format ``client``), ``output`` what goes upstream.
    ``"response"``: ``source`` is the provider's reply (format ``upstream``), ``output`` what the client gets, and
    ``request`` the client's request of the same exchange and ``upstream_request`` what the translator made of it, if at
    hand: they tell which tools were renamed. ``"error"``: the provider's error and what the client gets, both
    ``{"status", "headers", "body"}``, where headers may be left out if nobody knows them. Models are those of the
    route, if known. ``vendor``: the reply comes from a compatible vendor with ways of its own, which a translator may
    mend even where both formats are one. ``declared`` are the elements that the translator itself says it lost.
    ``captured``: the bodies come from somebody's traffic, where a translator may have lent the place of one provider's
    state to another's. ``tolerated``: the judgement lists the accepted differences, too.

    Returns findings with pointers into ``output``, and the losses that it met. Raises LookupError for an unknown
    format; never for any JSON.
    """
    corpus = corpus or load_corpus()
    asking = direction == "request"
    source_format, output_format = (client, upstream) if asking else (upstream, client)
    source_model, output_model = (client_model, upstream_model) if asking else (upstream_model, client_model)
    before = formats.read(source_format, direction, source)
    after = formats.read(output_format, direction, output)
    pair = Pair(corpus, before, after, forced=_forced(client, request))
    pair.circumstances = [state.CAPTURED] if captured else []
    pair.tolerated = [] if tolerated else None
    if not asking and request is not None and upstream_request is not None:
        asked = formats.read(client, "request", request), formats.read(upstream, "request", upstream_request)
        pair.names = tools.renamed(Pair(corpus, *asked))
    if not isinstance(output, dict):
        pair.report("translation/target-format", "", f"the output is no JSON object but {_kind(output)}", got=output)
        return pair.judgement()
    if _came_back(pair, source, output, vendor=vendor):
        return Judgement()
    own = check_body(corpus, output_format, direction, output, model=output_model, reading=after)
    if direction == "error":
        return _judge_error(pair, source, output, own)
    if _other_format(pair, source, output, own):
        return pair.judgement()
    if source_format == output_format and not vendor:
        return _judge_identity(pair, source, output, own)
    if any(not finding.is_note for finding in own):
        own = _excuse(
            corpus, own, check_body(corpus, source_format, direction, source, model=source_model, reading=before)
        )
    excused = stored.settle(pair) if before.stored else frozenset()
    compare(pair, output_model if asking else None)
    pair.findings = [finding for finding in pair.findings if finding.rule not in excused]
    state.find_foreign_keys(pair, own)
    note_tolerated(pair, source, output, own + pair.findings)
    return pair.judgement(own, losses.met(pair, declared))


def compare(pair: Pair, route_model: str | None) -> None:
    """Every comparison of two bodies of one direction; what they find is in ``pair.findings``."""
    if pair.is_request:
        twins = tools.map_tools(pair)
        calls.compare_calls(pair)
        results.compare_results(pair)
        texts.compare_texts(pair)
        tools.compare_tools(pair, twins, settings.chosen_names(pair.source))
        settings.compare_settings(pair, route_model)
    else:
        calls.compare_calls(pair)
        texts.compare_texts(pair)
        outcome.compare_finish(pair)
        outcome.compare_usage(pair)
    state.compare_media(pair)
    state.compare_opaque(pair)


def _came_back(pair: Pair, source: Any, output: dict[str, Any], *, vendor: bool) -> bool:
    """Whether a body came back in its own format as it was, the model aside: then there is nothing to say."""
    direction = pair.output.direction
    if pair.source.format != pair.output.format or direction == "error":
        return False
    if not any(key in output for key in pair.target["containers"][direction]):
        return False
    aside = frozenset() if vendor else _model_keys(pair)
    return equal(identity.without(source, aside), identity.without(output, aside))


def _model_keys(pair: Pair) -> frozenset[str]:
    return frozenset(pair.target.get("model_keys", ["model"]))


def _judge_identity(pair: Pair, source: Any, output: Any, own: list[Finding]) -> Judgement:
    """JSON equality, model aside, failed: the readings explain what they can."""
    aside = _model_keys(pair)
    compare(pair, None)
    told = [finding.pointer for finding in pair.findings if finding.is_must and finding.pointer]
    pair.findings = [finding for finding in pair.findings if finding.is_must]
    plain = identity.differences(identity.without(source, aside), identity.without(output, aside))
    for count, (pointer, want, got) in enumerate(plain):
        if count == identity.MOST:
            break
        if not any(pointer == place or pointer.startswith(place + "/") for place in told):
            same = identity.says_the_same(
                want,
                got,
                pointer,
                pair.target.get("defaults", {}),
                reply=pair.output.direction == "response",
                generated=pair.target["generated_keys"],
                zeros=pair.target.get("omits_zeros", False),
            )
            rule = "translation/identity-spelling" if same else "translation/identity"
            pair.report(rule, pointer, want=want, got=got)
    note_tolerated(pair, source, output, own + pair.findings)
    return pair.judgement(own)


def _judge_error(pair: Pair, source: Any, output: dict[str, Any], own: list[Finding]) -> Judgement:
    """An error of the provider: its envelope, then what it says. Headers are never compared but for the wait."""
    if pair.source.format == pair.output.format:
        if equal(identity.without(source, _HEADERS), identity.without(output, _HEADERS)):
            upstream_errors.compare_wait(pair)
            return pair.judgement()
        upstream_errors.compare_errors(pair)
        told = {finding.pointer for finding in pair.findings if finding.is_must}
        for pointer, want, got in identity.differences(
            identity.without(source, _HEADERS), identity.without(output, _HEADERS)
        ):
            if pointer not in told:
                pair.report("translation/identity", pointer, want=want, got=got)
        return pair.judgement(own)
    if _other_envelope(pair, output, own):
        return pair.judgement()
    if any(not finding.is_note for finding in own):
        own = _excuse(
            pair.corpus, own, check_body(pair.corpus, pair.source.format, "error", source, reading=pair.source)
        )
    upstream_errors.compare_errors(pair)
    note_tolerated(pair, source, output, own + pair.findings)
    return pair.judgement(own)


def _other_envelope(pair: Pair, output: dict[str, Any], own: list[Finding]) -> bool:
    """Report, as one finding, an error that is without a fault in another format and not in the client's."""
    if not _faulty(own):
        return False
    fitting = [
        name
        for name in pair.corpus.formats
        if name != pair.output.format and not _faulty(check_body(pair.corpus, name, "error", output))
    ]
    if fitting:
        message = f"the error has the form of {' or '.join(fitting)}"
        pair.report("translation/target-format", "/body", message, want=pair.output.format, got=output.get("body"))
    return bool(fitting)


def _faulty(findings: list[Finding]) -> bool:
    return any(not finding.is_note for finding in findings)


def _forced(client: str, request: Any) -> bool | None:
    """Whether the request forced one function; None when there is no request to tell."""
    if request is None:
        return None
    setting = formats.read(client, "request", request).settings.get("tool_choice")
    return setting is not None and isinstance(setting.value, dict) and bool(setting.value.get("names"))


def _other_format(pair: Pair, source: Any, output: dict[str, Any], own: list[Finding]) -> bool:
    """Report, as one finding, an output that is not a body of the target format at all."""
    container = pair.target["containers"][pair.output.direction]
    unchanged = (
        pair.source.format != pair.output.format
        and any(finding.is_must for finding in own)
        and equal(identity.without(source, frozenset({"model"})), identity.without(output, frozenset({"model"})))
    )
    if not unchanged and any(key in output for key in container):
        return False
    guess = [
        name
        for name in pair.corpus.formats
        if name != pair.output.format
        and any(key in output for key in pair.corpus.format(name)["containers"][pair.output.direction])
    ]
    message = "the body went through unchanged" if unchanged else ""
    if not message:
        looks = f"; it looks like {' or '.join(guess)}" if guess else ""
        message = f"the body has no {' or '.join(map(repr, container))}{looks}"
    pair.report("translation/target-format", "", message, want=pair.output.format, got=sorted(output))
    return True


def _kind(value: Any) -> str:
    return {type(None): "null", bool: "a boolean", str: "a string", list: "an array"}.get(type(value), "a number")


def _excuse(corpus: Corpus, own: list[Finding], source: list[Finding]) -> list[Finding]:
    """What the source breaks already in its own format is only a note on the output, as often as it does."""
    broken = Counter(finding.element for finding in source if finding.is_must)
    excused = []
    for finding in own:
        if finding.is_must and broken[finding.element]:
            broken[finding.element] -= 1
            finding = weighed(corpus, finding, ["source-breaks-it"])
        excused.append(finding)
    return excused
