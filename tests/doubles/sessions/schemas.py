"""Schemas that a translator changes for its provider, and undoes in arguments, or does not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from doubles.draft import Draft
from doubles.events import Event, calls
from doubles.loop import CHAT, GEMINI, RESPONSES, DoubledSession, StreamingSession, broken, harmless

UNDONE = "translation/arguments-undone"
NUMBERS, STRICT = "schemas/fixed-values", "shell/seed"


class NumbersAsTexts(StreamingSession):
    """Lists numbers as texts for Gemini. ``undo`` changes the arguments of a call before the reference has them."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for tool in Draft(body, GEMINI).tools if self.route.upstream == GEMINI else ():
            for entry in tool.schema["properties"].values():
                if entry.get("type") in ("integer", "number") and "enum" in entry:
                    entry |= {"type": "string", "enum": [json.dumps(value) for value in entry["enum"]]}
        return body

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, GEMINI).calls if self.route.upstream == GEMINI else ():
            call.arguments = self.undo(call.arguments)
        return body

    def before_event(self, event: Event) -> Iterable[Event]:
        for call in calls(GEMINI, event):
            call.arguments = self.undo(call.arguments)
        yield event

    def undo(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments


@broken(rule=UNDONE, check="stream", case=NUMBERS, client=CHAT, upstream=GEMINI)
class StreamsTextsOfNumbers(NumbersAsTexts):
    """Numbers are listed as texts upstream, and the stream brings the client the texts."""


@broken(rule=UNDONE, check="response", case=NUMBERS, client=CHAT, upstream=GEMINI)
class KeepsTextsOfNumbers(NumbersAsTexts):
    """Numbers are listed as texts upstream, and the client gets the texts."""


@harmless(case=NUMBERS, client=CHAT, upstream=GEMINI, beside=UNDONE)
class GivesNumbersBack(NumbersAsTexts):
    """Numbers are listed as texts upstream, and the client gets numbers."""

    def undo(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return arguments | {key: json.loads(arguments[key]) for key in ("room", "step") if key in arguments}


class StrictAndNullable(DoubledSession):
    """Declares every tool as strict: each parameter required, and null for what the model leaves out."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for tool in body["tools"] if self.route.upstream == RESPONSES else ():
            schema = tool["parameters"]
            for name, entry in schema["properties"].items():
                if name not in schema.get("required", ()):
                    entry["type"] = [entry["type"], "null"]
                    if "enum" in entry:
                        entry["enum"].append(None)
            schema |= {"required": [*schema["properties"]], "additionalProperties": False}
            tool["strict"] = True
        return body


@broken(rule=UNDONE, check="response", case=STRICT, client=CHAT, upstream=RESPONSES)
class KeepsNulls(StrictAndNullable):
    """Optional parameters are nullable upstream, and the client gets the nulls."""


@harmless(case=STRICT, client=CHAT, upstream=RESPONSES, warns="translation/tool-strict", beside=UNDONE)
class TakesNullsOut(StrictAndNullable):
    """Optional parameters are nullable upstream, and the client gets no null."""

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, RESPONSES).calls if self.route.upstream == RESPONSES else ():
            call.arguments = {key: value for key, value in call.arguments.items() if value is not None}
        return body
