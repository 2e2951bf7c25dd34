"""Keys and values around what is said: generated ones, unknown ones, and those that JSON of protobuf leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.reading.model import Reading, Value
from toolcall_conformance.translation import identity
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance
from toolcall_conformance.translation.upstream_errors import bearable, holds_message


def _is_reply(bodies: Bodies) -> bool:
    return bodies.pair.output.direction == "response"


@tolerance("generated-values")
def generated_values(bodies: Bodies) -> Iterator[Occurrence]:
    """A reply has an id or a time of its own."""
    if not _is_reply(bodies) or not isinstance(bodies.after, dict):
        return
    for key in bodies.pair.target["generated_keys"]:
        got, want = bodies.after.get(key, MISSING), MISSING
        if bodies.pair.source.format == bodies.pair.output.format and isinstance(bodies.before, dict):
            want = bodies.before.get(key, MISSING)
        if got is not MISSING and got != want:
            yield Occurrence(join("", key), None, want, got)


@tolerance("unknown-reply-keys")
def unknown_reply_keys(bodies: Bodies) -> Iterator[Occurrence]:
    """A reply has an undocumented key that is none of another format's."""
    if not _is_reply(bodies):
        return
    corpus, own = bodies.pair.corpus, bodies.pair.output.format
    known = {mark for name in corpus.formats if name != own for mark in corpus.format(name).get("marks", [])}
    for residue in bodies.pair.output.residue:
        if residue.key not in known:
            yield Occurrence(residue.pointer, None, MISSING, residue.value)


@tolerance("error-status-alike")
def error_status_alike(bodies: Bodies) -> Iterator[Occurrence]:
    """An error has another status."""
    before, after = bodies.pair.source.failure, bodies.pair.output.failure
    if before is not None and after is not None and before.status != after.status:
        yield Occurrence(after.status_pointer, before.status_pointer, before.status, after.status)


@tolerance("wait-longer")
def wait_longer(bodies: Bodies) -> Iterator[Occurrence]:
    """The client is to wait longer than the provider says."""
    before, after = bodies.pair.source.failure, bodies.pair.output.failure
    if before is None or after is None or before.wait.seconds is None:
        return
    want = before.wait.seconds
    for wait in (after.header_wait, after.body_wait):
        if (
            wait
            and wait.seconds is not None
            and wait.seconds > want
            and bearable(bodies.pair.corpus, want, wait.seconds)
        ):
            yield Occurrence(wait.pointer, before.wait.pointer, want, wait.seconds)


@tolerance("error-message-in-words")
def error_message_in_words(bodies: Bodies) -> Iterator[Occurrence]:
    """An error's message stands inside other words."""
    before, after = bodies.pair.source.failure, bodies.pair.output.failure
    if before is None or after is None or not before.message or not after.message:
        return
    if before.message != after.message and holds_message(after.message, before.message):
        place = after.message_pointer or after.pointer
        yield Occurrence(place, before.message_pointer, before.message, after.message)


@tolerance("finish-next-best")
def finish_next_best(bodies: Bodies) -> Iterator[Occurrence]:
    """A reply ended, in the words of the target's format, for a reason that is only near to the source's."""
    before, after = bodies.pair.source.finish, bodies.pair.output.finish
    if before is not None and after is not None and before.reason != after.reason:
        yield Occurrence(after.pointer, before.pointer, before.reason, after.reason)


@tolerance("proto-json-zeros")
def proto_json_zeros(bodies: Bodies) -> Iterator[Occurrence]:
    """A member that would be 0, false or blank was left out of a reply."""
    if not _is_reply(bodies) or bodies.pair.source.format != bodies.pair.output.format:
        return
    if bodies.pair.target.get("omits_zeros", False):
        for pointer, want, got in identity.differences(bodies.before, bodies.after):
            if got is MISSING and isinstance(want, dict) and all(map(identity.is_zero, want.values())):
                yield Occurrence(pointer, None, want)


@tolerance("proto-json-names")
def proto_json_names(bodies: Bodies) -> Iterator[Occurrence]:
    """A key stands there in snake_case, where protobuf's JSON has camelCase."""
    pair = bodies.pair
    if pair.corpus.format(pair.source.format).get("omits_zeros", False):
        for pointer, key in _keys(pair.source, bodies.before):
            if _camel(key) != key:
                yield Occurrence("", pointer, key)
    if pair.target.get("omits_zeros", False):
        for pointer, key in _keys(pair.output, bodies.after):
            if _camel(key) != key:
                yield Occurrence(pointer, None, _camel(key), key)


def _camel(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def _keys(reading: Reading, body: Any) -> Iterator[tuple[str, str]]:
    """The format's own keys in a body, with their pointers: none of arguments, results and schemas."""
    closed = {call.arguments_pointer for call in reading.calls} | {tool.schema_pointer for tool in reading.tools}
    closed |= {part.pointer for result in reading.results for part in result.parts if isinstance(part, Value)}
    places: list[tuple[str, Any]] = [("", body)]
    while places:
        pointer, value = places.pop()
        if pointer in closed:
            continue
        if isinstance(value, dict):
            yield from ((join(pointer, key), key) for key in value)
            places += [(join(pointer, key), entry) for key, entry in value.items()]
        elif isinstance(value, list):
            places += [(join(pointer, index), entry) for index, entry in enumerate(value)]
