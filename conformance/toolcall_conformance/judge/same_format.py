"""Two bodies of one format: the comparisons judge them as any two, and what else differs as JSON is reported beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Tolerated
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.judge.places import PlacesByPointer
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.pair import Sides


def came_back(sides: Sides, source: Any, output: dict[str, Any], *, exactly: bool) -> bool:
    """Whether a body came back unchanged, so that nothing is to report.

    Another model than the source's is the route's business, unless the route names one, but not that there is none any
    more. ``exactly``: another one counts, too.
    """
    model = sides.output.settings.get("model")
    if sides.model is not None and model is not None and model.value != sides.model:
        return False
    if not any(key in output for key in sides.target["containers"][sides.output.direction]):
        return False
    if isinstance(source, dict) and "model" in source.keys() - output.keys():
        return False
    aside = frozenset() if exactly else _of_the_route(sides)
    return equal(identity.without_keys(source, aside), identity.without_keys(output, aside))


def differences(
    sides: Sides, source: Any, output: dict[str, Any], findings: Iterable[Finding], accepted: Iterable[Tolerated] = ()
) -> Iterator[Finding]:
    """The differences that ``findings`` lacks. What an equivalence accepts is another notation of the same."""
    aside, reply = _of_the_route(sides), sides.output.direction == "response"
    # Counts are told as what they count, and as members.
    told_as_findings = _places(finding for finding in findings if not finding.is_note and finding.element != "usage")
    reported = PlacesByPointer([*told_as_findings, *_undone(sides)])
    same = PlacesByPointer([*_places(accepted), *_renamed(sides)])
    plain = identity.find_differences(identity.without_keys(source, aside), identity.without_keys(output, aside))
    left = ((place, want, got) for place, want, got in plain if not reported.touching(_whole(place, want, got)))
    counts: Counter[str] = Counter()  # each rule has its own: what says the same must not hide what was lost
    for pointer, want, got in left:
        is_notation = bool(same.touching(_whole(pointer, want, got))) or identity.means_the_same(
            want, got, pointer, sides.target, reply=reply
        )
        rule = "translation/identity-spelling" if is_notation else "translation/identity"
        counts[rule] += 1
        if counts[rule] <= identity.MAX_DIFFERENCES:
            yield sides.finding(rule, pointer, want=want, got=got, source=_in_source(source, pointer, want))


def _in_source(source: Any, pointer: str, want: Any) -> str | None:
    """The same place in the source; None for what only the output has."""
    if want is MISSING:
        return None
    try:
        resolve(source, pointer)
    except LookupError:  # pragma: no cover - what the source has is at the same place there
        return None
    return pointer


def _places(entries: Iterable[Finding | Tolerated]) -> list[str]:
    """The places that findings or tolerances are about, of both bodies: between equal bodies they are the same."""
    pointers = [place for entry in entries for place in (entry.pointer, entry.source_pointer)]
    return [place for place in pointers if place]


def _undone(sides: Sides) -> Iterator[str]:
    """The places of arguments that must not stay as the provider sent them."""
    for call in sides.source.calls:
        if call.ordinal in sides.arguments_as_sent and call.arguments_pointer is not None:
            yield call.arguments_pointer


def _renamed(sides: Sides) -> Iterator[str]:
    """The places of settings that say the same under another name of theirs."""
    for name, setting in sides.source.settings.items():
        other = sides.output.settings.get(name)
        if other is not None and setting.pointer != other.pointer and equal(setting.value, other.value):
            yield from (setting.pointer, other.pointer)


def _whole(pointer: str, want: Any, got: Any) -> str:
    """The place of a difference; of a lost member, which has none in the output, the source's."""
    return join(pointer, *want) if got is MISSING and isinstance(want, dict) else pointer


def _of_the_route(sides: Sides) -> frozenset[str]:
    """What the route decides: the model, and of an error the headers, of which only the time to wait is compared."""
    return frozenset({"headers"} if sides.output.direction == "error" else sides.target["model_keys"])
