"""What ``explain`` says of equivalences, circumstances, features, elements, formats and the words of runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcall_conformance.cli.explain.model import Explanation, Part, evidence_parts, known_failure, text_width
from toolcall_conformance.library import Circumstance, Corpus, read_json
from toolcall_conformance.library.equivalences import Equivalence
from toolcall_conformance.reports.causes.surroundings import surrounding_text

if TYPE_CHECKING:
    from toolcall_conformance.judge import Judge

_CASES = 12
_KINDS = {"verdict": "verdict", "level": "level", "loss": "word of losses", "check": "check", "variant": "variant"}


def explain_equivalence(corpus: Corpus, entry: Equivalence, columns: int) -> Explanation:
    """What the judge accepts, why, the data that decide it, and the smallest pair on each side.

    The lines around the places of the pairs fit a terminal that is ``columns`` wide.
    """
    parts = [Part("means", entry.explanation)]
    parts += [
        *_accepted_pair(corpus, entry, text_width(columns)),
        *_refused_pair(corpus, entry, text_width(columns)),
        *evidence_parts(entry.evidence, 3),
    ]
    for kind, title in (("words", "words"), ("patterns", "pattern"), ("parameters", "bound")):
        parts += [
            Part(title, f"{name}: {definition['meaning']}") for name, definition in entry.raw.get(kind, {}).items()
        ]
    parts += [
        Part("known", "nothing to enter: what it accepts is no finding; judge --tolerated lists it"),
        Part("files", f"corpus/equivalences/{entry.name}: what it accepts and what it still refuses"),
    ]
    return Explanation(entry.name, "equivalence", f"(equivalence, since {entry.since})", parts)


def _pairs(corpus: Corpus, name: str, side: str) -> list[tuple[Path, Mapping[str, Any]]]:
    """The pairs of a side, the smallest first; of what is accepted those that need it."""
    paths = sorted((corpus.root / "equivalences" / name / side).glob("*.json"), key=lambda path: path.stat().st_size)
    pairs = [(path, read_json(path)) for path in paths]
    return [(path, pair) for path, pair in pairs if pair.get("needed", True)]


def _accepted_pair(corpus: Corpus, entry: Equivalence, width: int) -> Iterator[Part]:
    from toolcall_conformance.judge import Judge

    for path, pair in _pairs(corpus, entry.name, "same"):
        judge = Judge(corpus, tolerated=True)
        places = [tolerance for tolerance in _judgement(judge, pair).tolerated if tolerance.name == entry.name]
        text = f"{pair['title']} (same/{path.name})"
        lines = _lines(pair, places[0].source_pointer, places[0].pointer, width) if places else ()
        yield Part("accepts", text, lines, value={"file": f"same/{path.name}", "title": pair["title"]})
        return
    yield Part("accepts", "no pair shows it")


def _refused_pair(corpus: Corpus, entry: Equivalence, width: int) -> Iterator[Part]:
    from toolcall_conformance.judge import Judge

    for path, pair in _pairs(corpus, entry.name, "different"):
        rules = pair.get("rules", ())
        findings = [finding for finding in _judgement(Judge(corpus), pair).findings if finding.rule in rules]
        text = f"{pair['title']} (different/{path.name}): {' and '.join(rules)}"
        lines = _lines(pair, findings[0].source_pointer, findings[0].pointer, width) if findings else ()
        value = {"file": f"different/{path.name}", "title": pair["title"], "rules": list(rules)}
        yield Part("refuses", text, lines, value=value)
        return
    yield Part("refuses", "no pair shows what is beyond it")


def _judgement(judge: Judge, pair: Mapping[str, Any]) -> Any:
    from toolcall_conformance.judge import Ends

    ends = Ends(pair["client"], pair["upstream"], None, pair.get("upstream_model"))
    return getattr(judge, pair["direction"])(pair["source"], pair["output"], ends)


def _lines(pair: Mapping[str, Any], source_pointer: str | None, pointer: str, width: int) -> tuple[str, ...]:
    """The values around a place in the source and in the output, a line each."""
    source = [] if source_pointer is None else [f"source  {surrounding_text(pair['source'], source_pointer)}"]
    lines = [*source, f"output  {surrounding_text(pair['output'], pointer)}"]
    return tuple(line if len(line) <= width else f"{line[: width - 2]} …" for line in lines)


def explain_circumstance(entry: Circumstance) -> Explanation:
    """When it holds, which rules it lowers, and what to do."""
    bearing = "all rules" if entry.rules is None else ", ".join(sorted(entry.rules))
    if entry.elements is not None:
        bearing += f", about {', '.join(sorted(entry.elements))}"
    if entry.forms:
        bearing += f"; of {', '.join(sorted(entry.forms))} only the forms that its file describes"
    parts = [
        Part("holds", entry.explanation),
        Part("lowers", f"{bearing}: to {entry.at_most} at most"),
        Part("why", entry.why),
        Part("next", entry.next),
        *evidence_parts(entry.evidence),
        Part("known", "nothing of its own: an entry names the finding's rule, whatever its level"),
    ]
    return Explanation(entry.name, "circumstance", f"(circumstance, since {entry.since})", parts)


def explain_feature(corpus: Corpus, name: str, command: str) -> Explanation:
    """What the cases that have it have in common, and how to run them."""
    cases = [case.id for case in corpus.cases.values() if name in case.features]
    case_list = (
        f"{', '.join(cases[:_CASES])} and {len(cases) - _CASES} more" if len(cases) > _CASES else ", ".join(cases)
    )
    entry = corpus.manifest["features"][name]
    parts = [Part("means", entry["explanation"])]
    if entry.get("remembered"):
        parts.append(Part("why", "a translator needs memory for it: its cases have more variants of agent_loop"))
    if entry.get("cut_finely"):
        parts.append(Part("why", "cuts can break it: its cases have more variants of stream"))
    if entry.get("streamed_at_once"):
        parts.append(Part("why", "two of its streams at once can mix: its cases have one more variant of stream"))
    parts += [
        Part("cases", case_list or "none", value=cases),
        Part("known", "an entry names items, not features: explain one of the cases"),
        Part("run", f'{command} toolcall:: -k "{name}"', copied=True),
    ]
    return Explanation(name, "feature", "(feature)", parts)


def explain_element(corpus: Corpus, name: str) -> Explanation:
    """How each format expresses it; ``losses`` compares two formats."""
    element = corpus.elements[name]
    where = " and ".join(part + "s" for part in element["in"]).replace("replys", "replies")
    parts = [Part("means", element["explanation"])]
    for format_name in corpus.formats:
        expression = corpus.expression(format_name, name)
        words = f"{format_name}: {expression['how']}" + "".join(
            f", {expression[key]}" for key in ("as", "note") if key in expression
        )
        parts.append(Part("said", words, value={"format": format_name, **expression}))
        parts += [Part("", expression["url"])] if "url" in expression else []
    for entry in corpus.exceptions:
        if entry["element"] == name:
            text = f"{' and '.join(entry['where'])}, {', '.join(entry['pairs'])}: {entry['demand']}, {entry['reason']}"
            parts.append(Part("but", text, value=dict(entry)))
    parts += [
        Part("known", "nothing to enter: what a format cannot express is a loss, and no finding; see explain cannot"),
        Part("more", "toolcall-conformance losses CLIENT-to-UPSTREAM"),
    ]
    return Explanation(name, "element", f"(element of {where})", parts)


def explain_format(corpus: Corpus, name: str, command: str) -> Explanation:
    """Which API a format is, where it is documented, and how to run what is about it."""
    raw = corpus.format(name)
    rules = [rule for rule in corpus.rules if rule.startswith(f"{name}/")]
    cases = sum(name in case.formats for case in corpus.cases.values())
    parts = [
        Part("means", f"the wire format of {raw['title']}, version {raw['api_version']}"),
        *(Part("doc", url) for url in raw["docs"]),
        Part("rules", f"{len(rules)}, as {', '.join(rules[:3])}: toolcall-conformance list rules", value=rules),
        Part("cases", f"{cases} are written in it"),
        known_failure("…", f"*-to-{name}*"),
        Part("run", f'{command} toolcall:: -k "to-{name}"', copied=True),
    ]
    return Explanation(name, "format", "(format)", parts)


def explain_word(kind: str, name: str, entry: Mapping[str, str], command: str) -> Explanation:
    """A word of runs and reports: what it means, why there is such a thing, and what to do."""
    parts = [Part("says", entry["says"]), Part("why", entry["why"]), Part("next", entry["next"])]
    if kind == "check":
        parts += _check_parts(name, command)
    if kind == "variant":
        parts += [known_failure("…", f"*-{name}"), Part("run", f'{command} toolcall:: -k "{name}"', copied=True)]
    return Explanation(name, kind, f"({_KINDS.get(kind, kind)})", parts)


def _check_parts(name: str, command: str) -> Iterator[Part]:
    """What a check needs of a translator, and how to run it; nothing for a check of recordings."""
    from toolcall_conformance.checks import CHECKS, OPERATIONS_BY_CHECK, VARIANTS_BY_CHECK

    if name in CHECKS:
        yield Part("needs", ", ".join(sorted(OPERATIONS_BY_CHECK[name])))
        if variants := [variant for variant in VARIANTS_BY_CHECK.get(name, ()) if variant]:
            yield Part("variants", ", ".join(variants))
        yield Part("run", f'{command} toolcall:: -k "check:{name}"', copied=True)
