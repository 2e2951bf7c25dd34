"""``toolcall-conformance record``: send the corpus's requests to a real API and keep its answers as cassettes."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError, did_you_mean
from toolcall_conformance.cli.settings import CommandSettings, add_corpus, load_named_corpus
from toolcall_conformance.library import Case, Corpus

if TYPE_CHECKING:
    from toolcall_conformance.recording.cassettes.recorder.recorder import CassetteRecorder

_DESCRIPTION = """\
Play cases of the corpus against a real API and keep its answers as vcrpy cassettes, one per case:
DIR/<format>/<family>/<case>.json, and <case>.stream.json for streams. The provider charges for these requests.

The first request is the case's own, with your model. Each further request is built from the reply before it, with its
ids and with the scenario's results for the tools that the model called. A conversation is reported and not kept if the
model calls no tool where the case needs a call, or calls a tool without a result in the scenario. A cassette is written
whole or not at all; it replaces an earlier one only when it is complete.

The key is read from the variable that the official SDK reads, and so is the base URL, unless --base-url gives it:

{variables}

No key is ever in a cassette. Headers are kept by an allowlist. Keys, tokens, account ids and e-mail addresses in URLs
and bodies become placeholders; equal values get the same one. --filters FILE, in TOML or JSON, adds to that:

  keys = ["customer_id"]                 # redact their values in JSON, forms and query strings
  patterns = ["TICKET-[0-9]+"]           # or {{ name = "ticket", regex = "…", replace = "TICKET-0" }}
  environment = ["MY_GATEWAY_TOKEN"]     # redact the values of these variables everywhere
  headers = ["x-request-id"]             # keep these headers, too
  off = ["email"]                        # switch these built-in filters off

