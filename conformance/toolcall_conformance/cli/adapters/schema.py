"""``toolcall-conformance schema``: the JSON Schemas of the messages of ``exec:`` translators, and of the settings."""

from __future__ import annotations

import argparse
import json

from toolcall_conformance.basics import settings_sources
from toolcall_conformance.cli.console import say_json
from toolcall_conformance.cli.parser import UsageError, did_you_mean
from toolcall_conformance.drivers import protocol


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "message", nargs="?", metavar="MESSAGE", help="one message only: request, request-answer, …; or `settings`"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print the schema of all messages, of the one that was named, or of the settings."""
    if parsed.message is None:
        schema = protocol.load_schema()
    elif parsed.message == "settings":
        schema = settings_sources.pyproject_schema()
    else:
        names = protocol.load_schema()["$defs"]
        if parsed.message not in names:
            advice = did_you_mean(parsed.message, names) or f"; there are {', '.join(names)}"
            raise UsageError(f"there is no message {parsed.message!r}{advice}")
        schema = protocol.load_message_schema(parsed.message)
    say_json(json.dumps(schema, indent=2, ensure_ascii=False))
    return 0
