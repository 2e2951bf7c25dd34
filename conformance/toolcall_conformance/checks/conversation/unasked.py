"""Golden replies that no provider would send, because their request asked for less; and what of one it would not."""

from __future__ import annotations

from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.judge.excuses.thinking_state import THINKING_NOT_ASKED
from toolcall_conformance.judge.levels import apply_circumstances
from toolcall_conformance.library import Corpus


def unasked(corpus: Corpus, route: Route, reply: Any, client_request: Any, sent: Any) -> str:
    """Why the provider does not send ``reply``: it lists several, and one was asked for; empty for any other reply.

    The request that was ``sent`` to the provider decides; where none was, the client's (``client_request``).
    """
    listed = corpus.format(route.upstream).get("several_replies")
    count = len(reply.get(listed) or ()) if listed is not None and isinstance(reply, dict) else 0
    name, request = (route.client, client_request) if sent is None else (route.upstream, sent)
    if count < 2 or _asks_for_several(name, request):
        return ""
    return f"not played: the request asks for one reply, and this case's provider gives {count}"


def _asks_for_several(name: str, request: Any) -> bool:
    setting = formats.read(name, "request", request).settings.get("reply_count")
    return setting is not None and isinstance(setting.value, int) and setting.value > 1


def lighter_for_ungiven(
    corpus: Corpus, findings: tuple[Finding, ...], golden: Any, ungiven: frozenset[str]
) -> tuple[Finding, ...]:
    """The findings, lighter where they are about state of the ``golden`` request that no provider would have sent."""
    return tuple(
        apply_circumstances(corpus, finding, [THINKING_NOT_ASKED])
        if _text_at(golden, finding.source_pointer) in ungiven
        else finding
        for finding in findings
    )


def _text_at(body: Any, pointer: str | None) -> str | None:
    """The text at a place of a body; None where there is none."""
    try:
        value = None if pointer is None else resolve(body, pointer)
    except LookupError:
        return None
    return value if isinstance(value, str) else None
