"""``toolcall-conformance judge --pairs``: judge the golden files of a project, as a file of pairs describes them."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.settings import CommandSettings
from toolcall_conformance.library import Corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The option that takes the place of SOURCE and OUTPUT."""
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="judge the golden files that FILE.toml describes (`new-pairs` writes one), in place of SOURCE and OUTPUT",
    )


def run(parsed: argparse.Namespace, corpus: Corpus, settings: CommandSettings) -> int:
    """Judge all pairs, and print a table and the causes of what fails; 1 if a pair fails."""
    from toolcall_conformance.cli.judged import JudgedPair, record_of, show
    from toolcall_conformance.judge import CachingJudge
    from toolcall_conformance.recording.pairs import PairsError, judged, load_pairs

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
            judged(judge, case.direction, case.source, case.output, case.ends, case.hidden),
        )
        for case in pairs.cases.values()
    ]
    header = {"pairs": pairs.to_json(), "command": f"pytest --toolcall-pairs={shlex.quote(parsed.pairs)}"}
    record = record_of(corpus, judged_pairs, header, strict=bool(settings.holds("strict")))
    code = show(record, corpus, verbose=parsed.verbose, as_json=parsed.json)
    if not parsed.json:
        say(pairs.summary)
        for sentence in pairs.warnings:
            say((sentence, "warning"))
    return code
