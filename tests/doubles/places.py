"""Where doubles are tried: what the reference makes of every body of the corpus, and of the examples of the rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from doubles.illegal import ILLEGAL
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator, Refused, Session


@dataclass(frozen=True, slots=True)
class Place:
    """A body and what the reference made of it. ``source`` was given, ``output`` came out.

    ``asked`` is the client's request of the exchange, for replies; ``declared`` is what the reference says it lost.
    """

    case: str
    number: int
    check: str
    client: str
    upstream: str
    client_model: str
    upstream_model: str
    source: Any
    output: Any
    asked: Any = None
    declared: frozenset[str] = frozenset()

    @property
    def source_format(self) -> str:
        return self.client if self.check == "request" else self.upstream

    @property
    def target(self) -> str:
        return self.upstream if self.check == "request" else self.client

    @property
    def route(self) -> Route:
        return Route(self.client, self.upstream, self.client_model, self.upstream_model)

    def __str__(self) -> str:
        return f"{self.case}::{self.check}::{self.route} ({self.number:02})"


@cache
def places(check: str, source: str, target: str) -> tuple[Place, ...]:
    """Every place of a check where a body of one format becomes one of another.

    The examples of the translation rules have what the cases lack: pictures, free-text tools, signatures.
    """
    all_places = [place for case in load_corpus().cases for place in places_of(check, source, target, case)]
    sources: list[Any] = []
    for rule in load_corpus().rules:
        for place in places_of(check, source, target, rule):
            if place.source not in sources:
                sources.append(place.source)
                all_places.append(place)
    return tuple(all_places)


@cache
def places_of(check: str, source: str, target: str, name: str) -> tuple[Place, ...]:
    """The places in a case, or in the example of a rule; none if there is neither of that name."""
    if name in load_corpus().cases:
        client, upstream = (source, target) if check == "request" else (target, source)
        return tuple(_case_places(load_corpus().cases[name], check, client, upstream))
    return tuple(_rule_places(name, check, source, target)) if name in load_corpus().rules else ()


def _case_places(case: Case, check: str, client: str, upstream: str) -> Iterator[Place]:
    if not {client, upstream} <= set(case.formats):
        return
    route = Route(client, upstream, case.model(client), case.model(upstream))
    session = ReferenceTranslator().open(route)
    for client_exchange, upstream_exchange in zip(case.exchanges(client), case.exchanges(upstream), strict=True):
        try:
            request_output = session.request(client_exchange.request)
        except Refused:  # it names what only its own provider keeps
            continue
        body = {
            "request": client_exchange.request,
            "response": upstream_exchange.response,
            "error": upstream_exchange.error,
        }[check]
        if body is None or (check == "response" and not case.replies(client, upstream)):
            continue
        try:
            output = request_output if check == "request" else translate_body(session, check, body)
        except Refused:  # a reply that no client of this format can be told of
            continue
        lost = _declared_losses(session)
        models = (route.client_model, route.upstream_model)
        yield Place(
            case.id,
            client_exchange.number,
            check,
            client,
            upstream,
            *models,
            body,
            output,
            client_exchange.request,
            lost,
        )


def _rule_places(name: str, check: str, source: str, target: str) -> Iterator[Place]:
    rule = load_corpus().rules[name]
    if rule.raw["check"] != "judge" or rule.raw["direction"] != check or name in ODD:
        return
    if name in OF_RESPONSES and target != "openai_responses":
        return
    example = rule.raw["obeys"]
    client, upstream = (source, target) if check == "request" else (target, source)
    if source != example["client" if check == "request" else "upstream"]:
        return
    models = (default_model(client), default_model(upstream))
    session = ReferenceTranslator().open(Route(client, upstream, *models))
    output = translate_body(session, check, example["source"])
    yield Place(name, 1, check, client, upstream, *models, example["source"], output, {}, _declared_losses(session))


@cache
def illegal(check: str, source: str, target: str, only: str = "") -> tuple[Place, ...]:
    """Bodies that break a rule of their own format, for the doubles that name them in ``cases``; all, or one."""
    client, upstream = (source, target) if check == "request" else (target, source)
    models = (default_model(client), default_model(upstream))
    examples = []
    for name, make in ILLEGAL.items():
        body = make(check, source)
        if body is not None and only in ("", name):
            output = translate_body(ReferenceTranslator().open(Route(client, upstream, *models)), check, body)
            examples.append(Place(name, 1, check, client, upstream, *models, body, output, {}))
    return tuple(examples)


def _declared_losses(session: Session) -> frozenset[str]:
    """What is lost in the last translation, as the reference says."""
    return frozenset(loss.element for loss in session.losses)


def translate_body(session: Session, check: str, body: Any) -> Any:
    """What a session of the reference makes of a body, or of an error as ``{"status", "headers", "body"}``."""
    if check != "error":
        return session.request(body) if check == "request" else session.response(body)
    status, error, headers = session.error(body["status"], body["body"], body.get("headers", {}))
    return {"status": status, "headers": headers, "body": error}


ODD = ("translation/unreadable-arguments", "translation/stored-history", "translation/compaction-asked")
"""Examples whose source is broken itself, or that only its own provider can take: a fault in them is another matter."""

OF_RESPONSES = ("translation/hosted-tool-lost", "translation/hosted-tool-as-function")
"""Examples of which another target cannot say all: what is lost there is declared, and a body does not show that."""


def default_model(format_name: str) -> str:
    """The model of a format for a body that names none."""
    models = {"anthropic": "claude-sonnet-4-5-20250929", "gemini": "gemini-2.5-flash"}
    return models.get(format_name, "gpt-4.1-2025-04-14")
