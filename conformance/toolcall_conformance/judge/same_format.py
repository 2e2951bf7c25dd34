"""Two bodies of one format: reports the JSON differences that the comparisons of any two bodies do not cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Tolerated
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.judge.places import PlacesByPointer
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.pair import Sides


def is_unchanged(sides: Sides, source: Any, output: dict[str, Any], *, exactly: bool) -> bool:
    """Whether a body is unchanged, so that there is nothing to report.

    A model other than the source's is no change, unless the route names one; a model that is gone is. ``exactly``: any
    other model is a change.
    """
    model = sides.output.settings.get("model")
    if sides.model is not None and model is not None and model.value != sides.model:
        return False
    if not any(key in output for key in sides.target["containers"][sides.output.direction]):
        return False
    if isinstance(source, dict) and "model" in source.keys() - output.keys():
        return False
    aside = frozenset() if exactly else _route_keys(sides)
    return equal(identity.without_keys(source, aside), identity.without_keys(output, aside))


def report_differences(
    sides: Sides, source: Any, output: dict[str, Any], findings: Iterable[Finding], accepted: Iterable[Tolerated] = ()
) -> Iterator[Finding]:
    """Report the differences that ``findings`` lacks; those that an equivalence accepts as another notation."""
    aside, reply = _route_keys(sides), sides.output.direction == "response"
    # Counts are reported as what they count, and as members.
    finding_pointers = _pointers_in_both(
        finding for finding in findings if not finding.is_note and finding.element != "usage"
    )
    reported = PlacesByPointer([*finding_pointers, *_converted_argument_pointers(sides)])
    same = PlacesByPointer([*_pointers_in_both(accepted), *_renamed_setting_pointers(sides)])
    plain = identity.find_differences(identity.without_keys(source, aside), identity.without_keys(output, aside))
    left = (
        (place, want, got)
        for place, want, got in plain
        if not reported.numbers_touching(_difference_pointer(place, want, got))
    )
    counts: Counter[str] = Counter()  # each rule has its own: what says the same must not hide what was lost
    for pointer, want, got in left:
        is_notation = bool(same.numbers_touching(_difference_pointer(pointer, want, got))) or identity.means_the_same(
            want, got, pointer, sides.target, reply=reply
        )
        rule = "translation/identity-spelling" if is_notation else "translation/identity"
        counts[rule] += 1
        if counts[rule] <= identity.MAX_DIFFERENCES:
            yield sides.finding(rule, pointer, want=want, got=got, source=_source_pointer(source, pointer, want))


def _source_pointer(source: Any, pointer: str, want: Any) -> str | None:
    """The pointer of a difference in the source; None for what only the output has."""
    if want is MISSING:
        return None
    try:
        resolve(source, pointer)
    except LookupError:  # pragma: no cover - what the source has is at the same place there
        return None
    return pointer


def _pointers_in_both(entries: Iterable[Finding | Tolerated]) -> list[str]:
    """The pointers of findings or tolerances into either body: in bodies of one format they are interchangeable."""
    pointers = [place for entry in entries for place in (entry.pointer, entry.source_pointer)]
    return [place for place in pointers if place]


def _converted_argument_pointers(sides: Sides) -> Iterator[str]:
    """The pointers of arguments that must be converted back, not left as the provider sent them."""
    for call in sides.source.calls:
        if call.ordinal in sides.arguments_as_sent and call.arguments_pointer is not None:
            yield call.arguments_pointer


def _renamed_setting_pointers(sides: Sides) -> Iterator[str]:
    """The pointers of settings with equal values under another accepted name."""
    for name, setting in sides.source.settings.items():
        other = sides.output.settings.get(name)
        if other is not None and setting.pointer != other.pointer and equal(setting.value, other.value):
            yield from (setting.pointer, other.pointer)


def _difference_pointer(pointer: str, want: Any, got: Any) -> str:
    """The pointer of a difference; of a lost member that in the source."""
    return join(pointer, *want) if got is MISSING and isinstance(want, dict) else pointer


def _route_keys(sides: Sides) -> frozenset[str]:
    """The keys that the route decides: the model; of an error the headers, of which only the wait is compared."""
    return frozenset({"headers"} if sides.output.direction == "error" else sides.target["model_keys"])
