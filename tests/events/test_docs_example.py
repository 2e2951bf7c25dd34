"""Plays the translator by events of docs/python.md through the check ``stream``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from events.test_event_translators import play
from events.translators import Callbacks, ChatToAnthropic, constructors
from toolcall_conformance import events
from toolcall_conformance.basics.contract import Route

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


class StreamTranslation:
    """The library's part: from Chat to Anthropic, by objects of the SDKs."""

    def __init__(self, route: Route) -> None:
        assert str(route) == "anthropic-to-openai_chat"
        self.handler = ChatToAnthropic()

    def feed(self, event: Any) -> Iterator[Any]:
        from openai.types.chat import ChatCompletionChunk

        chunk = ChatCompletionChunk.model_validate(event) if isinstance(event, dict) else event
        yield from self.handler.event(chunk)
        if not chunk.choices:  # the usage comes last
            yield from self.handler.finish()


@pytest.mark.parametrize("construct", [False, True])
def test_the_example(construct: bool) -> None:
    constructors()
    from openai.types.chat import ChatCompletionChunk

    match = re.search(r"<!-- example: events -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    code = match[1]
    if construct:
        (decorator,) = re.findall(r"`(@events\.stream\(construct=.*?\))` gives", PAGE)
        code = code.replace("@events.stream\n", f"{decorator}\n")
        assert decorator in code
    names: dict[str, Any] = {
        "mylib": SimpleNamespace(StreamTranslation=StreamTranslation),
        "ChatCompletionChunk": ChatCompletionChunk,
    }
    exec(code, names)

    def opened(route: Route) -> Any:
        session, whole = names["MySession"](route), Callbacks(route)
        session.request, session.response = whole.request, whole.response
        return session

    for variant in ("", "recut", "cut"):
        assert play(opened, "anthropic", "openai_chat", variant, "parallel/three-tools").findings == ()


def test_the_line_for_callbacks() -> None:
    (line,) = re.findall(r"`(events\.translated\(.*?\)\))`", PAGE)
    assert Callbacks.stream.__code__.co_names[:2] == ("events", "translated")
    scope = {
        "events": events,
        "self": SimpleNamespace(route=Route("anthropic", "openai_chat", "a", "b")),
        "chunks": [b'data: {"id":"c","model":"m","choices":[]}\n\n'],
        "callbacks": SimpleNamespace(event=lambda event: {"type": "ping", "id": event["id"]}),
    }
    assert list(eval(line, scope)) == [b'event: ping\ndata: {"type":"ping","id":"c"}\n\n']
