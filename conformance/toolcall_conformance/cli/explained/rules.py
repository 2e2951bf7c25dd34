"""What ``explain`` says of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.jsonstyle import dump
from toolcall_conformance.cli.explained.bodies import body_parts
from toolcall_conformance.cli.explained.doubles import Doubles
from toolcall_conformance.cli.explained.known import known
from toolcall_conformance.cli.explained.model import Explanation, Part, evidence_parts, room
from toolcall_conformance.library import Circumstance, Corpus, Rule

_BOUND = {"provider": "bodies that a provider receives", "client": "bodies that a client receives"}
_EVIDENCE = 2
_INCIDENTS = 2
_TEXTS = ("breach", "why", "fix")


def explain_rule(
    corpus: Corpus,
    doubles: Doubles,
    circumstances: Mapping[str, Circumstance],
    rule: Rule,
    *,
    columns: int,
    examples: bool = False,
    whole: bool = False,
) -> Explanation:
    """All that is known of a rule, with bodies that fit a terminal that is ``columns`` wide.

    ``examples``: with both bodies in full; ``whole``: all evidence and reports, not a few.
    """
    in_replies = rule.level_in("response")
    levels = rule.level if in_replies is rule.level else f"{rule.level}, in replies {in_replies}"
    # What users tell is evidence where there is no other, and else a report of the fault.
    harder = [piece for piece in rule.evidence if piece["kind"] != "issue"]
    parts = [
        Part("says", rule.sentence),
        Part("breach", rule.breach),
        *(Part("level", text) for text in _weight(corpus, circumstances, rule)),
        Part("binds", f"{_BOUND.get(rule.face, 'bodies in both directions')}; element: {rule.element}"),
        Part("why", rule.why),
        Part("fix", rule.fix),
        *_kinds(rule),
        *body_parts(doubles, rule, room(columns), whole=whole),
        *evidence_parts(harder or rule.evidence, None if whole else _EVIDENCE),
        *_seen(doubles.incidents(rule.id), whole=whole, evidence=rule.evidence if harder else ()),
        known(rule.id, _items(corpus, rule)),
    ]
    if examples:
        parts += [_example(rule, key) for key in ("breaks", "obeys")]
    elif "breaks" in rule.raw:
        parts.append(
            Part("more", "--examples prints a body that obeys it and one that breaks it; --all prints all evidence")
        )
    return Explanation(rule.id, "rule", f"({levels}, since {rule.since})", parts)


def _kinds(rule: Rule) -> Iterator[Part]:
    """What is said instead of breaches that have another cause."""
    for kind in rule.raw.get("kinds", ()):
        text = " ".join([f"{kind['when']}:", *(kind[name] for name in ("why", "fix") if name in kind)])
        yield Part("fix", text, value={"when": kind["when"], **{k: kind[k] for k in _TEXTS if k in kind}})


def _weight(corpus: Corpus, circumstances: Mapping[str, Circumstance], rule: Rule) -> Iterator[str]:
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


def _seen(incidents: list[tuple[str, str]], *, whole: bool, evidence: Sequence[Mapping[str, Any]]) -> Iterator[Part]:
    """Reports of such faults in real translators, a few of them, or a word that the corpus names none.

    ``evidence`` is empty where all of it is reports, and stands above.
    """
    own = {
        piece["url"]: str(piece.get("note", "")) for piece in evidence if piece["kind"] == "issue" and "url" in piece
    }
    reports = [(note, url) for url, note in own.items()] + [
        incident for incident in incidents if incident[1] not in own
    ]
    if not reports:
        yield Part("seen", "the corpus names no report of it" if evidence else "the reports above")
    most = len(reports) if whole else min(len(reports), _INCIDENTS)
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
