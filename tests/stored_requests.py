"""Requests that go on from an earlier reply, as a client of Responses sends them, and the reference's for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.conversation.client import ClientHabit, continue_from_reply, request_to_send
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator

CLIENT = "openai_responses"
UPSTREAMS = ("anthropic", "gemini", "openai_chat")
STORED = ClientHabit(stored=True)
CASES = sorted(name for name, case in load_corpus().cases.items() if "stored-state" in case.features)


def route(case: Case, upstream: str) -> Route:
    return Route(CLIENT, upstream, case.model(CLIENT), case.model(upstream))


def request_pairs(case_id: str, upstream: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each request of a conversation that leaves out the earlier turns, and the upstream request for it."""
    case = load_corpus().cases[case_id]
    session = ReferenceTranslator().open(route(case, upstream))
    request = case.exchanges(CLIENT)[0].request
    session.request(request)
    upstreams = case.exchanges(upstream)
    for following, upstream_exchange in zip(case.exchanges(CLIENT)[1:], upstreams, strict=False):
        reply = session.response(upstream_exchange.response)
        whole = continue_from_reply(CLIENT, request, reply, following, STORED)
        sent = request_to_send(CLIENT, request, reply, whole, STORED)
        yield sent, session.request(sent)
        request = whole


ALL = list(itertools.product(CASES, UPSTREAMS))
