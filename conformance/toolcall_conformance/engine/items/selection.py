"""Parses the arguments that select items: the grammar of ``toolcall::CASE::CHECK::ROUTE`` and its error messages.

Checks within one format have that format in place of the route. A route selects its plain item alone, so that the id of
each item selects just this one; ``ROUTE*`` selects its variants, too. ``@quick`` in place of a case selects the items
of ``corpus/quick.json``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.checks import ONE_FORMAT, VARIANTS_BY_CHECK
from toolcall_conformance.recording.cassettes.cases import FAMILY
from toolcall_conformance.recording.cassettes.replay.checks import ALONE
from toolcall_conformance.recording.pairs import FAMILY as PAIRS
from toolcall_conformance.trust.fuzz.cases import FAMILY as DRAWN

PREFIX = "toolcall"
QUICK = "@quick"
ListedItems = Mapping[str, Mapping[str, Collection[str]]]
_RECORDINGS_HINT = "recordings need --toolcall-cassettes=FOLDER"


class SelectionError(Exception):
    """An id that names nothing; the message suggests similar ones."""


@dataclass(frozen=True, slots=True)
class _Selector:
    """What one argument selects; None means all. ``cases`` is one case or a family. The plain variant is ``""``.

    ``items`` lists the cases by check and by the last part of the node id; nothing else is selected then.
    """

    cases: frozenset[str] | None = None
    check: str | None = None
    route: str | None = None
    variant: str | None = None
    items: ListedItems | None = None

    def selects(
        self, case: str, check: str | None = None, route: str | None = None, variant: str | None = None
    ) -> bool:
        return (
            (self.cases is None or case in self.cases)
            and (check is None or self.check in (None, check))
            and (route is None or self.route in (None, route))
            and (variant is None or self.variant in (None, variant))
            and (self.items is None or self._is_listed(self.items, case, check, route, variant))
        )

    @staticmethod
    def _is_listed(items: ListedItems, case: str, check: str | None, route: str | None, variant: str | None) -> bool:
        """Whether the list has such an item; None matches anything."""
        checks = items.values() if check is None else [items.get(check, {})]
        if variant is not None:
            name = f"{route}-{variant}" if variant else str(route)
            return any(case in names.get(name, ()) for names in checks)
        return any(
            case in cases
            for names in checks
            for name, cases in names.items()
            if route is None or name == route or name.startswith(f"{route}-")
        )


class Selection:
    """What all arguments select together."""

    def __init__(self, selectors: Sequence[_Selector]) -> None:
        self._selectors = tuple(selectors)

    def selects(
        self, case: str, check: str | None = None, route: str | None = None, variant: str | None = None
    ) -> bool:
        """Whether a case, a check of it, or a route or variant of that is selected, in whole or in part."""
        return any(selector.selects(case, check, route, variant) for selector in self._selectors)

    def selects_case(self, case: str) -> bool:
        """Whether a case is selected, in whole or in part."""
        return self.selects(case)

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks that the arguments name."""
        return tuple(dict.fromkeys(selector.check for selector in self._selectors if selector.check is not None))

    @property
    def routes(self) -> tuple[str, ...]:
        """The routes that the arguments name, with the variant if there is one."""
        named = ("-".join(filter(None, (selector.route, selector.variant))) for selector in self._selectors)
        return tuple(dict.fromkeys(filter(None, named)))


def parse_selection(
    arguments: Sequence[str],
    *,
    cases: Mapping[str, Collection[str]],
    checks: Collection[str],
    formats: Collection[str],
    quick: Callable[[], ListedItems] = dict,
) -> Selection:
    """Parse ``arguments`` into a selection.

    ``cases`` maps the id of each case to its formats; ``quick`` returns the items of ``@quick``. Raises SelectionError.
    """
    return Selection([_parse_argument(argument, cases, checks, formats, quick) for argument in arguments])


