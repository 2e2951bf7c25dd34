"""``toolcall-conformance record``: what a real API does with the corpus's own requests, kept as cassettes."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcall_conformance.cli.common import UsageError, add_corpus, corpus_of, perhaps
from toolcall_conformance.library import Case, Corpus

if TYPE_CHECKING:
    from toolcall_conformance.cassettes.recording import Recorder

_DESCRIPTION = """\
Play cases of the corpus against a real API and keep what it answers: one cassette a case and way, as vcrpy has them, in
DIR/<format>/<family>/<case>.json and <case>.stream.json. This costs what the provider takes for it.

The first request is the case's own, with your model. Each next one is built from the reply that came, its ids and all,
with the scenario's results of the tools that were called. A model that calls no tool where the case is about a call, or
one that the scenario has no result for, is told of and not kept. Cassettes are written whole or not at all; an earlier
one stays as it is until the new one is there.

The key comes from the variable that the official SDK reads, and so does the base URL if --base-url does not say it:

{variables}

No key is ever in a cassette. Headers are kept by an allowlist; keys, tokens, ids of accounts and e-mail addresses in
URLs and bodies become placeholders, the same for the same one. --filters FILE, in TOML or JSON, adds to that:

  keys = ["customer_id"]                 # their values go, in JSON, forms and query strings
  patterns = ["TICKET-[0-9]+"]           # or {{ name = "ticket", regex = "…", replace = "TICKET-0" }}
  environment = ["MY_GATEWAY_TOKEN"]     # what these variables hold goes, wherever it stands
  headers = ["x-request-id"]             # kept beside those that are kept anyway
  off = ["email"]                        # built-in filters that are not wanted

