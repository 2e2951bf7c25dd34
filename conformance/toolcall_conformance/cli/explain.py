"""``toolcall-conformance explain``: what a rule, a case, a family or a term of the vocabulary means, and why."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.cli.common import UsageError, add_corpus, did_you_mean
from toolcall_conformance.cli.settings import Settings
from toolcall_conformance.equivalences import Equivalence
from toolcall_conformance.jsonstyle import written
from toolcall_conformance.library import Case, Circumstance, Corpus, Rule

_WIDTH = 100


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    parser = commands.add_parser(
        "explain", help="explain a rule, a case, a family, an equivalence, a circumstance, a feature or an element"
    )
    parser.add_argument(
        "id", metavar="ID", help="for example gemini/result-names-call, shell/seed, shell or text-beside-call"
    )
    parser.add_argument(
        "--examples", action="store_true", help="also print a body that obeys a rule and one that breaks it"
    )
    add_corpus(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the explanation of the id."""
    settings = Settings(parsed)
    corpus, command = settings.corpus(), _command(settings)
    # A node id stands for its case, so that one can paste what pytest prints.
    name = parsed.id.removeprefix("toolcall::").split("::")[0]
    explanations = list(_explain(corpus, name, command, examples=parsed.examples))
    if not explanations:
        vocabularies = (
            corpus.families,
            corpus.equivalences,
            corpus.circumstances,
            corpus.manifest["features"],
            corpus.elements,
        )
        known = {*corpus.rules, *corpus.cases, *(word for words in vocabularies for word in words)}
        advice = did_you_mean(name, known) or "; `toolcall-conformance list` shows what there is"
        raise UsageError(
            f"there is no rule, case, family, equivalence, circumstance, feature or element {name!r}{advice}"
        )
    print("\n\n".join(explanations))
    return 0


def _command(settings: Settings) -> str:
    """The beginning of the command that runs something; SPEC stands for a translator that no setting names."""
    words = settings.pytest("corpus")
    return words if settings.named("translator") else words.replace("pytest", "pytest --toolcall-translator SPEC", 1)


def _explain(corpus: Corpus, name: str, command: str, *, examples: bool) -> Iterator[str]:
    if name in corpus.rules:
        yield _rule(corpus.rules[name], examples=examples)
    if name in corpus.retired:
        now = corpus.retired[name]
        yield f"{name}  (former id; the rule is now {' and '.join(now)})"
        yield from (_rule(corpus.rule(rule_id), examples=examples) for rule_id in now)
    if name in corpus.cases:
        yield _case(corpus.cases[name], command)
    if name in corpus.families:
        yield _family(corpus, name, command)
    if name in corpus.equivalences:
        yield _equivalence(corpus.equivalences[name])
    if name in corpus.circumstances:
        yield _circumstance(corpus.circumstance(name))
    if name in corpus.manifest["features"]:
        cases = [case.id for case in corpus.cases.values() if name in case.features]
        yield _feature(name, corpus.manifest["features"][name]) + f"\n  cases     {', '.join(cases) or 'none'}"
    if name in corpus.elements:
        yield _element(corpus, name)


def _rule(rule: Rule, *, examples: bool) -> str:
    bound = {"provider": "bodies that go to a provider", "client": "bodies that go to a client"}
    in_replies = rule.level_in("response")
    levels = rule.level if in_replies is rule.level else f"{rule.level}, in replies {in_replies}"
    lines = [
        f"{rule.id}  ({levels}, since {rule.since})",
        _field("says", rule.sentence),
        _field("breach", rule.breach),
        _field("binds", f"{bound.get(rule.face, 'bodies in both directions')}; element: {rule.element}"),
        _field("why", rule.why),
        _field("fix", rule.fix),
    ]
    lines += [_field(piece["kind"], f"{piece['url']}  {piece.get('note', '')}".rstrip()) for piece in rule.evidence]
    if examples:
        for key in ("obeys", "breaks"):
            body = written(rule.raw.get(key))
            lines += [_field(key, "" if key in rule.raw else "no example"), textwrap.indent(body.rstrip("\n"), "    ")]
    elif "breaks" in rule.raw:
        lines.append(_field("more", "--examples prints a body that obeys it and one that breaks it"))
    return "\n".join(lines)


