"""What ``explain`` says of an item by its node id: ``toolcall::CASE::CHECK::ROUTE-variant``."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from toolcall_conformance.checks import CHECKS, ONE_FORMAT, VARIANTS_BY_CHECK, variants
from toolcall_conformance.cli.explain.model import Explanation, Part, known_failure
from toolcall_conformance.cli.parser import UsageError, did_you_mean
from toolcall_conformance.library import Corpus

PREFIX = "toolcall::"


@dataclass(frozen=True, slots=True)
class ItemId:
    """A node id in its parts; an empty part means all."""

    case: str
    check: str = ""
    client: str = ""
    upstream: str = ""
    variant: str = ""


def item_of(corpus: Corpus, name: str) -> ItemId:
    """The parts of a node id, with or without ``toolcall::``. Raises UsageError for a part that does not exist."""
    case, check, place, *rest = [*name.removeprefix(PREFIX).split("::"), "", ""]
    if any(rest):
        raise UsageError(f"{name!r} has too many parts: an item is CASE::CHECK::CLIENT-to-UPSTREAM, perhaps -VARIANT")
    _verify("case or family", case, {*corpus.cases, *corpus.families})
    if check:
        _verify("check", check, CHECKS)
    if not place:
        return ItemId(case, check)
    routes = corpus.formats if check in ONE_FORMAT else [f"{a}-to-{b}" for a in corpus.formats for b in corpus.formats]
    ways = {
        f"{route}-{way}" if way else route: (route, way)
        for route in routes
        for way in ("", *VARIANTS_BY_CHECK.get(check, ()))
    }
    _verify("format" if check in ONE_FORMAT else "route", place, ways)
    route, variant = ways[place]
    client, _, upstream = route.partition("-to-")
    return _applicable(corpus, ItemId(case, check, client, upstream or client, variant))


def _verify(noun: str, name: str, names: Collection[str]) -> None:
    if name not in names:
        raise UsageError(f"there is no {noun} {name!r}{did_you_mean(name, names)}")


def _applicable(corpus: Corpus, item: ItemId) -> ItemId:
    """The item, if the corpus has it. A family's item may be there for some of its cases only."""
    case = corpus.cases.get(item.case)
    if case is None:
        return item
    missing = sorted({item.client, item.upstream} - set(case.formats))
    if missing:
        raise UsageError(f"{item.case} is not written in {' and '.join(missing)}; it has {', '.join(case.formats)}")
    # With --toolcall-cuts=all every case's streams are cut.
    has = variants(corpus, item.check, case, item.client, item.upstream, cut_everywhere=True)
    if item.variant not in has:
        names = ", ".join(way or "the plain one" for way in has) or "none"
        raise UsageError(
            f"{item.case} has no {item.variant or 'plain'} variant of {item.check} on this route; it has {names}"
        )
    return item


def explain_item(corpus: Corpus, name: str, item: ItemId, command: str) -> Explanation:
    """What an item plays, part by part, how to run it alone, and how to enter it as known."""
    plain = name.removeprefix(PREFIX)
    title = corpus.cases[item.case].title if item.case in corpus.cases else corpus.families[item.case]
    parts = [Part("case" if item.case in corpus.cases else "family", f"{item.case}: {title}")]
    if item.check:
        parts.append(_word(corpus, "check", item.check))
    if item.client and item.check in ONE_FORMAT:
        parts.append(Part("format", item.client))
    elif item.client:
        parts.append(Part("route", f"a client of {item.client} before {item.upstream}, the upstream"))
    if item.variant:
        parts.append(_word(corpus, "variant", item.variant))
    parts += [known_failure("…", plain), Part("run", f'{command} "{PREFIX}{plain}"', copied=True)]
    return Explanation(f"{PREFIX}{plain}", "item", "(item)" if item.client else "(items)", parts)


def _word(corpus: Corpus, kind: str, name: str) -> Part:
    """A check or a variant, with what it means where the corpus says so."""
    meaning = corpus.words.get(kind, {}).get(name, {}).get("says", "")
    return Part(kind, f"{name}: {meaning}" if meaning else name)