exit codes: 0 all recorded (or not recordable, such as cases about errors), 1 some were not, 4 wrong usage"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = _Help
    parser.description = _DESCRIPTION
    parser.add_argument("--format", required=True, metavar="FORMAT", help="the API to call, a name from `list formats`")
    parser.add_argument("--model", required=True, metavar="MODEL", help="the model, by its name in the API")
    parser.add_argument(
        "--cassettes",
        type=Path,
        metavar="DIR",
        help="the folder for the cassettes; without it, the one that the settings name for --toolcall-cassettes",
    )
    parser.add_argument(
        "--case", action="append", default=[], metavar="CASE", help="a case; may be given several times"
    )
    parser.add_argument(
        "--family", action="append", default=[], metavar="FAMILY", help="a family of cases; may be given several times"
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--unary", action="store_true", help="record unary replies only (default: both)")
    way.add_argument("--stream", action="store_true", help="record streams only (default: both)")
    parser.add_argument("--base-url", metavar="URL", help="another address, written as for the official SDK")
    parser.add_argument("--rate", type=_positive, default=20.0, metavar="N", help="requests a minute (default: 20)")
    parser.add_argument("--max-requests", type=int, metavar="N", help="stop after this many requests")
    parser.add_argument(
        "--max-wait",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="the longest wait that the API may ask for (429 with Retry-After; default: 60)",
    )
    parser.add_argument(
        "--timeout",
        type=_positive,
        default=300.0,
        metavar="SECONDS",
        help="the longest that one request and its whole reply may take (default: 300)",
    )
    parser.add_argument(
        "--max-bytes",
        type=_size,
        default=64 * 2**20,
        metavar="N",
        help="the most bytes of one reply, packed and unpacked (default: 67108864, which is 64 MiB)",
    )
    parser.add_argument("--filters", type=Path, metavar="FILE", help="what else to redact or keep; see above")
    parser.add_argument("--missing", action="store_true", help="skip what already has a cassette")
    parser.add_argument(
        "--partial",
        action="store_true",
        help='also keep a conversation that ended early, marked "complete": false; it counts as not recorded and never '
        "replaces a cassette",
    )
    add_corpus(parser)
    parser.set_defaults(run=run)


class _Help(argparse.RawDescriptionHelpFormatter):
    """Fills in the environment variables of the corpus, only when help is printed."""

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


def _size(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("give a number above zero")
    return value


def run(parsed: argparse.Namespace) -> int:
    """Record the cassettes in turn, a line each; return 1 if a recordable one was not recorded."""
    from toolcall_conformance.basics.known_secrets import KnownSecrets, find_secrets
    from toolcall_conformance.recording.cassettes.recorder.api import Api, Limits
    from toolcall_conformance.recording.cassettes.recorder.budget import LimitError
    from toolcall_conformance.recording.cassettes.recorder.endpoint import NoEndpointError, endpoint, keys
    from toolcall_conformance.recording.cassettes.recorder.recorder import CassetteRecorder
    from toolcall_conformance.recording.cassettes.recorder.tape import MissingRecorderError, verify_installed
    from toolcall_conformance.recording.cassettes.redaction.filters import FilterError, Filters
    from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

    folder, corpus = _folder(CommandSettings(parsed)), load_named_corpus(parsed)
    if parsed.format not in corpus.formats:
        raise UsageError(f"there is no format {parsed.format!r}{did_you_mean(parsed.format, corpus.formats)}")
    cases = _selected_cases(parsed, corpus)
    secrets = {*keys(corpus.transports, os.environ), *find_secrets(os.environ)}
    try:
        verify_installed()
        filters = Filters.load(parsed.filters) if parsed.filters else Filters.default()
        target = endpoint(parsed.format, corpus.transports, os.environ, parsed.model, parsed.base_url)
    except (FilterError, MissingRecorderError, NoEndpointError) as error:
        raise UsageError(KnownSecrets(secrets).replace(str(error), lambda _: "REDACTED-key")) from None
    if target.is_unencrypted:
        say(f"note: {target.host} is called without encryption; the key can be read on the way", error=True)
    secrets = {*secrets, *target.secrets, *(os.environ.get(name, "") for name in filters.environment)} - {""}
    limits = Limits(parsed.rate, parsed.max_requests, parsed.max_wait, parsed.timeout, parsed.max_bytes)
    try:
        api_client = Api(target, limits, Redactor(filters, secrets), lambda text: say(f"  {text}"))
    except LimitError as error:
        raise UsageError(f"a recording {error}") from None
    with api_client as api:
        recorder = CassetteRecorder(corpus, api, parsed.format, parsed.model, folder, filters, secrets)
        counts = _record_all(parsed, recorder, cases)
    totals = ", ".join(f"{counts[name]} {name}" for name in _OUTCOMES if counts[name] or name == "recorded")
    say(f"{totals}; {pluralize(api.sent, 'request')} to {target.host}")
    return 0 if counts["recorded"] + counts["there"] and not counts["failed"] + counts["not tried"] else 1


def _folder(settings: CommandSettings) -> Path:
    """The one folder that the cassettes are written to. Raises UsageError."""
    named = settings.find("cassettes")
    if named is None:
        raise UsageError("name the folder for the cassettes: --cassettes DIR")
    if len(named.paths) != 1:
        raise UsageError(f"{named.where} has {len(named.paths)} folders; name the one to write to: --cassettes DIR")
    return named.paths[0]


_OUTCOMES = ("recorded", "failed", "there", "skipped", "not tried")


def _record_all(parsed: argparse.Namespace, recorder: CassetteRecorder, cases: list[Case]) -> Counter[str]:
    """Record what can be recorded; return how many had each outcome."""
    counts: Counter[str] = Counter()
    ways = [False] * (not parsed.stream) + [True] * (not parsed.unary)
    todo = [(case, streamed) for case in cases for streamed in ways]
    for number, (case, streamed) in enumerate(todo, 1):
        head = f"[{number}/{len(todo)}] {case.id} {'stream' if streamed else 'unary'}: "
        reason = recorder.obstacle(case)
        if reason is not None:
            outcome, text, go_on = "skipped", f"skipped, {reason}", True
        elif parsed.missing and recorder.path(case, streamed=streamed).is_file():
            outcome, text, go_on = "there", "is already there", True
        else:
            outcome, text, go_on = _record_case(parsed, recorder, case, streamed)
        counts[outcome] += 1
        say(head + text)
        if not go_on:
            counts["not tried"] = len(todo) - number
            break
    return counts


def _record_case(
    parsed: argparse.Namespace, recorder: CassetteRecorder, case: Case, streamed: bool
) -> tuple[str, str, bool]:
    """Record one cassette; return its outcome, a sentence, and whether to go on with the next."""
    from toolcall_conformance.recording.cassettes.interactions import CassetteError
    from toolcall_conformance.recording.cassettes.recorder.api import ApiError
    from toolcall_conformance.recording.cassettes.recorder.output import prepare
    from toolcall_conformance.recording.cassettes.recorder.recorder import NotRecordedError

    # A provider's text may contain the key, so it is never printed unredacted.
    redacted = recorder.api.redactor.text
    path = recorder.path(case, streamed=streamed)
    try:
        prepare(path)
        played = recorder.play(case, streamed=streamed)
        count = f"{pluralize(len(played.interactions), 'exchange')}, {pluralize(played.calls, 'call')}"
        if played.end_reason is None:
            recorder.write(case, played, streamed=streamed)
            notes = "".join(f"; {redacted(note)}" for note in played.notes)
            return "recorded", f"{count}{notes} -> {path}", True
        hint = ""
        if parsed.partial and not path.exists():
            recorder.write(case, played, streamed=streamed)
            hint = f"; what was exchanged until then is in {path}"
        return "failed", f"not recorded: {redacted(played.end_reason)}{hint}", True
    except ApiError as error:
        return "failed", f"not recorded: {redacted(str(error))}", not error.final
    except NotRecordedError as error:
        return "failed", f"not recorded: {redacted(str(error))}", True
    except CassetteError as error:
        return "failed", str(error), False
    except KeyboardInterrupt:
        return "failed", "not recorded: interrupted", False


def _selected_cases(parsed: argparse.Namespace, corpus: Corpus) -> list[Case]:
    """The cases that the options select, in the order of their ids. Raises UsageError."""
    if not parsed.case and not parsed.family:
        raise UsageError("nothing to record: give --case or --family; `toolcall-conformance list cases` lists them")
    families = {case.family for case in corpus.cases.values()}
    for selection in (parsed.case, parsed.family):  # perhaps as pytest takes them
        selection[:] = [name.removeprefix("toolcall::") for name in selection]
    for names, choices, noun in ((parsed.case, corpus.cases, "case"), (parsed.family, families, "family")):
        for name in names:
            if name not in choices:
                raise UsageError(f"there is no {noun} {name!r}{did_you_mean(name, choices)}")

    return [case for case in corpus.cases.values() if case.id in parsed.case or case.family in parsed.family]
