"""A body with what a finding wants at the place that it names: what its reader would make of it.

A value is put in the place of ``got``: for what is at ``at``, inside the JSON text there, for the member of the object
there that has it, or everywhere where that is an id or a name. What has no place gets a key that the finding's own
words name, or a place in the lists around ``at``.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, OneOf, Words
from toolcall_conformance.basics.jsonvalue import JSONError, equal, join, parse_arguments, resolve
from toolcall_conformance.library import load_corpus

Change = Callable[[Any], Any]

_WORD = re.compile(r"[A-Za-z_$@][\w.-]*")
_POINTER = re.compile(r"(?:/[A-Za-z_]\w*)+")
_EVENTS_BEHIND = 60


def values_of(finding: Finding) -> tuple[Any, ...]:
    """The values that a finding says to be right; none where it has but their form, or words."""
    if finding.want is NOT_KNOWN or isinstance(finding.want, Form):
        return ()
    values = finding.want.values if isinstance(finding.want, OneOf) else (finding.want,)
    return tuple(value for value in values if not isinstance(value, Words))


def repaired_bodies(body: Any, finding: Finding, value: Any) -> Iterator[Any]:
    """Each body that has the value at the finding's place, one for each way to read where that is."""
    try:
        stands = resolve(body, finding.pointer)
    except LookupError:
        return
    if finding.pointer in ("/rest", "/aside"):  # bytes of a stream, and no part of what is parsed of it
        return
    for change in _changes(stands, finding, value):
        try:
            yield change(copy.deepcopy(body))
        except (LookupError, TypeError, ValueError):
            continue


def _changes(stands: Any, finding: Finding, value: Any) -> Iterator[Change]:
    at, got = finding.pointer, finding.got
    if value is MISSING:
        yield from _without_value(stands, finding)
    elif got is MISSING:
        if not isinstance(stands, (dict, list)):  # what says nothing
            yield partial(_put, pointer=at, value=value)
        yield from _with_added_value(stands, finding, value)
    elif equal(stands, got):
        yield partial(_put, pointer=at, value=value)
        yield from _in_all_events(finding, value)
        if isinstance(got, str) and isinstance(value, str):
            yield partial(_rename, old=got, new=value)
    elif isinstance(stands, str) and not isinstance(got, str):
        if equal(_parse_text(stands), got):
            yield partial(_put, pointer=at, value=json.dumps(value, ensure_ascii=False))
    else:
        yield from _in_member(stands, finding, value)


def _without_value(stands: Any, finding: Finding) -> Iterator[Change]:
    """Without the value there, the reported part of the text, the member with the value, or the list's entry."""
    at, got = finding.pointer, finding.got
    if isinstance(stands, str) and isinstance(got, str) and got != stands and got in stands:
        yield partial(_put, pointer=at, value="".join(stands.rsplit(got, 1)))
    if not equal(stands, got):
        yield from _in_member(stands, finding, MISSING)
    if at:
        yield partial(_put, pointer=at, value=MISSING)
    entry = at
    while entry and not entry.rpartition("/")[2].isdecimal():
        entry = entry.rpartition("/")[0]
    if entry and entry != at:
        yield partial(_put, pointer=entry, value=MISSING)
    if entry and entry.endswith("/0"):  # a list of which it is the only entry goes with it
        yield partial(_without_only_entry, pointer=entry.removesuffix("/0"))
    yield from _in_all_events(finding, MISSING)


def _without_only_entry(body: Any, pointer: str) -> Any:
    if len(resolve(body, pointer)) > 1:
        raise LookupError(pointer)
    return _put(body, pointer=pointer, value=MISSING)


def _with_added_value(stands: Any, finding: Finding, value: Any) -> Iterator[Change]:
    at = finding.pointer
    if isinstance(stands, list):
        for place in range(len(stands), -1, -1):
            yield partial(_insert, pointer=join(at, place), value=value)
    if isinstance(stands, dict):
        for pointer in [*_POINTER.findall(finding.message), *filter(None, [finding.source_pointer])]:
            yield partial(_put_deep, pointer=pointer, value=value)
        yield from _under_named_keys(stands, finding, value)
        for key, member in stands.items():
            if isinstance(member, list):
                yield partial(_put, pointer=join(at, key), value=[*member, value])
        if isinstance(value, dict):
            parts = load_corpus().format(finding.format)["wire_words"]["parts"] if finding.format else {}
            for key in parts.values():
                yield partial(_put, pointer=join(at, key), value=[value])
            yield partial(_put, pointer=at, value={**stands, **value})
    if isinstance(value, dict):
        yield from _next_to_entries(at, value)


