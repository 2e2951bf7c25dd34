"""The table of notations, ``corpus/mutations/variants.json``, and the variants of a body that it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy, pack
from toolcall_conformance.library import Corpus, CorpusError, read_json
from toolcall_conformance.trust.harmless import members, streams, values
from toolcall_conformance.trust.harmless.notations import REWRITERS, Notation, Site
from toolcall_conformance.trust.operators.spots import Unfit

MODULES = (members, streams, values)
"""The modules whose import fills the table."""


@dataclass(frozen=True, slots=True)
class BodyVariant:
    """Another notation of a body: at one place, or at all of its places (no ``pointer``)."""

    notation: Notation
    site: Site
    everywhere: bool

    @property
    def pointer(self) -> str:
        return "" if self.everywhere else self.site.pointer

    @property
    def kind(self) -> str:
        """The entry that it is of, with the choice."""
        return f"{self.notation.name}={self.site.choice}" if self.site.choice else self.notation.name

    @property
    def name(self) -> str:
        return f"{self.kind}@{self.pointer}"

    @property
    def operator(self) -> str:
        """Its name in the table: of members that say the same, what they become."""
        return _becomes(self) if self.notation.operator == "alike" else self.notation.operator


def _becomes(variant: BodyVariant) -> str:
    if "label" in variant.notation.raw:
        return str(variant.notation.raw["label"])
    if variant.site.choice == members.ABSENT:
        return members.ABSENT
    value = variant.notation.raw["values"][int(variant.site.choice)]
    if value is None:
        return "null"
    return "empty" if value in ("", [], {}) else "default"


class NotationTable:
    """The table as objects. Raises CorpusError for a file that is not there or not right."""

    def __init__(self, corpus: Corpus) -> None:
        raw = read_json(corpus.root / "mutations" / "variants.json")
        if raw["operators"].keys() != REWRITERS.keys():
            differing = ", ".join(sorted(raw["operators"].keys() ^ REWRITERS.keys()))
            raise CorpusError(f"mutations/variants.json and the operators that there are differ in: {differing}")
        self.user_keys: tuple[str, ...] = tuple(raw["own"])
        """Members with what a user wrote himself, of which the types of a client know nothing."""
        self.all = tuple(Notation.of(entry) for entry in raw["variants"])

    def of(self, name: str, direction: str, side: str) -> Iterator[Notation]:
        """Those for bodies of a format, a direction and a side."""
        return (notation for notation in self.all if notation.is_for(name, direction, side))


def variants(notation: Notation, body: Any) -> Iterator[BodyVariant]:
    """All variants that a notation gives: of all places at once, and of each alone."""
    sites = list(REWRITERS[notation.operator].sites(notation, body))
    for choice in dict.fromkeys(site.choice for site in sites):
        alike = [site for site in sites if site.choice == choice]
        yield BodyVariant(notation, alike[0], everywhere=True)
        if len(alike) > 1:
            yield from (BodyVariant(notation, site, everywhere=False) for site in alike)


def apply_variant(variant: BodyVariant, body: Any) -> Any:
    """The body in another notation. Raises Unfit where nothing changes."""
    changed = deep_copy(body)
    change = REWRITERS[variant.notation.operator]
    if variant.everywhere:
        sites = [site for site in change.sites(variant.notation, body) if site.choice == variant.site.choice]
        done = [_changes_body(variant.notation, changed, site) for site in reversed(sites)]
        if not any(done):
            raise Unfit
    else:
        change.change(variant.notation, changed, variant.site)
    if pack(changed) == pack(body):  # the order of keys counts, and how numbers are written
        raise Unfit
    return changed


def _changes_body(notation: Notation, body: Any, site: Site) -> bool:
    try:
        REWRITERS[notation.operator].change(notation, body, site)
    except (Unfit, LookupError):
        return False
    return True
