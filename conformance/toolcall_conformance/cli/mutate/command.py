"""``toolcall-conformance mutate``: puts faults into what a correct translator makes; the judge should see them."""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.cli.console import say, say_lines, say_progress
from toolcall_conformance.cli.mutate import harmless, sources
from toolcall_conformance.cli.mutate.output import print_findings, print_tables, write_results
from toolcall_conformance.cli.parser import UsageError

if TYPE_CHECKING:
    from toolcall_conformance.library import Corpus
    from toolcall_conformance.trust.matrix import SurvivorGroup
    from toolcall_conformance.trust.mutation import Mutation
    from toolcall_conformance.trust.parallel import OutputSource
    from toolcall_conformance.trust.sampling import Lot

TRANSLATOR = "toolcall_reference:ReferenceTranslator"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Put one fault after the other into the requests, replies and streams that a correct translator "
        "makes of the corpus, and judge each. Print by direction, format, element and operator how many were made, "
        "killed (a MUST about the element of the fault), killed by another MUST, warned of, survived, were no "
        "faults, or made the judge itself fail. "
        "Exits with 1 if a fault survived that the reviewed list does not name. "
        "With --harmless: rewrite them in every other legal notation instead, and print which ones the judge "
        "objects to. Exits with 1 if it objects to one. "
        "With --sources: mutate what a translator is given instead, and look for inputs of which no output passes."
    )
    parser.add_argument(
        "--harmless", action="store_true", help="rewrite correct output in other legal notations, and make no faults"
    )
    parser.add_argument("--translator", metavar="SPEC", default=TRANSLATOR, help=f"default: {TRANSLATOR}")
    parser.add_argument(
        "--count", metavar="N", type=int, help="a sample of N (default: all; of faults that takes hours)"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=1, help="of the sample (default: 1)")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="how many processes (default: 1)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all that was found")
    parser.add_argument(
        "--sample", metavar="N", type=int, default=0, help="print N of the equivalent faults, to be read by hand"
    )
    parser.add_argument(
        "--quick",
        metavar="FILE",
        type=Path,
        help="choose the items of toolcall::@quick by these faults, and write them",
    )
    parser.add_argument(
        "--shares", action="store_true", help="print which share of what the whole corpus kills toolcall::@quick kills"
    )
    parser.add_argument("--again", metavar="NAME", help="make this fault, and print the judge's findings")
    sources.add_arguments(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the matrix, and the survivors; 1 if one of them is new."""
    from toolcall_conformance.drivers import SpecError
    from toolcall_conformance.library import load_corpus
    from toolcall_conformance.trust.parallel import OutputSource

    for name in ("count", "jobs", "sample"):
        if (number := getattr(parsed, name)) is not None and number < (1 if name == "jobs" else 0):
            raise UsageError(f"--{name} {number}: give a number that is not below {1 if name == 'jobs' else 0}")
    _verify(parsed)
    source, corpus = OutputSource(parsed.translator, Path.cwd()), load_corpus()
    try:
        if parsed.sources:
            return sources.print_again(parsed) if parsed.again else sources.print_all(parsed)
        if parsed.harmless:
            return (
                harmless.print_again(source, parsed.again)
                if parsed.again
                else harmless.print_all(source, corpus, parsed)
            )
        if parsed.again:
            return _print_again(source, parsed.again)
        return _print_all(source, corpus, parsed)
    except SpecError as error:
        raise UsageError(str(error)) from None


def _verify(parsed: argparse.Namespace) -> None:
    """Raises UsageError for options that do not go together."""
    others = [name for name in ("harmless", "sample", "quick", "shares") if getattr(parsed, name)]
    if parsed.sources and others:
        raise UsageError(f"--sources and --{others[0]} are two things: give one of them")
    for name in ("folder", "against", "dialects"):
        if getattr(parsed, name) and not parsed.sources:
            raise UsageError(f"--{name} is for --sources: add that, or leave it out")


def _print_all(source: OutputSource, corpus: Corpus, parsed: argparse.Namespace) -> int:
    from toolcall_conformance.trust.matrix import HEAD, survivors
    from toolcall_conformance.trust.sampling import lots
    from toolcall_conformance.trust.table import MutationTable

    table = MutationTable(corpus)
    chosen = lots(corpus.formats, table.operators, parsed.count, parsed.seed, same=parsed.quick or parsed.shares)
    mutations, shares = _mutations(source, corpus, chosen, parsed)
    write_results(source, parsed, "mutations", mutations, {"shares": shares})
    print_tables(mutations, "element", HEAD)
    _print_rules(mutations)
    new = _print_survivors(survivors(mutations, table))
    if parsed.sample:
        _print_equivalents(source, mutations, parsed.sample, parsed.seed)
    return 1 if new else 0


def _mutations(
    source: OutputSource, corpus: Corpus, chosen: Sequence[Lot], parsed: argparse.Namespace
) -> tuple[list[Mutation], list[dict[str, Any]]]:
    """The faults, judged, and the shares of ``@quick`` if an option wants them; ``--quick`` writes its file."""
    from toolcall_conformance.trust.parallel import run as run_lots

    if parsed.quick:
        return _quick(source, corpus, chosen, parsed), []
    if parsed.shares:
        return _shares(source, corpus, chosen, parsed.jobs)
    return run_lots(source, chosen, parsed.jobs, say_progress), []


def _quick(source: OutputSource, corpus: Corpus, lots: Sequence[Lot], parsed: argparse.Namespace) -> list[Mutation]:
    """Choose the items of ``@quick``, and write them."""
    from toolcall_conformance.basics import jsonstyle
    from toolcall_conformance.trust.parallel import by_route, in_parts
    from toolcall_conformance.trust.quick import selection

    parts = in_parts(selection.select, source, [[group] for group in by_route(lots)], parsed.jobs, say_progress)
    content = selection.content(corpus, [choice for _, choice in parts], parsed.count, parsed.seed)
    atomic_files.write(parsed.quick, jsonstyle.dump(content))
    say_lines("\n".join(selection.lines([choice for _, choice in parts], corpus.cases)))
    return [mutation for mutations, _ in parts for mutation in mutations]


def _shares(
    source: OutputSource, corpus: Corpus, lots: Sequence[Lot], jobs: int
) -> tuple[list[Mutation], list[dict[str, Any]]]:
    """What ``@quick`` kills of what the whole corpus kills: printed, and returned with the faults."""
    from toolcall_conformance.trust.parallel import by_route, in_parts
    from toolcall_conformance.trust.quick import shares

    work = shares.Measuring(corpus.quick)
    parts = in_parts(work, source, [[group] for group in by_route(lots)], jobs, say_progress)
    say_lines("\n".join(shares.lines([share for _, share in parts])))
    return [mutation for mutations, _ in parts for mutation in mutations], [share.to_json() for _, share in parts]


def _print_rules(mutations: Sequence[Mutation]) -> None:
    """By which rules the faults that are none are equivalent."""
    say("")
    rules = Counter(mutation.by for mutation in mutations if mutation.outcome == "equivalent")
    say(f"equivalent by: {', '.join(f'{name} {count:,}' for name, count in rules.most_common()) or 'nothing'}")


def _print_survivors(groups: Sequence[SurvivorGroup]) -> bool:
    """The survivors that are no part of the design; whether some are on no list at all."""
    counts = Counter({"reviewed": 0, "open": 0, "new": 0})
    for group in groups:
        counts["reviewed" if group.reason else "open" if group.hole else "new"] += group.count
    say("")
    say(f"survived: {counts['reviewed']:,} by design, {counts['open']:,} by open holes, {counts['new']:,} new")
    for group in groups:
        if not group.reason:
            description = f"{group.operator} {group.element} {group.direction} {group.format} {group.pattern}"
            say(f"{group.count:6} {description}{f' (open: {group.hole})' if group.hole else ''}")
            say(f"       toolcall-conformance mutate --again '{group.example}'")
    return counts["new"] > 0


def _print_equivalents(source: OutputSource, mutations: Sequence[Mutation], count: int, seed: int) -> None:
    """Print some of the equivalent faults, each with the values before and after."""
    from toolcall_conformance.trust.fault_replay import FaultReplay

    equivalent = [mutation for mutation in mutations if mutation.outcome == "equivalent"]
    drawn = random.Random(seed).sample(equivalent, min(count, len(equivalent)))  # noqa: S311 - no secret is drawn
    again = FaultReplay(source.sampler())
    for number, mutation in enumerate(drawn, 1):
        say("")
        say((f"{number}. {mutation.name}", "head"))
        say(
            f"equivalent by {mutation.by}; {mutation.element}"
            f"{f'; warned by {mutation.rules}' if mutation.rules else ''}"
        )
        for line in again.differences(mutation.name):
            say(line)


def _print_again(source: OutputSource, name: str) -> int:
    from toolcall_conformance.trust.fault_replay import FaultReplay
    from toolcall_conformance.trust.matrix import reason

    sampler = source.sampler()
    try:
        again = FaultReplay(sampler)
        findings, mutation = again.findings(name), again.mutation(name)
        for line in again.differences(name):
            say(line)
    except LookupError as error:
        raise UsageError(f"--again: {error.args[0] if error.args else error}") from None
    print_findings(findings)
    by = f" by {mutation.by}" if mutation.by else ""
    why = reason(mutation, sampler.workshop.table)
    say(f"{mutation.outcome}{by}: {mutation.operator} of {mutation.element}")
    if why:
        say(f"by design: {why}")
    return 1 if mutation.outcome == "survived" and not why else 0
