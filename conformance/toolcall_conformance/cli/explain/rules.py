"""What ``explain`` says of a rule, with the smallest body that breaks it next to one that obeys it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics import streaming
from toolcall_conformance.basics.jsonstyle import dump
from toolcall_conformance.cli.explain.checked_places import file_parts
from toolcall_conformance.cli.explain.fragments import contrast, in_a_line, side_by_side
from toolcall_conformance.cli.explain.model import Explanation, Part, evidence_parts, known_failure, text_width
from toolcall_conformance.cli.explain.verdict_index import VerdictIndex, broken_rules, heading
from toolcall_conformance.library import Circumstance, Corpus, Rule
from toolcall_conformance.library.verdicts import Verdict, stream_bytes

_BOUND = {"provider": "bodies that a provider receives", "client": "bodies that a client receives"}
_MAX_EVIDENCE = 2
_MAX_INCIDENTS = 2
_TEXTS = ("breach", "why", "fix")


def explain_rule(
    corpus: Corpus,
    verdict_index: VerdictIndex,
    circumstances: Mapping[str, Circumstance],
    rule: Rule,
    *,
    columns: int,
    examples: bool = False,
    everything: bool = False,
) -> Explanation:
    """All that is known of a rule, with bodies that fit a terminal that is ``columns`` wide.

    ``examples``: with both bodies in full; ``everything``: all evidence and reports, not a few.
    """
    in_replies = rule.level_in("response")
    levels = rule.level if in_replies is rule.level else f"{rule.level}, in replies {in_replies}"
    # What users tell is evidence where there is no other, and else a report of the fault.
    harder = [piece for piece in rule.evidence if piece["kind"] != "issue"]
    parts = [
        Part("says", rule.sentence),
        Part("breach", rule.breach),
        *(Part("level", text) for text in _level_texts(corpus, circumstances, rule)),
        Part("binds", f"{_BOUND.get(rule.face, 'bodies in both directions')}; element: {rule.element}"),
        Part("why", rule.why),
        Part("fix", rule.fix),
        *_kinds(rule),
        *body_parts(verdict_index, rule, text_width(columns), everything=everything),
        *evidence_parts(harder or rule.evidence, None if everything else _MAX_EVIDENCE),
        *_incident_parts(
            verdict_index.incidents(rule.id), everything=everything, evidence=rule.evidence if harder else ()
        ),
        known_failure(rule.id, _items(corpus, rule)),
        *file_parts(corpus, rule, everything=everything),
    ]
    if examples:
        parts += [_example(rule, key) for key in ("breaks", "obeys")]
    elif "breaks" in rule.raw:
        parts.append(
            Part("more", "--examples prints a body that obeys it and one that breaks it; --all prints all evidence")
        )
    return Explanation(rule.id, "rule", f"({levels}, since {rule.since})", parts)


def _kinds(rule: Rule) -> Iterator[Part]:
    """The reasons and fixes of breaches that have another cause."""
    for kind in rule.raw.get("kinds", ()):
        text = " ".join([f"{kind['when']}:", *(kind[name] for name in ("why", "fix") if name in kind)])
        yield Part("fix", text, value={"when": kind["when"], **{k: kind[k] for k in _TEXTS if k in kind}})


def _level_texts(corpus: Corpus, circumstances: Mapping[str, Circumstance], rule: Rule) -> Iterator[str]:
    """What a finding of its level does to an item, and what lowers it."""
    advice = corpus.words.get("level", {}).get(rule.level, {}).get("next", "")
    yield f"{rule.level}: {advice.partition('. ')[0].removesuffix('.')}" if advice else str(rule.level)
    for circumstance in circumstances.values():
        if circumstance.rules is not None and rule.id in circumstance.rules:
            holds = f"{circumstance.explanation} (explain {circumstance.name})"
            yield f"at most {circumstance.at_most} where this holds: {holds}"


def _items(corpus: Corpus, rule: Rule) -> str:
    """The pattern of all items that may break a rule."""
    scope = rule.id.partition("/")[0]
    if scope == "otel":
        return "*::otel::*"
    if scope not in corpus.formats:
        return "*"
    return f"*-to-{scope}*" if rule.raw.get("direction") == "request" else f"*::{scope}-to-*"


def _incident_parts(
    incidents: list[tuple[str, str]], *, everything: bool, evidence: Sequence[Mapping[str, Any]]
) -> Iterator[Part]:
    """A few reports of such faults in real translators, or that the corpus names none.

    ``evidence`` is empty where all of it is reports, which are printed above.
    """
    notes_by_url = {
        piece["url"]: str(piece.get("note", "")) for piece in evidence if piece["kind"] == "issue" and "url" in piece
    }
    reports = [(note, url) for url, note in notes_by_url.items()] + [
        incident for incident in incidents if incident[1] not in notes_by_url
    ]
    if not reports:
        yield Part("seen", "the corpus names no report of it" if evidence else "the reports above")
    most = len(reports) if everything else min(len(reports), _MAX_INCIDENTS)
    before = ""
    for text, url in reports[:most]:
        yield Part("seen", url if text == before else f"{text} {url}".strip(), value={"what": text, "url": url})
        before = text
    if most < len(reports):
        yield Part("", f"and {len(reports) - most} more, with --all")


def _example(rule: Rule, key: str) -> Part:
    if key not in rule.raw:
        return Part(key, "no example")
    body: Mapping[str, Any] = rule.raw[key]
    return Part(key, "the whole example:", tuple(dump(body).rstrip("\n").split("\n")), value={"example": body})


_EVENTS = 2


def body_parts(verdict_index: VerdictIndex, rule: Rule, width: int, *, everything: bool) -> Iterator[Part]:
    """What breaks a rule and what obeys it, in lines of at most ``width`` characters; or why no body shows it.

    ``everything``: also the harmless body that comes nearest.
    """
    broken = [verdict for verdict in verdict_index.mutants(rule.id) if len(broken_rules(verdict)) == 1]
    harmless = verdict_index.harmless(rule.id)
    if "breaks" in rule.raw:
        yield from _pair(rule.raw["obeys"], rule.raw["breaks"], width)
        yield from (Part("mutant", heading(verdict), value=verdict["name"]) for verdict in broken[:1])
        yield from (
            Part("harmless", heading(verdict), value=verdict["name"]) for verdict in harmless[: int(everything)]
        )
        return
    yield Part("breaks", rule.raw.get("bodiless", "No body shows it."))
    streams = [
        [verdict for verdict in verdicts if verdict["direction"] == "stream"][:1] for verdicts in (broken, harmless)
    ]
    for name, verdicts in zip(("breaks", "obeys"), streams, strict=True):
        for verdict in verdicts:
            yield Part(name, f"{heading(verdict)}. The end of the output:", _end(verdict, width), value=verdict["name"])


def _end(verdict: Verdict, width: int) -> tuple[str, ...]:
    """The last events of a stream, a line each."""
    events = streaming.parse(stream_bytes(verdict["output"]))["events"][-_EVENTS:]
    return tuple(line for event in events for line in in_a_line(event.get("data"), width))


def _pair(obeys: Any, breaks: Any, width: int) -> Iterator[Part]:
    """What breaks a rule and what obeys it, at the place where its two examples differ."""
    where = ""
    if _output(obeys) == _output(breaks):  # the source alone tells whether this output is right
        obeys, breaks, where = obeys.get("source"), breaks.get("source"), "the source, "
    pair, good, bad = side_by_side(contrast(_output(obeys), _output(breaks)), width)
    place = f"at {where}{pair.pointer or 'the whole body'}"
    yield Part("breaks", place, bad, value={"pointer": pair.pointer, "value": pair.right})
    yield Part("obeys", "", good, value={"pointer": pair.pointer, "value": pair.left})


def _output(example: Any) -> Any:
    """The body of an example that shows something; of a pair it is what the translator made."""
    of_pair = isinstance(example, dict) and "output" in example and not example.keys().isdisjoint(("client", "format"))
    return example["output"] if of_pair else example
