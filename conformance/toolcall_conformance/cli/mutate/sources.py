"""``toolcall-conformance mutate --sources``: looks for inputs of which no output passes."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli.console import say, say_progress
from toolcall_conformance.cli.mutate.output import print_findings, write_results
from toolcall_conformance.cli.parser import UsageError

if TYPE_CHECKING:
    from toolcall_conformance.trust.sources.runner import TrialSettings
    from toolcall_conformance.trust.sources.trials import TriedDraw

COUNT = 2000
_EXAMPLES = 3
_REASONS = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``--sources``."""
    group = parser.add_argument_group("inputs that no output passes")
    group.add_argument(
        "--sources",
        action="store_true",
        help=f"mutate what the translator is given, {COUNT:,} draws unless --count says how many, and print the closed "
        "roads: sources whose output keeps a MUST, also when it is repaired by all that its findings want. Exits with "
        "1 if a source that keeps the rules of its own format is one, or makes the translator fail",
    )
    group.add_argument(
        "--folder",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="with --sources: draw from the bodies and streams in the files of a folder, too; may be given several "
        "times",
    )
    group.add_argument(
        "--dialects",
        action="store_true",
        help="with --sources: draw only replies that have up to three habits of compatible servers",
    )
    group.add_argument(
        "--against",
        metavar="DIR",
        type=Path,
        help="with --sources: the directory of an older version of the translator. What that one translates and this "
        "one does not is reported, and makes the command exit with 1",
    )


def print_all(parsed: argparse.Namespace) -> int:
    """Try the draws of a seed, and print what became of them; 1 for a closed road, a failure, or a new refusal."""
    from toolcall_conformance.trust.sources.runner import run

    settings, count = _trial_settings(parsed), COUNT if parsed.count is None else parsed.count
    tried_draws = run(settings, parsed.seed, count, parsed.jobs, say_progress)
    write_results(settings, parsed, "sources", tried_draws, {"folders": [str(folder) for folder in settings.folders]})
    _print_counts(tried_draws)
    sound_draws = [draw for draw in tried_draws if not draw.broken]
    lists = (
        ("closed roads", _with_outcome(sound_draws, "closed")),
        ("the translator failed", _with_outcome(tried_draws, "failed")),
        ("refused, and the older version translates it", [draw for draw in tried_draws if draw.refused_anew]),
    )
    for title, draws in lists:
        _print_roads(title, draws, settings)
    _print_roads(
        "closed, but for a refusal: the source breaks a MUST of its own format",
        _with_outcome([draw for draw in tried_draws if draw.broken], "closed"),
        settings,
    )
    _print_reasons("refused, though the source breaks no MUST", _with_outcome(sound_draws, "refused sound"))
    _print_rules("repaired", _with_outcome(tried_draws, "repaired"))
    return 1 if any(draws for _, draws in lists) else 0


def print_again(parsed: argparse.Namespace) -> int:
    """Make one draw again, and print what the judge says of its output; 1 if that is a closed road."""
    from toolcall_conformance.trust.fault_replay import differences
    from toolcall_conformance.trust.sources.runner import TrialRunner

    machine = TrialRunner(_trial_settings(parsed))
    try:
        draw = machine.draws.again(parsed.again)
    except LookupError as error:
        raise UsageError(f"--again: {error.args[0] if error.args else error}") from None
    for line in differences(draw.source.body, draw.body):
        say(line)
    _, findings = machine.trier.first(draw)
    print_findings(findings)
    tried = machine.result(draw)
    say("")
    say(f"{tried.outcome}{f': {tried.reason}' if tried.reason else ''}")
    _print_draw(tried)
    return (
        1 if tried.refused_anew or tried.outcome == "failed" or (tried.outcome == "closed" and not tried.broken) else 0
    )


def _trial_settings(parsed: argparse.Namespace) -> TrialSettings:
    from toolcall_conformance.trust.sources.runner import TrialSettings

    for name, folder in [*(("--folder", folder) for folder in parsed.folder), ("--against", parsed.against)]:
        if folder is not None and not folder.is_dir():
            raise UsageError(f"{name} {folder}: there is no such directory")
    against = parsed.against.resolve() if parsed.against is not None else None
    return TrialSettings(parsed.translator, Path.cwd(), tuple(parsed.folder), against, parsed.dialects)


def _with_outcome(draws: Iterable[TriedDraw], outcome: str) -> list[TriedDraw]:
    return [draw for draw in draws if draw.outcome == outcome]


def _print_counts(draws: Sequence[TriedDraw]) -> None:
    from toolcall_conformance.trust.sources.trials import OUTCOMES

    for way in (*dict.fromkeys(draw.way for draw in draws), ""):
        draws_of_way = [draw for draw in draws if way in ("", draw.way)]
        counts = Counter(draw.outcome for draw in draws_of_way)
        totals = ", ".join(f"{counts[name]:,} {name}" for name in OUTCOMES if counts[name])
        say((f"{way or 'in all'}: ", "head"), f"{pluralize(len(draws_of_way), 'draw')}: {totals}")


def _print_roads(title: str, draws: Sequence[TriedDraw], settings: TrialSettings) -> None:
    """The draws of a list by rules, with the MUSTs that remain, and the command that makes one again."""
    say("")
    say((f"{title}: {len(draws):,}", "head"))
    groups: dict[tuple[str, ...], list[TriedDraw]] = {}
    for draw in draws:
        format_name = draw.upstream if draw.way == "request" else draw.client
        groups.setdefault((draw.way, format_name, *(draw.rules or (draw.reason,))), []).append(draw)
    for key, group in sorted(groups.items(), key=lambda entry: -len(entry[1])):
        say(f"{len(group):6} {' '.join(key)}")
        for draw in group[:_EXAMPLES]:
            say(f"       {_again(draw, settings)}")
            _print_draw(draw)


def _print_draw(draw: TriedDraw) -> None:
    for line in draw.remains[:_EXAMPLES]:
        say(f"         remains: {line}")
    if draw.broken:
        say(f"         the source breaks {', '.join(draw.broken)}")
    if draw.refused_anew:
        say("         the older version translates it")


def _again(draw: TriedDraw, settings: TrialSettings) -> str:
    """The command that makes a draw again. It needs no folder: the name holds the file."""
    options = ["--translator", settings.translator, *(["--against", str(settings.against)] if settings.against else [])]
    return shlex.join(["toolcall-conformance", "mutate", "--sources", *options, "--again", draw.name])


def _print_reasons(title: str, draws: Sequence[TriedDraw]) -> None:
    _print_examples(title, Counter(draw.reason for draw in draws), {draw.reason: draw for draw in draws})


def _print_rules(title: str, draws: Sequence[TriedDraw]) -> None:
    _print_examples(
        title, Counter(" ".join(draw.rules) for draw in draws), {" ".join(draw.rules): draw for draw in draws}
    )


def _print_examples(title: str, counts: Counter[str], examples: Mapping[str, TriedDraw]) -> None:
    say("")
    say((f"{title}: {counts.total():,}", "head"))
    for text, count in counts.most_common(_REASONS):
        say(f"{count:6} {text}")
        say(f"       {examples[text].name}")
    if len(counts) > _REASONS:
        say(f"       and {pluralize(len(counts) - _REASONS, 'more kind')}")
