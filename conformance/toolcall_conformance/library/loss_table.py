"""The loss table: what each format can say, and so what must, may or cannot survive between two formats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from itertools import permutations
from typing import Any

from toolcall_conformance.library import Corpus

_LIMITING = ("least", "most", "entries", "blank", "refused", "taken", "models", "beside", "beside_tools")
#: The ways that an element can take between a client and a provider.
WAYS = ("request", "reply", "loop")


@cache
def demands(corpus: Corpus, where: str, client: str, upstream: str) -> Mapping[str, str]:
    """How far each element must survive on a route: ``must``, ``may`` or ``cannot``.

    ``where`` is ``request`` (from the client up), ``reply`` (from the provider down), or ``loop``: what the provider
    said comes back to it through the client. What only requests say has no loop of its own; there the upstream's
    request is meant, put into the client's format and back.
    """
    return {element: _demand(corpus, where, client, upstream, element) for element in corpus.elements}


def _demand(corpus: Corpus, where: str, client: str, upstream: str, element: str) -> str:
    if where == "loop" and "reply" not in corpus.elements[element]["in"]:
        where, client, upstream = "request", upstream, client
    exception = _exception(corpus, where, client, upstream, element)
    if exception is not None:
        return str(exception["demand"])
    ways = {corpus.expresses(client, element), corpus.expresses(upstream, element)}
    if "no" in ways:
        return "cannot"
    # Between two ends of one format a convention needs no agreement: its text can stay unchanged.
    return "may" if "convention" in ways and client != upstream else "must"


def _exception(corpus: Corpus, where: str, client: str, upstream: str, element: str) -> Mapping[str, Any] | None:
    pair = f"{client}-to-{upstream}"
    fitting = (
        entry
        for entry in corpus.exceptions
        if entry["element"] == element and where in entry["where"] and pair in entry["pairs"]
    )
    return next(fitting, None)


def pairs(corpus: Corpus) -> tuple[str, ...]:
    """The names of all routes between two different formats: ``client-to-upstream``."""
    return tuple(f"{client}-to-{upstream}" for client, upstream in permutations(corpus.formats, 2))


def table(corpus: Corpus) -> dict[str, Any]:
    """The loss table: for each pair and each way, the elements that one end says and that need not arrive.

    This is the content of ``translation/losses.json``; its schema is ``schemas/losses.schema.json``.
    """
    return {
        "pairs": {
            f"{client}-to-{upstream}": {where: list(_losses(corpus, where, client, upstream)) for where in WAYS}
            for client, upstream in permutations(corpus.formats, 2)
        }
    }


def _losses(corpus: Corpus, where: str, client: str, upstream: str) -> Iterator[dict[str, Any]]:
    """What may or must be lost on one way, the certain losses first."""
    spoken = {"request"} if where == "request" else {"reply"} if where == "reply" else {"request", "reply"}
    sender, received = (client, upstream) if where == "request" else (upstream, client)
    losses = []
    for element, demand in demands(corpus, where, client, upstream).items():
        source, target = corpus.expression(sender, element), corpus.expression(received, element)
        if source["how"] == "no" or not spoken <= set(corpus.elements[element]["in"]):
            continue
        if demand != "must":
            exception = _exception(corpus, where, client, upstream, element)
            losses.append(_loss(element, demand, source, target, exception))
        types = _untaken_types(source, target) if demand != "cannot" else []
        if types:
            why = f"it takes {', '.join(target['types'])}"
            losses.append(_loss(element, "cannot", source, target, None) | {"types": types, "why": why})
        if where == "request" and demand == "must":
            losses.extend(_limits(corpus, received, element, source))
    yield from sorted(losses, key=lambda loss: str(loss["demand"]))


def _limits(corpus: Corpus, received: str, element: str, source: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What of a setting's values the one end does not take, as it documents."""
    for entry in corpus.format(received).get("limits", ()):
        limit = {key: entry[key] for key in _LIMITING if key in entry}
        if entry["setting"].replace("_", "-") == element and limit.keys() - {"models", "beside", "beside_tools"}:
            loss = {"element": element, "demand": "cannot", "said": source["as"], "limit": limit}
            yield loss | {"why": "only within this limit", "url": entry["url"]}


def _untaken_types(source: Mapping[str, Any], target: Mapping[str, Any]) -> list[str]:
    """The media types that the one end says and the other is not known to take; none if one does not list its own."""
    patterns = target.get("types")
    if patterns is None:
        return []
    return [mime for mime in source.get("types", ()) if not any(fnmatchcase(mime, pattern) for pattern in patterns)]


def _loss(
    element: str,
    demand: str,
    source: Mapping[str, Any],
    target: Mapping[str, Any],
    exception: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """One entry: the element, as what the one end says it, as what the other may, and why that is not the same."""
    # The side that is not native gives the reason; where both are native, the exception does.
    weak = target if target["how"] != "native" else source
    target_entry, why = (target, weak.get("note")) if exception is None else (exception, exception["reason"])
    loss: dict[str, Any] = {"element": element, "demand": demand, "said": source["as"]}
    if demand == "may" and "as" in target_entry:
        loss["there"] = target_entry["as"]
    conventions = {name: None for entry in (source, target) for name in entry.get("conventions", ())}
    if demand == "may" and exception is None and conventions:
        loss["conventions"] = list(conventions)
    if why is not None:
        loss["why"] = why
    url = (weak if exception is None else exception).get("url")
    if url is not None:
        loss["url"] = url
    return loss