def _parse_argument(
    argument: str,
    cases: Mapping[str, Collection[str]],
    checks: Collection[str],
    formats: Collection[str],
    quick: Callable[[], ListedItems],
) -> _Selector:
    """Parse one argument. Raises SelectionError."""
    parts = argument.split("::")[1:]
    while parts and not parts[-1]:
        parts.pop()
    if len(parts) > 3:
        raise SelectionError(
            f"{argument}: an id has three parts, {PREFIX}::CASE::CHECK::CLIENT-to-UPSTREAM[-VARIANT or *]"
        )
    padded: list[str | None] = [*parts, None, None, None]
    case, check, route = padded[:3]
    items = quick() if case == QUICK else None
    case_ids = _find_cases(argument, case, cases) if items is None else _listed_cases(items) & cases.keys()
    if check is not None and check not in checks:
        if check in ALONE:
            raise SelectionError(f"{argument}: {check} is a check of recordings; {_RECORDINGS_HINT}")
        raise SelectionError(f"{argument}: there is no check {check!r}{_suggestion(check, checks)}")
    variant = None
    if route is not None:
        if check in ONE_FORMAT and "-to-" in route:
            client = route.partition("-to-")[0]
            raise SelectionError(f"{argument}: {check} is within one format; write {PREFIX}::{case}::{check}::{client}")
        places = (
            [*formats] if check in ONE_FORMAT else [f"{client}-to-{other}" for client in formats for other in formats]
        )
        route, variant = _split_variant(argument, route, places, VARIANTS_BY_CHECK.get(check or "", ()))
        _verify_route(argument, route, case_ids, cases, places)
    return _Selector(case_ids, check, route, variant, items)


def _split_variant(argument: str, name: str, places: Collection[str], ways: Collection[str]) -> tuple[str, str | None]:
    """Split ``anthropic-to-gemini-swapped`` into route and variant; None for ``ROUTE*``, which selects all variants."""
    if name.endswith("*"):
        return name.removesuffix("*"), None
    for route in places:
        variant = name.removeprefix(f"{route}-")
        if variant != name:
            if variant not in ways:
                raise SelectionError(
                    f"{argument}: there is no variant {variant!r}{_suggestion(variant, set(ways) - {''})}"
                )
            return route, variant
    return name, ""


def _listed_cases(items: ListedItems) -> frozenset[str]:
    return frozenset(case for names in items.values() for cases in names.values() for case in cases)


def _find_cases(argument: str, name: str | None, cases: Mapping[str, Collection[str]]) -> frozenset[str] | None:
    """The ids of a case or a family; None for all. Raises SelectionError."""
    if name is None:
        return None
    if name in cases:
        return frozenset([name])
    family = frozenset(case for case in cases if case.split("/")[0] == name)
    if family:
        return family
    families = {case.split("/")[0] for case in cases}
    if name.split("/")[0] == FAMILY and FAMILY not in families:
        raise SelectionError(f"{argument}: {_RECORDINGS_HINT}")
    if name.split("/")[0] == PAIRS and PAIRS not in families:
        raise SelectionError(f"{argument}: golden files need --toolcall-pairs=FILE.toml")
    if name.split("/")[0] == DRAWN and DRAWN not in families:
        raise SelectionError(f"{argument}: generated conversations need --toolcall-fuzz N")
    names = {*cases, *families, QUICK}
    raise SelectionError(f"{argument}: there is no case or family {name!r}{_suggestion(name, names)}")


def _verify_route(
    argument: str,
    route: str,
    case_ids: frozenset[str] | None,
    cases: Mapping[str, Collection[str]],
    places: Collection[str],
) -> None:
    if route not in places:
        kind = "route" if any("-to-" in place for place in places) else "format"
        raise SelectionError(f"{argument}: there is no {kind} {route!r}{_suggestion(route, places)}")
    ends, rendered = set(route.split("-to-")), {name for case in case_ids or cases for name in cases[case]}
    # A case without any body is reported when its bodies are read.
    if rendered and not any(ends <= set(cases[case]) for case in case_ids or cases):
        missing = ", ".join(sorted(ends - rendered)) or "both formats"
        whose = "the case has" if case_ids is not None and len(case_ids) == 1 else "its cases have"
        formats_text = ", ".join(sorted(rendered))
        raise SelectionError(f"{argument}: {whose} no bodies of {missing}; there are those of {formats_text}")


def _suggestion(wrong: str, names: Collection[str]) -> str:
    if not names:
        return "; there are none"
    close = difflib.get_close_matches(wrong, sorted(names), n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    if len(names) <= 20:
        return f"; there are {', '.join(sorted(names))}"
    return "; `toolcall-conformance list cases` lists all"
