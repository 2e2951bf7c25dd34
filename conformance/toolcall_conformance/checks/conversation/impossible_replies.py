"""Golden replies, or state in them, that no provider would send, because the request asks for less."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.excuses.thinking_state import THINKING_NOT_ASKED
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.library import Corpus


def why_impossible(corpus: Corpus, route: Route, reply: Any, client_request: Any, upstream_request: Any) -> str:
    """Why the provider does not send ``reply``: it lists several, and one was asked for; empty for any other reply.

    The ``upstream_request`` decides; if it is None, the ``client_request`` does.
    """
    listed = corpus.format(route.upstream).get("several_replies")
    count = len(reply.get(listed) or ()) if listed is not None and isinstance(reply, dict) else 0
    name, request = (route.client, client_request) if upstream_request is None else (route.upstream, upstream_request)
    if count < 2 or _asks_for_several(name, request):
        return ""
    return f"not played: the request asks for one reply, and this case's provider gives {count}"


def _asks_for_several(format_name: str, request: Any) -> bool:
    setting = formats.read(format_name, "request", request).settings.get("reply_count")
    return setting is not None and isinstance(setting.value, int) and setting.value > 1


def excuse_ungiven_state(
    corpus: Corpus, findings: tuple[Finding, ...], golden: Any, ungiven: frozenset[str]
) -> tuple[Finding, ...]:
    """The findings; those on state of the ``golden`` request that no provider would have sent are lowered."""
    return tuple(
        apply_circumstances(corpus, finding, [THINKING_NOT_ASKED])
        if _text_at(golden, finding.source_pointer) in ungiven
        else finding
        for finding in findings
    )


def _text_at(body: Any, pointer: str | None) -> str | None:
    """The text at a place of a body; None if there is none."""
    try:
        value = None if pointer is None else resolve(body, pointer)
    except LookupError:
        return None
    return value if isinstance(value, str) else None
