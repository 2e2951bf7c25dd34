"""The provider's side of a conversation: the golden reply, with its calls under the names that were declared to it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.jsonvalue import copied, resolve


def as_declared(name: str, reply: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The reply in the format ``name``, its calls renamed by ``names`` (golden to declared).

    A provider calls tools by the names that it was given: where a translator had to rename one, the golden reply would
    name a tool that nobody declared. The same body if nothing is renamed.
    """
    changed = {golden: declared for golden, declared in names.items() if golden != declared}
    if not changed:
        return reply
    renamed: dict[str, Any] = copied(reply)
    for call in formats.read(name, "response", reply).calls:
        if call.name in changed and call.name_pointer is not None:
            parent, _, key = call.name_pointer.rpartition("/")
            resolve(renamed, parent)[key] = changed[call.name]
    return renamed


def stream_as_declared(stream: bytes, names: Mapping[str, str]) -> bytes:
    """The same for the bytes of a stream: wherever an event names a tool, under the key ``name``."""
    written = {
        json.dumps(golden, ensure_ascii=False).encode(): json.dumps(declared, ensure_ascii=False).encode()
        for golden, declared in names.items()
        if golden != declared
    }
    if not written:
        return stream
    # All at once: one tool's new name may be another's old one.
    spelt = b"|".join(map(re.escape, written))
    return re.sub(rb'("name": ?)(' + spelt + rb")", lambda found: bytes(found[1] + written[found[2]]), stream)
