"""How the body that an SDK puts on the wire differs from ours, and what an SDK does to a body by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal, join


@dataclass(frozen=True, slots=True)
class Difference:
    """``kind`` is absent (the SDK leaves the member out), added, spelt (same key in another spelling) or changed.

    ``pointer`` leads into the SDK's body, or into ours where it has nothing; ``key`` is the innermost object key.
    """

    kind: str
    pointer: str
    key: str
    ours: Any
    sdk: Any

    def __str__(self) -> str:
        return f"{self.kind} {self.pointer}: ours {_short(self.ours)}, the SDK's {_short(self.sdk)}"


@dataclass(frozen=True, slots=True)
class Own:
    """What an SDK does to every body by itself, as a rule about keys; ``same`` says how far it may go with the values.

    ``within`` is the top-level key of the request under which it happens, empty for everywhere; no ``keys`` are all.
    """

    kind: str
    keys: tuple[str, ...]
    why: str
    within: str = ""
    same: Callable[[Any, Any], bool] | None = None

    def excuses(self, difference: Difference) -> bool:
        path = difference.pointer.split("/")
        return (
            difference.kind == self.kind
            and (not self.keys or difference.key in self.keys)
            and (not self.within or path[1] == self.within)
            and path[-2:-1] != ["properties"]  # there the user names the keys
            and (self.same is None or self.same(difference.ours, difference.sdk))
        )


def differences(ours: Any, sdk: Any, pointer: str = "", key: str = "") -> Iterator[Difference]:
    """Every innermost difference between our body and the SDK's."""
    if isinstance(ours, dict) and isinstance(sdk, dict):
        respelt = {_letters(name): name for name in sdk if name not in ours}
        for name, value in ours.items():
            twin = name if name in sdk else respelt.pop(_letters(name), None)
            if twin is None:
                yield Difference("absent", join(pointer, name), name, value, MISSING)
                continue
            if twin != name:
                yield Difference("spelt", join(pointer, twin), name, name, twin)
            yield from differences(value, sdk[twin], join(pointer, twin), name)
        for name in respelt.values():
            yield Difference("added", join(pointer, name), name, MISSING, sdk[name])
    elif isinstance(ours, list) and isinstance(sdk, list) and len(ours) == len(sdk):
        for index, (our_item, sdk_item) in enumerate(zip(ours, sdk, strict=True)):
            yield from differences(our_item, sdk_item, join(pointer, index), key)
    elif not equal(ours, sdk):
        yield Difference("changed", pointer, key, ours, sdk)


def _letters(key: str) -> str:
    """What snake_case and camelCase have in common."""
    return key.replace("_", "").lower()


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "…"
