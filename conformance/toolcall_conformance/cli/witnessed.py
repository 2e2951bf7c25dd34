"""``judge --witness``: the official client beside the judge."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from toolcall_conformance import formats
from toolcall_conformance.cli.common import UsageError

if TYPE_CHECKING:
    from toolcall_conformance.basics.reading import Reading
    from toolcall_conformance.trust.witnesses import Witnessed


def witnessed(parsed: argparse.Namespace, direction: str, output: Any, source: Any = None) -> Witnessed | None:
    """What the official client does with the output: of a reply, measured by the upstream's; None if nobody asked.

    Without a source the output stands alone, in the format that ``--client`` names. Raises UsageError.
    """
    if parsed.witness is None or not parsed.witness.value:
        return None
    from toolcall_conformance.trust.witnesses import MissingSDKError, witness

    name, reading = parsed.client, None
    if source is not None and direction == "request":
        name = parsed.upstream
    elif source is not None:
        reading = _meant(parsed.upstream, direction, source)
    try:
        return witness(name, direction, output, expected=reading)
    except MissingSDKError as error:
        raise UsageError(f"{parsed.witness.where}: {error}") from None


def _meant(upstream: str, direction: str, source: Any) -> Reading | None:
    """What the client should read; None where the upstream's stream is not whole."""
    if direction == "stream" and "events" in source:
        whole = formats.assemble(upstream, source).as_sent
        return formats.read(upstream, "response", whole.body) if whole.end == "whole" else None
    return formats.read(upstream, "error" if direction == "error" else "response", source)