def _case(case: Case, command: str) -> str:
    counts = ", ".join(f"{name} ({len(case.exchanges(name))} exchanges)" for name in case.formats)
    lines = [
        f"{case.id}  {case.title}",
        _field("features", ", ".join(sorted(case.features))),
        _field("rendered", counts or "in no format yet"),
    ]
    lines += [
        _field("guards", f"{guard.get('class') or guard['shape']}  {guard['url']}")
        for guard in case.scenario.get("guards", ())
    ]
    if case.scenario.get("may_refuse"):
        lines.append(_field("may refuse", ", ".join(case.scenario["may_refuse"])))
    lines += [_line("files", str(case.path)), _line("run", f'{command} "toolcall::{case.id}"')]
    return "\n".join(lines)


def _family(corpus: Corpus, name: str, command: str) -> str:
    """What its cases are about, and their titles."""
    cases = [case for case in corpus.cases.values() if case.id.split("/")[0] == name]
    about = corpus.families[name]
    lines = [f"{name}  (family of {len(cases)} case{'s' if len(cases) != 1 else ''})"]
    lines += [_field("means", about)] if about else []
    lines += [_field("cases" if case is cases[0] else "", f"{case.id}  {case.title}") for case in cases]
    return "\n".join([*lines, _line("run", f'{command} "toolcall::{name}"')])


def _element(corpus: Corpus, name: str) -> str:
    """How each format expresses it; ``losses`` compares two formats."""
    element = corpus.elements[name]
    lines = [
        f"{name}  (element of {' and '.join(part + 's' for part in element['in']).replace('replys', 'replies')})",
        _field("means", element["explanation"]),
    ]
    for format_name in corpus.formats:
        said = corpus.expression(format_name, name)
        words = f"{format_name}: {said['how']}" + "".join(f", {said[key]}" for key in ("as", "note") if key in said)
        lines += [_field("said", words), _field("", said["url"])] if "url" in said else [_field("said", words)]
    lines += [
        _field(
            "but", f"{' and '.join(entry['where'])}, {', '.join(entry['pairs'])}: {entry['demand']}, {entry['reason']}"
        )
        for entry in corpus.exceptions
        if entry["element"] == name
    ]
    lines.append(_field("more", "toolcall-conformance losses CLIENT-to-UPSTREAM"))
    return "\n".join(lines)


def _feature(name: str, entry: Mapping[str, Any]) -> str:
    return "\n".join([f"{name}  (feature)", _field("means", entry["explanation"])])


def _equivalence(entry: Equivalence) -> str:
    """What the judge accepts, why, and the data that decide it."""
    lines = [f"{entry.name}  (equivalence, since {entry.since})", _field("means", entry.explanation)]
    lines += [_field(piece["kind"], f"{piece['url']}  {piece.get('note', '')}".rstrip()) for piece in entry.evidence]
    for kind, title in (("words", "words"), ("patterns", "pattern"), ("parameters", "bound")):
        lines += [_field(title, f"{name}: {said['meaning']}") for name, said in entry.raw.get(kind, {}).items()]
    lines.append(_field("files", f"corpus/equivalences/{entry.name}: what it accepts and what it still refuses"))
    return "\n".join(lines)


def _circumstance(entry: Circumstance) -> str:
    """When it holds, and which rules it lowers."""
    bearing = "all rules" if entry.rules is None else ", ".join(sorted(entry.rules))
    if entry.elements is not None:
        bearing += f", about {', '.join(sorted(entry.elements))}"
    lines = [
        f"{entry.name}  (circumstance, since {entry.since})",
        _field("holds", entry.explanation),
        _field("lowers", f"{bearing}: to {entry.at_most} at most"),
        _field("why", entry.why),
    ]
    lines += [
        _field(piece["kind"], f"{piece.get('url', '')}  {piece.get('note', '')}".strip()) for piece in entry.evidence
    ]
    return "\n".join(lines)


def _line(name: str, text: str) -> str:
    """A field that a user copies: a path or a command, in one line however long."""
    return f"  {name:<9} {text}"


def _field(name: str, text: str) -> str:
    wrapped = textwrap.wrap(text, _WIDTH - 12, break_long_words=False, break_on_hyphens=False) or [""]
    return "\n".join(f"  {name if index == 0 else '':<9} {line}".rstrip() for index, line in enumerate(wrapped))
