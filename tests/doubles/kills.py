"""Which case kills which broken double: ``python tests doubles.kills``.

A double dies in a case where the judge names one of its rules. A double of a body is tried in every case, at the first
place where it changes anything, from one source format after the other; one of a session or a stream in the case that
it names, with ``--all`` in every case that its route can be played on (slow). Prints the cases by family, the kills by
rule, and the cases that are the only ones to kill something. ``--json FILE`` keeps all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from doubles.body import BodyDouble, judge_place
from doubles.bridge import BridgeDouble
from doubles.catalogue import Double, doubles
from doubles.loop import LoopDouble, play
from doubles.stream import StreamDouble, run
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.library import Case, load_corpus

Kills = dict[str, set[str]]
"""The cases in which a double dies, by a rule of its own, by its name; with the rule: ``case rule``."""


def named_rules(double: Double, findings: Sequence[Finding]) -> set[str]:
    """The rules of a double that the judge names."""
    level = Level.SHOULD if double.kind == "warning" else Level.MUST
    return {finding.rule for finding in findings if finding.level is level} & {*double.rules}


def rules_in(double: Double, case: Case) -> set[str]:
    """The rules that name a double in a case; empty if it lives there."""
    if isinstance(double, BodyDouble):
        return _rules_in_bodies(double, case.id)
    if isinstance(double, StreamDouble):
        return _rules_in_stream(double, case)
    if isinstance(double, BridgeDouble):
        return _rules_in_bridge(double, case)
    return _rules_in_loop(double, case) if isinstance(double, LoopDouble) else set()


def _rules_in_bodies(double: BodyDouble, case: str) -> set[str]:
    if double.cases and case not in double.cases:
        return set()
    for source in double.sources:
        for place in double.among(source, case):
            output = double.changed(place)
            if output is not None and (rules := named_rules(double, judge_place(place, output, double.hides))):
                return rules
    return set()


def _rules_in_stream(double: StreamDouble, case: Case) -> set[str]:
    ends = {double.format, double.upstream}
    if not ends <= set(case.formats) or not case.streams(double.format, double.upstream):
        return set()
    if not any(exchange.stream_path for exchange in case.exchanges(double.upstream)):
        return set()
    return named_rules(double, run(double, case.id, double.variant, double.upstream).result.findings)


def _rules_in_bridge(double: BridgeDouble, case: Case) -> set[str]:
    if "mcp" not in case.scenario or double.format not in case.formats:
        return set()
    result = double.told(case)
    return set() if result is None else named_rules(double, result.findings)


def _rules_in_loop(double: LoopDouble, case: Case) -> set[str]:
    if not {double.client, double.upstream} <= set(case.formats):
        return set()
    here = replace(double, case=case.id)
    items = [item for item in here.items if item[0] == double.check and item[1] in double.variants]
    return set().union(*(named_rules(double, play(here, *item).findings) for item in items))


def cases_by_double(names: Sequence[str], *, everywhere: bool) -> dict[str, dict[str, list[str]]]:
    """For each double its cases with the rules that name it there."""
    cases = load_corpus().cases
    selection = {*names}
    rules_by_double: dict[str, dict[str, list[str]]] = {}
    for double in doubles(kind="broken"):
        if double.name in selection:
            own = None if everywhere or isinstance(double, BodyDouble) else getattr(double, "case", None)
            tried = [case for case in cases.values() if own in (None, case.id)]
            rules_by_double[double.name] = {
                case.id: sorted(rules) for case in tried if (rules := _rules_or_error(double, case))
            }
    return rules_by_double


def _rules_or_error(double: Double, case: Case) -> set[str]:
    """The rules that name a double in a case. A double that does not fit there says so by Skip, never by an error."""
    try:
        return rules_in(double, case)
    except Exception as error:
        error.add_note(f"the double {double.name} in the case {case.id}")
        raise


def collect_kills(*, everywhere: bool, workers: int, only: str) -> dict[str, dict[str, list[str]]]:
    """The same of all doubles whose name has ``only``, in several processes."""
    names = [double.name for double in doubles(kind="broken") if only in double.name]
    rules_by_double: dict[str, dict[str, list[str]]] = {}
    with ProcessPoolExecutor(workers) as pool:
        parts = [pool.submit(cases_by_double, names[start::workers], everywhere=everywhere) for start in range(workers)]
        for part in parts:
            rules_by_double |= part.result()
    return {name: rules_by_double[name] for name in names}


def dying_doubles(case: Case, only: str) -> Iterator[str]:
    """A line for each double with ``only`` in its name that dies in a case: its name, and the rules that name it."""
    for double in doubles(kind="broken"):
        if only in double.name and (rules := rules_in(double, case)):
            yield f"{double.name:60} {', '.join(sorted(rules))}"


def tables(rules_by_double: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    """The three tables."""
    cases = load_corpus().cases
    families = Counter(case.family for case in cases.values())
    by_family: dict[str, set[str]] = defaultdict(set)
    by_rule: Counter[str] = Counter()
    alone: dict[str, list[str]] = defaultdict(list)
    for name, where in rules_by_double.items():
        for case, rules in where.items():
            by_family[case.split("/")[0]].add(name)
            by_rule.update(rules)
        if len(where) == 1:
            alone[next(iter(where))].append(name)
    dying = sum(bool(where) for where in rules_by_double.values())
    yield f"{len(rules_by_double)} broken doubles, {dying} die in some of {len(cases)} cases"
    yield "\ncases and killed doubles by family:"
    yield from (f"{count:5} {len(by_family[family]):5} {family}" for family, count in sorted(families.items()))
    yield "\nkills (double and case) by rule:"
    yield from (f"{count:6} {rule}" for rule, count in by_rule.most_common())
    yield f"\n{len(alone)} cases that are the only ones to kill something:"
    yield from (f"{len(names):4} {case}: {', '.join(names[:3])}" for case, names in sorted(alone.items()))
    idle = [case for case in cases if not any(case in where for where in rules_by_double.values())]
    yield f"\n{len(idle)} cases in which no double was seen to die: {', '.join(idle)}"


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="which case kills which broken double")
    parser.add_argument("--all", action="store_true", help="also doubles of sessions and streams in every case")
    parser.add_argument("--workers", type=int, default=2, help="how many processes (default: 2)")
    parser.add_argument("--only", default="", help="doubles whose name has this text")
    parser.add_argument("--json", type=Path, help="a file for all that was found")
    parser.add_argument(
        "--case", metavar="FAMILY/CASE", help="only list what dies in a case, by the rules that name it"
    )
    options = parser.parse_args(arguments)
    if not any(options.only in double.name for double in doubles(kind="broken")):
        parser.error(f"--only {options.only}: no broken double has this in its name")
    if options.case:
        cases = load_corpus().cases
        if options.case not in cases:
            parser.error(f"--case {options.case}: there is no such case")
        print(*dying_doubles(cases[options.case], options.only), sep="\n")
        return 0
    rules_by_double = collect_kills(everywhere=options.all, workers=options.workers, only=options.only)
    if options.json:
        options.json.write_text(json.dumps(rules_by_double, indent=1), encoding="utf-8")
    print(*tables(rules_by_double), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