exit codes: 0 all were recorded (or cannot be, as cases about errors), 1 some were not, 4 wrong usage"""


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    parser = commands.add_parser(
        "record",
        help="record what a real API does with the corpus's requests",
        formatter_class=_Help,
        description=_DESCRIPTION,
    )
    parser.add_argument("--format", required=True, metavar="FORMAT", help="the API to ask, as `list formats` has it")
    parser.add_argument("--model", required=True, metavar="MODEL", help="the model to ask, as the API calls it")
    parser.add_argument("--cassettes", required=True, type=Path, metavar="DIR", help="the folder for the cassettes")
    parser.add_argument(
        "--case", action="append", default=[], metavar="CASE", help="a case (may be given several times)"
    )
    parser.add_argument(
        "--family", action="append", default=[], metavar="FAMILY", help="all cases of a family (likewise)"
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--unary", action="store_true", help="whole replies only; without either, both ways")
    way.add_argument("--stream", action="store_true", help="streams only")
    parser.add_argument("--base-url", metavar="URL", help="another address, given as the official SDK takes it")
    parser.add_argument("--rate", type=_positive, default=20.0, metavar="N", help="requests a minute (default: 20)")
    parser.add_argument("--max-requests", type=int, metavar="N", help="stop after so many requests")
    parser.add_argument(
        "--max-wait",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="how long to wait at most where the API says to (429 with Retry-After; default: 60)",
    )
    parser.add_argument(
        "--timeout", type=_positive, default=120.0, metavar="SECONDS", help="without a byte (default: 120)"
    )
    parser.add_argument("--filters", type=Path, metavar="FILE", help="what else is to be taken out, or kept; see above")
    parser.add_argument("--missing", action="store_true", help="leave out what has a cassette already")
    parser.add_argument(
        "--partial",
        action="store_true",
        help='keep a conversation that ended early, too, marked with "complete": false; it counts as not recorded, and '
        "never takes the place of a cassette that is there",
    )
    add_corpus(parser)
    parser.set_defaults(run=run)


class _Help(argparse.RawDescriptionHelpFormatter):
    """Fills in what the corpus says of the environment, and only when help is asked for."""

    def add_text(self, text: str | None) -> None:
        if text == _DESCRIPTION:
            from toolcall_conformance.library import load_corpus

            sdks = {name: transport["sdk"] for name, transport in load_corpus().transports.items()}
            lines = [
                f"  {name:<18}{' or '.join(key['variable'] for key in sdk['keys'])}; {sdk['base_url_variable']}"
                for name, sdk in sdks.items()
            ]
            text = text.format(variables="\n".join(lines))
        super().add_text(text)


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("give a number above zero")
    return value


def run(parsed: argparse.Namespace) -> int:
    """Record one cassette after the other, a line each; 1 if one that could be was not recorded."""
    from toolcall_conformance.cassettes.api import Api, Limits
    from toolcall_conformance.cassettes.endpoint import NoEndpointError, endpoint
    from toolcall_conformance.cassettes.filters import FilterError, Filters
    from toolcall_conformance.cassettes.recording import Recorder
    from toolcall_conformance.cassettes.redaction import Redactor
    from toolcall_conformance.cassettes.tape import MissingRecorderError, verify_installed

    corpus = corpus_of(parsed)
    if parsed.format not in corpus.formats:
        raise UsageError(f"there is no format {parsed.format!r}{perhaps(parsed.format, corpus.formats)}")
    cases = _wanted(parsed, corpus)
    try:
        verify_installed()
        filters = Filters.load(parsed.filters) if parsed.filters else Filters.default()
        target = endpoint(parsed.format, corpus.transports, os.environ, parsed.model, parsed.base_url)
    except (FilterError, MissingRecorderError, NoEndpointError) as error:
        raise UsageError(str(error)) from None
    if target.unencrypted:
        print(f"note: {target.host} is asked without encryption, and the key can be read on the way", file=sys.stderr)
    secrets = {*target.secrets, *(os.environ.get(name, "") for name in filters.environment)} - {""}
    limits = Limits(parsed.rate, parsed.max_requests, parsed.max_wait, parsed.timeout)
    with Api(target, limits, Redactor(filters, secrets), lambda text: print(f"  {text}", flush=True)) as api:
        recorder = Recorder(corpus, api, parsed.format, parsed.model, parsed.cassettes, filters, secrets)
        counts = _record(parsed, recorder, cases)
    said = ", ".join(f"{counts[name]} {name}" for name in _COUNTED if counts[name] or name == "recorded")
    print(f"{said}; {api.asked} requests to {target.host}")
    return 0 if counts["recorded"] + counts["there"] and not counts["failed"] + counts["not tried"] else 1


_COUNTED = ("recorded", "failed", "there", "skipped", "not tried")


def _record(parsed: argparse.Namespace, recorder: Recorder, cases: list[Case]) -> Counter[str]:
    """Record what can be recorded; how many fared how."""
    counts: Counter[str] = Counter()
    ways = [False] * (not parsed.stream) + [True] * (not parsed.unary)
    todo = [(case, streamed) for case in cases for streamed in ways]
    for number, (case, streamed) in enumerate(todo, 1):
        head = f"[{number}/{len(todo)}] {case.id} {'stream' if streamed else 'unary'}: "
        reason = recorder.cannot(case)
        if reason is not None:
            outcome, text, go_on = "skipped", f"skipped, {reason}", True
        elif parsed.missing and recorder.path(case, streamed=streamed).is_file():
            outcome, text, go_on = "there", "is there already", True
        else:
            outcome, text, go_on = _one(parsed, recorder, case, streamed)
        counts[outcome] += 1
        print(head + text, flush=True)
        if not go_on:
            counts["not tried"] = len(todo) - number
            break
    return counts


def _one(parsed: argparse.Namespace, recorder: Recorder, case: Case, streamed: bool) -> tuple[str, str, bool]:
    """Record one cassette: how it fared, a sentence, and whether to go on with the next."""
    from toolcall_conformance.cassettes.api import ApiError
    from toolcall_conformance.cassettes.interactions import CassetteError
    from toolcall_conformance.cassettes.recording import NotRecordedError
    from toolcall_conformance.cassettes.writing import make_ready

    path = recorder.path(case, streamed=streamed)
    try:
        make_ready(path)
        played = recorder.play(case, streamed=streamed)
        count = f"{len(played.interactions)} exchanges, {played.calls} calls"
        if played.ended is None:
            recorder.keep(case, played, streamed=streamed)
            notes = "".join(f"; {note}" for note in played.notes)
            return "recorded", f"{count}{notes} -> {path}", True
        kept = ""
        if parsed.partial and not path.exists():
            recorder.keep(case, played, streamed=streamed)
            kept = f"; the {len(played.interactions)} exchanges until then are in {path}"
        return "failed", f"not recorded: {played.ended}{kept}", True
    except ApiError as error:
        return "failed", f"not recorded: {error}", not error.final
    except NotRecordedError as error:
        return "failed", f"not recorded: {error}", True
    except CassetteError as error:
        return "failed", str(error), False
    except KeyboardInterrupt:
        return "failed", "not recorded: interrupted", False


def _wanted(parsed: argparse.Namespace, corpus: Corpus) -> list[Case]:
    """The cases that were asked for, in the order of their ids. Raises UsageError."""
    if not parsed.case and not parsed.family:
        raise UsageError("nothing to record: give --case or --family, as `toolcall-conformance list cases` has them")
    families = {case.family for case in corpus.cases.values()}
    for wanted, known, what in ((parsed.case, corpus.cases, "case"), (parsed.family, families, "family")):
        for name in wanted:
            if name not in known:
                raise UsageError(f"there is no {what} {name!r}{perhaps(name, known)}")

    return [case for case in corpus.cases.values() if case.id in parsed.case or case.family in parsed.family]
