"""What ``explain`` says of a case and of a family of cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcall_conformance.cli.explain.model import Explanation, Part, known_failure
from toolcall_conformance.cli.explain.verdict_index import VerdictIndex, broken_rules, heading
from toolcall_conformance.library import Case, Corpus

_RULES = 6
_CASES = 10
_REASONS = 3


def explain_case(verdict_index: VerdictIndex, case: Case, command: str) -> Explanation:
    """What a case is, which faults it is there for, and how to run it. ``command`` begins a pytest command."""
    counts = ", ".join(f"{name} ({_many(len(case.exchanges(name)), 'exchange')})" for name in case.formats)
    parts = [
        Part("says", case.title),
        Part("features", ", ".join(sorted(case.features))),
        Part("rendered", counts or "in no format yet"),
        *(Part("why", reason) for reason in _reasons(verdict_index, [case])),
        *_guards(case),
        *_breaks(verdict_index, case),
    ]
    if case.scenario.get("may_refuse"):
        parts.append(Part("may refuse", ", ".join(case.scenario["may_refuse"])))
    parts += [
        Part("fix", "an item that fails names its rule; explain RULE gives the usual cause and what to do"),
        known_failure("…", case.id),
        Part("files", str(case.files.place), copied=True),
        Part("run", f'{command} "toolcall::{case.id}"', copied=True),
    ]
    return Explanation(case.id, "case", "(case)", parts)


def _reasons(verdict_index: VerdictIndex, cases: Sequence[Case]) -> list[str]:
    """What goes wrong in translators that the cases are there for; else the shapes that they show."""
    guards = [guard for case in cases for guard in case.scenario.get("guards", ())]
    wrong = dict.fromkeys(verdict_index.bug_class(guard["class"])["wrong"] for guard in guards if "class" in guard)
    shapes = dict.fromkeys(f"it shows {guard['shape']}" for guard in guards if "shape" in guard)
    return list(wrong or shapes) or ["it is your own"]


def _guards(case: Case) -> Iterator[Part]:
    for guard in case.scenario.get("guards", ()):
        name = guard.get("class") or guard["shape"]
        yield Part("guards", f"{name}  {guard['url']}", value=dict(guard))


def _breaks(verdict_index: VerdictIndex, case: Case) -> Iterator[Part]:
    """The smallest broken body that was made of the case, and the rules that others break."""
    broken = verdict_index.mutants_of_case(case.id)
    if broken:
        first, rules = broken[0], dict.fromkeys(rule for verdict in broken for rule in broken_rules(verdict)[:1])
        text = f"{heading(first)}; dies by {' or '.join(broken_rules(first))}"
        yield Part("breaks", text, value={"name": first["name"], "rules": broken_rules(first)})
        more = [rule for rule in rules if rule not in broken_rules(first)]
        if more:
            cut = f" and {len(more) - _RULES} more" if len(more) > _RULES else ""
            yield Part("", f"bodies of it break {', '.join(more[:_RULES])}{cut} as well", value=more)
    else:
        yield Part("breaks", "no broken body of the corpus was made of it")


def explain_family(corpus: Corpus, verdict_index: VerdictIndex, name: str, command: str) -> Explanation:
    """What its cases are about, their titles, and what they are there for."""
    cases = [case for case in corpus.cases.values() if case.id.split("/")[0] == name]
    family = corpus.families[name]
    parts = [Part("means", family)] if family else []
    parts += [Part("cases", f"{case.id}  {case.title}", value=case.id) for case in cases[:_CASES]]
    if len(cases) > _CASES:
        parts.append(Part("", f"and {len(cases) - _CASES} more: toolcall-conformance list cases"))
    parts += [Part("why", reason) for reason in _reasons(verdict_index, cases)[:_REASONS]]
    parts += [known_failure("…", name), Part("run", f'{command} "toolcall::{name}"', copied=True)]
    return Explanation(name, "family", f"(family of {_many(len(cases), 'case')})", parts)


def _many(count: int, name: str) -> str:
    return f"{count} {name}{'s' if count != 1 else ''}"
