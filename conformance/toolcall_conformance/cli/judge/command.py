"""``toolcall-conformance judge``: judge a captured pair of bodies or streams without any adapter."""

from __future__ import annotations

import argparse

from toolcall_conformance.cli.judge import bodies, details, earlier_requests, guesses, pairs
from toolcall_conformance.cli.parser import UsageError, did_you_mean
from toolcall_conformance.cli.settings import CommandSettings
from toolcall_conformance.library import Corpus, load_corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Judge a translator's output for one body or stream. Exits with 1 if a MUST rule is violated."
    parser.add_argument("source", metavar="SOURCE", nargs="?", help="the translator's input; - reads stdin")
    parser.add_argument(
        "output",
        metavar="OUTPUT",
        nargs="?",
        help="the translator's output; - reads stdin. Without it SOURCE alone is judged, by the rules of --client's "
        "format; a provider's output by those of --upstream's",
    )
    parser.add_argument("--client", metavar="FORMAT", help="the caller's format")
    parser.add_argument("--upstream", metavar="FORMAT", help="the provider's format")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--response",
        action="store_true",
        help="the bodies are replies: SOURCE in the upstream's format, OUTPUT in the client's",
    )
    kind.add_argument(
        "--error",
        action="store_true",
        help='the bodies are errors, each as {"status": 429, "headers": {…}, "body": {…}}; headers are optional',
    )
    kind.add_argument(
        "--stream",
        action="store_true",
        help="OUTPUT is the raw stream that the client received; SOURCE is the upstream's stream or whole reply",
    )
    earlier_requests.add_arguments(parser)
    parser.add_argument("--client-model", metavar="MODEL", help="the model that the caller named")
    parser.add_argument(
        "--upstream-model", metavar="MODEL", help="the model that receives the request, if its body does not name it"
    )
    parser.add_argument(
        "--strict", action=argparse.BooleanOptionalAction, help="exit with 1 for a SHOULD finding as well"
    )
    parser.add_argument(
        "--policy",
        metavar="FILE",
        help="a TOML file that lists what the translator does to tools on purpose, as for --toolcall-policy",
    )
    parser.add_argument(
        "--tolerated",
        action="store_true",
        help="also list each accepted difference and the equivalence that allows it",
    )
    parser.add_argument(
        "--witness",
        action=argparse.BooleanOptionalAction,
        help="also report what the official client of OUTPUT's format does with it; needs the extra `witnesses`",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    details.add_diff_option(parser)
    pairs.add_option(parser)
    parser.add_argument(
        "--only", metavar="N", type=int, help="of a list of exchanges, judge only the one with this number"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="of many pairs, show a block for every cause, not only for the first ones",
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the findings; 1 if one of them fails the pair."""
    corpus, settings = load_corpus(), CommandSettings(parsed)
    parsed.strict, parsed.witness = settings.is_on("strict"), settings.find("witness")
    parsed.policy = settings.find("policy")
    if parsed.pairs is not None:
        return pairs.judge_pairs(parsed, corpus, settings)
    if parsed.source is None:
        raise UsageError("the following arguments are required: SOURCE; or --pairs FILE")
    if (code := _judge_exchanges(parsed, corpus, settings)) is not None:
        return code
    sent = _is_provider_body(parsed)
    if not sent:
        guesses.complete_options(parsed, corpus)
    missing = [name for name, value in (("--upstream", parsed.upstream), ("OUTPUT", parsed.output)) if value is None]
    if not sent and len(missing) == 1 and not (parsed.stream and parsed.output is None):
        raise UsageError(f"the following arguments are required: {', '.join(missing)}")
    for name in (parsed.client, parsed.upstream):
        if name is not None and name not in corpus.formats:
            raise UsageError(f"there is no format {name!r}{did_you_mean(name, corpus.formats)}")
    if sent:
        earlier_requests.verify(parsed)
        return bodies.judge_provider_body(parsed, corpus)
    if parsed.source == parsed.output == "-":
        raise UsageError("only one of the two bodies can be read from stdin")
    earlier_requests.verify(parsed)
    if parsed.stream:
        return bodies.judge_stream(parsed, corpus)
    return bodies.judge_body(parsed, corpus) if parsed.output is None else bodies.judge_translation(parsed, corpus)


def _judge_exchanges(parsed: argparse.Namespace, corpus: Corpus, settings: CommandSettings) -> int | None:
    """Judge lists of exchanges; None where SOURCE is a body or a stream, or an option says so."""
    if parsed.response or parsed.error or parsed.stream:
        return None
    from toolcall_conformance.cli.judge import exchange_lists

    captures = [exchange_lists.read(corpus, name) for name in (parsed.source, parsed.output)]
    if captures[0] is None and captures[1] is None:
        return None
    if parsed.output is not None and None in captures:
        capture_name, other = (parsed.source, parsed.output) if captures[1] is None else (parsed.output, parsed.source)
        form = next(capture.form for capture in captures if capture is not None)
        raise UsageError(
            f"{capture_name} holds {form}, and {other} one body; give two lists of exchanges, or two bodies"
        )
    assert captures[0] is not None
    return exchange_lists.run(parsed, corpus, settings, captures[0], captures[1])


def _is_provider_body(parsed: argparse.Namespace) -> bool:
    """Whether the one body is what a provider sent; UsageError where that is a request, which no provider sends."""
    if parsed.client is not None or parsed.upstream is None or parsed.output is not None:
        return False
    if not (parsed.response or parsed.error or parsed.stream):
        raise UsageError(
            "with only --upstream, SOURCE is what the provider sent: add --response, --error or --stream; "
            "a request is judged with --client"
        )
    return True
