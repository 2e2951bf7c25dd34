"""Two bodies of one format as JSON: where they differ, and whether a difference has a meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal, join

MAX_DIFFERENCES = 20
"""How many differences of a body each of the two rules reports: one cause makes hundreds of them."""


def find_differences(source: Any, output: Any, pointer: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield (pointer in the output, want, got) for the innermost differing values, MISSING for an absent one."""
    if isinstance(source, dict) and isinstance(output, dict):
        for key in source:
            if key not in output:
                yield pointer, {key: source[key]}, MISSING
            else:
                yield from find_differences(source[key], output[key], join(pointer, key))
        for key in output:
            if key not in source:
                yield join(pointer, key), MISSING, output[key]
    elif isinstance(source, list) and isinstance(output, list) and len(source) == len(output):
        for index, (left, right) in enumerate(zip(source, output, strict=True)):
            yield from find_differences(left, right, join(pointer, index))
    elif not equal(source, output):
        yield pointer, source, output


def means_the_same(
    want: Any,
    got: Any,
    pointer: str,
    target: Mapping[str, Any],
    *,
    reply: bool,
) -> bool:
    """Whether a difference changes no meaning: what is null, empty or implied is present on one side only.

    ``target`` are the corpus's facts about the format.

    A reply may have further keys, which clients ignore (the equivalence ``unknown-reply-keys``), and at its top another
    id or time (``generated-values``): ids are compared where they return. Blank text in a reply may be null or absent
    (``blank-text-absent``), since pieces of a stream leave some behind. A format may omit what is 0, false or blank
    (``proto-json-zeros``).
    """
    if reply and pointer.removeprefix("/") in target["generated_keys"] and MISSING not in (want, got):
        return type(want) is type(got)
    if reply and MISSING not in (want, got) and equal(_without_blanks(want), _without_blanks(got)):
        return True
    if want is MISSING:
        key = pointer.rpartition("/")[2]
        return reply or _has_no_meaning(key, got, target)
    if got is MISSING and isinstance(want, dict):
        return all(
            _has_no_meaning(key, value, target) or (reply and target.get("omits_zeros", False) and is_zero(value))
            for key, value in want.items()
        )
    return False


def _without_blanks(value: Any) -> Any:
    """Return null for a blank text, and a list without its blank texts; any other value unchanged."""
    if isinstance(value, list):
        return [entry for entry in value if entry != {"text": ""}]
    return None if value == "" else value


def is_zero(value: Any) -> bool:
    """Whether protobuf's JSON leaves a value out: 0, false, blank text."""
    return not isinstance(value, (dict, list)) and not value


def _has_no_meaning(key: str, value: Any, target: Mapping[str, Any]) -> bool:
    silent = [target["defaults"][key]] if key in target["defaults"] else target["implied"].get(key, [])
    return value in (None, {}, []) or any(equal(value, other) for other in silent)


def without_keys(body: Any, keys: frozenset[str]) -> Any:
    """Return a body without some of its top-level keys."""
    return {key: value for key, value in body.items() if key not in keys} if isinstance(body, dict) else body
