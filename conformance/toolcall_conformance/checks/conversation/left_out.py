"""Requests that fail for a setting: the same without it, so that what follows the request can still be judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve, unescape
from toolcall_conformance.checks.base import Failed, failure
from toolcall_conformance.drivers import Crashed, Inapplicable, TimedOut
from toolcall_conformance.judge.excuses.nameable_parts import is_named, setting_names
from toolcall_conformance.library import Corpus

# Without these it would be another exchange.
_KEPT: Final = frozenset({"model", "stream"})


def shorter_requests(corpus: Corpus, name: str, body: Any, failed: Failed) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The request of the format ``name`` without the settings that ``failed`` names, and without all settings.

    Yields the pointers of what is left out, and the body. Yields nothing where the translator does not come back, and
    where its failure says nothing of it.
    """
    if (
        name not in formats.names()
        or isinstance(failed, (TimedOut, Inapplicable))
        or (isinstance(failed, Crashed) and failed.died)
    ):
        return
    required = "max_output_tokens" if corpus.format(name).get("max_output_tokens_required") else ""
    settings = [
        setting
        for setting in formats.read(name, "request", body).settings.values()
        if setting.name not in {*_KEPT, required}
    ]
    words = failure(corpus, "request", failed, "").message
    named = _outermost([setting.pointer for setting in settings if is_named(setting_names(corpus, setting), words)])
    every = _outermost([setting.pointer for setting in settings])
    for pointers in dict.fromkeys(pointers for pointers in (named, every) if pointers):
        yield pointers, without(body, pointers)


def without(body: Any, pointers: Sequence[str]) -> Any:
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


def _outermost(pointers: Sequence[str]) -> tuple[str, ...]:
    """The pointers that are not below another one."""
    return tuple(
        dict.fromkeys(pointer for pointer in pointers if not any(pointer.startswith(f"{other}/") for other in pointers))
    )
