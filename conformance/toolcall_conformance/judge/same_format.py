"""Two bodies of one format: JSON equality, the model aside. The readings only explain the difference."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolcall_conformance.findings import Finding
from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.translation import identity
from toolcall_conformance.translation.pair import Sides


def came_back(sides: Sides, source: Any, output: dict[str, Any], *, exactly: bool) -> bool:
    """Whether a body came back unchanged, so that nothing is to report. ``exactly``: the model counts, too."""
    if not any(key in output for key in sides.target["containers"][sides.output.direction]):
        return False
    aside = frozenset() if exactly else _model_keys(sides)
    return equal(identity.without(source, aside), identity.without(output, aside))


def differences(sides: Sides, source: Any, output: dict[str, Any], found: Iterable[Finding]) -> list[Finding]:
    """The differences, as the comparisons reported them (``found``) where they did."""
    aside = _model_keys(sides)
    explained = [finding for finding in found if finding.is_must]
    places = [finding.pointer for finding in explained if finding.pointer]
    plain = identity.differences(identity.without(source, aside), identity.without(output, aside))
    for count, (pointer, want, got) in enumerate(plain):
        if count == identity.MOST:
            break
        if not any(pointer == place or pointer.startswith(place + "/") for place in places):
            explained.append(_difference(sides, pointer, want, got))
    return explained


def _model_keys(sides: Sides) -> frozenset[str]:
    return frozenset(sides.target.get("model_keys", ["model"]))


def _difference(sides: Sides, pointer: str, want: Any, got: Any) -> Finding:
    same = identity.says_the_same(
        want,
        got,
        pointer,
        sides.target.get("defaults", {}),
        reply=sides.output.direction == "response",
        generated=sides.target["generated_keys"],
        zeros=sides.target.get("omits_zeros", False),
    )
    rule = "translation/identity-spelling" if same else "translation/identity"
    return sides.finding(rule, pointer, want=want, got=got)