def _under_named_keys(stands: dict[str, Any], finding: Finding, value: Any) -> Iterator[Change]:
    """Under each key that the words of a finding name, there or in an object there."""
    last = (finding.source_pointer or "").rpartition("/")[2]
    words = _WORD.findall(f"{finding.subject} {finding.message} {last}")
    keys = dict.fromkeys(key for word in words for key in (word, word.rstrip("."), word.rpartition(".")[2]) if key)
    for key in keys:
        current = stands.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            yield partial(_put, pointer=join(finding.pointer, key), value={**current, **value})
        elif not isinstance(current, (dict, list)):
            way = finding.pointer + "/" + key.replace(".", "/")
            yield partial(_put_deep, pointer=way, value=value)
    for name, member in stands.items():
        if isinstance(member, dict):
            for key in keys:
                if member.get(key) is None:
                    yield partial(_put, pointer=join(finding.pointer, name, key), value=value)


def _next_to_entries(at: str, value: Any) -> Iterator[Change]:
    """After and before each list entry that holds the place; in a stream as an event anywhere after or before it."""
    if at.startswith("/events/"):
        event = {"data": value, **({"event": value["type"]} if "type" in value else {})}
        first = int(at.split("/")[2])
        for place in [*range(first + 1, first + _EVENTS_BEHIND), first]:
            yield partial(_insert, pointer=join("/events", place), value=event)
        return
    while at:
        way, _, step = at.rpartition("/")
        if step.isdecimal():
            for place in (int(step) + 1, int(step)):
                yield partial(_insert, pointer=join(way, place), value=value)
        at = way


def _in_all_events(finding: Finding, value: Any) -> Iterator[Change]:
    """In each event from the finding's on that has the same value at the place: some rules report the first alone."""
    way = finding.pointer.split("/")
    if finding.body or way[1:2] != ["events"] or len(way) < 4:
        return
    inner = "/" + "/".join(way[3:])

    def put(body: Any) -> Any:
        for number in range(int(way[2]), len(body["events"])):
            pointer = f"/events/{number}{inner}"
            try:
                same = equal(resolve(body, pointer), finding.got)
            except LookupError:
                continue
            if same:
                _put(body, pointer, value)
        return body

    yield put


def _in_member(stands: Any, finding: Finding, value: Any) -> Iterator[Change]:
    """For the member that has the value of an object, or of an object in it."""
    at, got = finding.pointer, finding.got
    for key, member in stands.items() if isinstance(stands, dict) else ():
        if equal(member, got):
            yield partial(_put, pointer=join(at, key), value=value)
        for inner, current in member.items() if isinstance(member, dict) else ():
            if equal(current, got):
                yield partial(_put, pointer=join(at, key, inner), value=value)


def _parse_text(text: str) -> Any:
    try:
        return parse_arguments(text)
    except JSONError:
        return NOT_KNOWN


def _rename(body: Any, old: str, new: str) -> Any:
    """A body that says another id or name wherever it says the old one."""
    if isinstance(body, dict):
        return {key: _rename(value, old, new) for key, value in body.items()}
    if isinstance(body, list):
        return [_rename(value, old, new) for value in body]
    return new if isinstance(body, str) and body == old else body


def _put_deep(body: Any, pointer: str, value: Any) -> Any:
    """``_put``, with the objects on the way there."""
    holder = body
    *way, last = pointer.split("/")[1:]
    for step in way:
        if isinstance(holder, list):
            holder = holder[int(step)]
        else:
            if holder.get(step) is None:
                holder[step] = {}
            holder = holder[step]
    holder[last] = copy.deepcopy(value)
    return body


def _put(body: Any, pointer: str, value: Any) -> Any:
    if not pointer:
        return value
    way, _, step = pointer.rpartition("/")
    holder = resolve(body, way)
    key: Any = int(step) if isinstance(holder, list) else step.replace("~1", "/").replace("~0", "~")
    if value is MISSING:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(value)
    return body


def _insert(body: Any, pointer: str, value: Any) -> Any:
    way, _, step = pointer.rpartition("/")
    resolve(body, way).insert(int(step), copy.deepcopy(value))
    return body
