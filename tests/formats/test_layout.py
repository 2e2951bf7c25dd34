"""One layout for all formats: the same file name for the same thing, so that one package explains the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolcall_conformance import formats

PACKAGES = Path(formats.__file__).parent

#: What every package has.
EVERYWHERE = {
    "__init__": "the record FORMAT",
    "readers": "reads requests, replies and error replies",
    "conversation": "messages, contents or items, as turns",
    "parts": "what one message, content or item holds",
    "pairing": "which result answers which call",
    "settings": "what a request asks for beside its conversation",
    "tools": "tool declarations, and the choice among them",
    "client": "the ideal client",
    "rules/__init__": "the rules that no schema can say",
    "rules/view": "a body as the rules look at it",
    "rules/declarations": "rules on tools and settings",
    "rules/history": "rules on the conversation",
    "rules/replies": "rules on replies",
    "stream/__init__": "how a reply is streamed",
    "stream/machine": "assembles a streamed reply",
}

#: What a package may have in addition, where its format needs it.
WHERE_NEEDED = {
    "proto_json": "the spellings that proto-JSON allows for one message",
    "conversation_state": "conversations that the provider stores",
    "thoughts": "reasoning under the keys of several vendors",
    "dialect/__init__": "habits of compatible servers: what they do to a reply and a stream",
    "dialect/calls": "habits about calls",
    "dialect/chunks": "habits about chunks",
    "dialect/events": "habits about events",
    "dialect/replies": "habits about whole replies",
    "rules/calls": "rules on single calls and results",
    "rules/models": "rules that hold for some models",
    "rules/thinking": "rules on extended thinking",
    "stream/events": "tables of the events, and the texts that they bring in fragments",
    "stream/blocks": "one content block",
    "stream/calls": "the calls of one choice",
    "stream/choice": "one choice",
    "stream/items": "one item",
    "stream/deltas": "adds one delta to another",
    "stream/output": "the items of a reply",
    "stream/restatements": "what a stream says twice",
    "stream/partial_args": "arguments that come with their paths",
    "stream/partial_json": "JSON that was cut off",
}


def modules(name: str) -> set[str]:
    """The modules of a package, without their ending."""
    folder = PACKAGES / name
    return {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.py")}


@pytest.mark.parametrize("name", formats.names())
def test_a_package_has_the_layout_of_all(name: str) -> None:
    module_names = modules(name)
    assert EVERYWHERE.keys() - module_names == set(), "a file of the common layout is missing"
    assert module_names - EVERYWHERE.keys() - WHERE_NEEDED.keys() == set(), (
        "a file has a name of its own; list it with what it is for"
    )


def test_no_name_is_listed_that_nobody_uses() -> None:
    used = {module for name in formats.names() for module in modules(name)}
    assert WHERE_NEEDED.keys() - used == set()
