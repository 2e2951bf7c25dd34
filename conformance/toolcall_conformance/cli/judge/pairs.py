"""Files that pair a project's golden files: ``new-pairs`` writes one, ``judge --pairs`` judges what it lists."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from pathlib import Path

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.cli.settings import CommandSettings
from toolcall_conformance.library import Corpus, load_corpus

_NAME = "pairs.toml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Look through a folder of golden files, guess which belong together, and write the file that lists them, "
        f"FOLDER/{_NAME}, for `judge --pairs`."
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="the folder above all golden files")
    parser.add_argument("--print", action="store_true", help=f"print what {_NAME} would hold, and write nothing")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Write the file and print what was understood. Never overwrites one."""
    from toolcall_conformance.basics.atomic_files import write
    from toolcall_conformance.recording.pairs.proposal import propose

    folder: Path = parsed.folder
    path = folder / _NAME
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name the one above all golden files")
    if not parsed.print and path.exists():
        raise UsageError(f"{path} is there already; nothing was written. --print shows what would be")
    proposal = propose(load_corpus(), folder)
    bodies = "1 body" if len(proposal.bodies) == 1 else f"{len(proposal.bodies)} bodies"
    kinds = Counter(f"{body.direction} of {body.format}" for body in proposal.bodies)
    say(
        f"{folder}: {pluralize(proposal.files, 'file')}, {bodies}: ",
        *([_kind_counts(kinds)] if kinds else ["none known"]),
    )
    if not proposal.tables:
        raise UsageError(
            f"no two of them look like the input and the output of one translation: names such as tools.json and "
            f"tools.anthropic.snap, or tools/input.json and tools/expected.json. Write {_NAME} by hand: "
            "docs/golden-files.md explains how"
        )
    for table, count in proposal.tables.most_common():
        ends = "".join(f", {end} {name}" for end, name in table.ends)
        say(f"{count:>5} {table.direction}: {table.source} → {table.output}{ends}")
    if parsed.print:
        say("")
        for line in proposal.toml().splitlines():
            say(line)
        return 0
    try:
        write(path, proposal.toml())
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror})") from None
    say(f"{path} is written. Check its patterns, then: toolcall-conformance judge --pairs {shlex.quote(str(path))}")
    return 0


def _kind_counts(kinds: Counter[str]) -> str:
    return ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common())


def add_option(parser: argparse.ArgumentParser) -> None:
    """The option that takes the place of SOURCE and OUTPUT."""
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="judge the golden files that FILE.toml describes (`new-pairs` writes one), in place of SOURCE and OUTPUT",
    )


def judge_pairs(parsed: argparse.Namespace, corpus: Corpus, settings: CommandSettings) -> int:
    """Judge all pairs, and print a table and the causes of what fails; 1 if a pair fails."""
    from toolcall_conformance.cli.judge.summary import JudgedPair, print_summary, run_record
    from toolcall_conformance.judge import CachingJudge
    from toolcall_conformance.recording.pairs import PairsError, judge_pair, load_pairs

    options = [name for name in ("source", "output", "client", "upstream") if getattr(parsed, name) is not None]
    if options:
        option_names = "--client and --upstream" if options[0] in ("client", "upstream") else "SOURCE and OUTPUT"
        raise UsageError(f"--pairs FILE names the files and their formats; leave out {option_names}")
    try:
        pairs = load_pairs(corpus, Path(parsed.pairs))
    except PairsError as error:
        raise UsageError(str(error)) from None
    judge = CachingJudge(corpus)
    judged_pairs = [
        JudgedPair(
            case.id,
            case.check,
            case.route.client,
            case.route.upstream,
            case.source,
            case.output,
            judge_pair(judge, case.direction, case.source, case.output, case.ends, case.hidden),
        )
        for case in pairs.cases.values()
    ]
    header = {"pairs": pairs.to_json(), "command": f"pytest --toolcall-pairs={shlex.quote(parsed.pairs)}"}
    record = run_record(corpus, judged_pairs, header, strict=bool(settings.is_on("strict")))
    code = print_summary(record, corpus, verbose=parsed.verbose, as_json=parsed.json)
    if not parsed.json:
        say(pairs.summary)
        for sentence in pairs.warnings:
            say((sentence, "warning"))
    return code
