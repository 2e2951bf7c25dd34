"""What findings with one cause have in common: a rule, an element, a format, a kind of place and of difference."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from toolcall_conformance.findings import MISSING, NOT_KNOWN, Finding, OneOf
from toolcall_conformance.jsonvalue import unescaped
from toolcall_conformance.library import Corpus


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """The signature of a finding, without values and ids.

    ``format`` is that of the wrong body. ``place`` is a JSON Pointer with ``*`` for numbers and ``**`` for what a user
    names. ``difference`` is ``lost`` (nothing stands where something should), ``added``, ``type`` (another JSON type),
    ``value``, or empty where neither side is known.
    """

    rule: str
    element: str
    format: str
    place: str
    difference: str

    def __str__(self) -> str:
        return " ".join(
            [self.rule, *(word or "-" for word in (self.element, self.format, self.place, self.difference))]
        )


def cause_of(corpus: Corpus, finding: Finding) -> Cause:
    """The signature of a finding."""
    place = kind_of_place(corpus, finding.pointer)
    return Cause(finding.rule, finding.element, finding.format, place, difference(finding.want, finding.got))


def kind_of_place(corpus: Corpus, pointer: str) -> str:
    """A JSON Pointer without what differs between bodies that are wrong in the same way.

    ``/tools/0/parameters/properties/cmd/items/type`` becomes ``/tools/*/parameters/**/type``.
    """
    deeper, values = (frozenset(corpus.places[name]["keys"]) for name in ("deeper", "values"))
    steps: list[str] = []
    for before, token in pairwise(map(unescaped, pointer.split("/"))):
        number = token.isdecimal()
        if before in values and not number:
            return "/".join(["", *steps, "**"])
        if token in deeper or before in deeper:
            steps += [] if steps[-1:] == ["**"] else ["**"]
        else:
            steps.append("*" if number else token)
    return "/".join(["", *steps]) if steps else ""


def difference(want: Any, got: Any) -> str:
    """What kind of difference there is between what should stand somewhere and what does."""
    if want is MISSING and got is not MISSING:
        return "added"
    if got is MISSING and want is not MISSING:
        return "lost"
    if want is NOT_KNOWN or got is NOT_KNOWN:
        return ""
    wanted = want.values if isinstance(want, OneOf) else (want,)
    return "value" if type(got) in {type(value) for value in wanted} else "type"
