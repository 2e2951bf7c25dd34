"""The signature that findings of one cause share: a rule, an element, a format, a kind of place and of difference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, OneOf
from toolcall_conformance.basics.jsonvalue import unescape
from toolcall_conformance.library import Corpus

# Words of formats and names of subjects, never sentences or ids.
_WORD = re.compile(r"[A-Za-z_]{1,40}")
_MAX_GIST_LENGTH = 80
# A signature does not list more wanted words than these.
_MAX_WORDS_NAMED = 3


@dataclass(frozen=True, slots=True, order=True)
class Cause:
    """The signature of a finding, without values and ids.

    ``format`` is that of the wrong body. ``place`` is a JSON Pointer with ``*`` for numbers and ``**`` for what a user
    names, or the name of a missing setting. ``difference`` is ``lost`` (nothing where something should be), ``added``,
    ``type`` (another JSON type), ``value``, or empty if one side has no known value. Between two words of a format it
    names both, ``tool_use≠end_turn``, with ``*`` for many wanted ones; of a failed call it is the gist of the message.
    It has no spaces.
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
    if not place and finding.element in corpus.places["subjects"]["keys"]:
        place = finding.subject.replace(" ", "_")
    return Cause(finding.rule, finding.element, finding.format, place, _cause_difference(corpus, finding))


def _cause_difference(corpus: Corpus, finding: Finding) -> str:
    if finding.rule in corpus.places["messages"]["keys"]:
        return _message_gist(finding.message)
    last = finding.pointer.rpartition("/")[2]
    if last in corpus.places["words"]["keys"] and isinstance(finding.got, str):
        expected = finding.want.values if isinstance(finding.want, OneOf) else (finding.want,)
        if all(isinstance(word, str) and _WORD.fullmatch(word) for word in (finding.got, *expected)):
            return f"{'|'.join(expected) if len(expected) <= _MAX_WORDS_NAMED else '*'}≠{finding.got}"
    return difference_kind(finding.want, finding.got)


def _message_gist(message: str) -> str:
    """A message without the parts that differ from input to input."""
    quoted = re.sub(r"""(?<!\w)'[^']*'|"[^"]*"|`[^`]*`""", "*", message)
    return re.sub(r"\s+", "_", re.sub(r"\d+", "*", quoted).strip())[:_MAX_GIST_LENGTH]


def kind_of_place(corpus: Corpus, pointer: str) -> str:
    """A JSON Pointer without the parts that differ between bodies with the same fault.

    ``/tools/0/parameters/properties/cmd/items/type`` becomes ``/tools/*/parameters/**/type``.
    """
    deeper, values = (frozenset(corpus.places[name]["keys"]) for name in ("deeper", "values"))
    steps: list[str] = []
    for before, token in pairwise(map(unescape, pointer.split("/"))):
        number = token.isdecimal()
        if not number and (before in values or "/".join([*steps[-2:]]) in values):
            return "/".join(["", *steps, "**"])
        if token in deeper or before in deeper:
            steps += [] if steps[-1:] == ["**"] else ["**"]
        else:
            steps.append("*" if number else token)
    return "/".join(["", *steps]) if steps else ""


def difference_kind(want: Any, got: Any) -> str:
    """The kind of difference between the wanted value and the actual one: see ``Cause.difference``."""
    if want is MISSING and got is not MISSING:
        return "added"
    if got is MISSING and want is not MISSING:
        return "lost"
    if want is NOT_KNOWN or got is NOT_KNOWN or isinstance(want, Form):
        return ""
    expected = want.values if isinstance(want, OneOf) else (want,)
    return "value" if type(got) in {type(value) for value in expected} else "type"
