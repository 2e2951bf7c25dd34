"""Shortens requests that fail because of a setting, so that the rest of the exchange can still be judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve, unescape
from toolcall_conformance.checks.base import failure_finding
from toolcall_conformance.drivers import Crashed, FailedOutcome, Inapplicable, TimedOut
from toolcall_conformance.judge.excuses.nameable_parts import is_named, setting_names
from toolcall_conformance.library import Corpus

# Without these settings it would be another exchange.
_REQUIRED_SETTINGS: Final = frozenset({"model", "stream"})


def shorter_requests(
    corpus: Corpus, format_name: str, body: Any, failure: FailedOutcome
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The request of the format ``format_name`` without the settings that ``failure`` names, and without all settings.

    Yields the pointers of the settings left out, and the body. Yields nothing if the translator has died or timed out,
    or if its failure says nothing about it.
    """
    if (
        format_name not in formats.names()
        or isinstance(failure, (TimedOut, Inapplicable))
        or (isinstance(failure, Crashed) and failure.died)
    ):
        return
    required = "max_output_tokens" if corpus.format(format_name).get("max_output_tokens_required") else ""
    settings = [
        setting
        for setting in formats.read(format_name, "request", body).settings.values()
        if setting.name not in {*_REQUIRED_SETTINGS, required}
    ]
    words = failure_finding(corpus, "request", failure, "").message
    named = _outermost_pointers(
        [setting.pointer for setting in settings if is_named(setting_names(corpus, setting), words)]
    )
    all_pointers = _outermost_pointers([setting.pointer for setting in settings])
    for pointers in dict.fromkeys(pointers for pointers in (named, all_pointers) if pointers):
        yield pointers, drop_members(body, pointers)


def drop_members(body: Any, pointers: Sequence[str]) -> Any:
    """The body without the members at ``pointers``; some need not be there."""
    if not pointers:
        return body
    changed = deep_copy(body)
    for pointer in pointers:
        parent, _, key = pointer.rpartition("/")
        try:
            holder = resolve(changed, parent)
        except LookupError:
            continue
        if isinstance(holder, dict):
            holder.pop(unescape(key), None)
    return changed


def _outermost_pointers(pointers: Sequence[str]) -> tuple[str, ...]:
    """The pointers that are not inside another one."""
    return tuple(
        dict.fromkeys(pointer for pointer in pointers if not any(pointer.startswith(f"{other}/") for other in pointers))
    )
