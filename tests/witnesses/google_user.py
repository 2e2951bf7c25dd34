"""A user of the google-genai SDK, as its documentation shows one, and what that SDK does to a body by itself.

The candidate's content is appended to the contents, then one user content with a function response for each call
(https://ai.google.dev/gemini-api/docs/function-calling, https://ai.google.dev/gemini-api/docs/thought-signatures).
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import pytest

from toolcall_reference.formats.gemini.protojson import to_camel_case
from witnesses.calls import Unanswered
from witnesses.differences import Own
from witnesses.wire import Wire

# The corpus's bodies are of this version (corpus/formats/gemini/transport.json); the SDK's own choice varies.
API_VERSION = "v1beta"


def _same_bytes(ours: Any, sdk: Any) -> bool:
    """Two spellings of the same bytes in base64."""
    try:
        return _bytes(ours) == _bytes(sdk)
    except (TypeError, AttributeError, binascii.Error):
        return False


def _bytes(text: str) -> bytes:
    plain = text.translate(str.maketrans("-_", "+/")).rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def _same_count(ours: Any, sdk: Any) -> bool:
    return isinstance(ours, str) and type(sdk) is int and ours == str(sdk)


def _same_but_case(ours: Any, sdk: Any) -> bool:
    return isinstance(ours, str) and ours.upper() == sdk


def _same_functions(ours: Any, sdk: Any) -> bool:
    """The same functions in the same order, in however many entries; they hold nothing else."""
    if any(to_camel_case(entry).keys() != {"functionDeclarations"} for entry in (*ours, *sdk)):
        return False
    left, right = (
        [function for entry in tools for function in to_camel_case(entry)["functionDeclarations"]]
        for tools in (ours, sdk)
    )
    return left == right


class GoogleUser:
    """One conversation after another; ``wire`` has what was sent."""

    echoes = False  # its models know no further keys: what a reply has beyond them does not come back
    own: tuple[Own, ...] = (
        Own(
            "changed",
            ("thoughtSignature", "data"),
            "bytes are decoded and sent in base64's URL-safe alphabet; protobuf's JSON form takes either",
            same=_same_bytes,
        ),
        Own("changed", ("type",), "the enum of a Schema's types is sent in capitals", "tools", _same_but_case),
        Own(
            "changed",
            (),
            "counts of a Schema are sent as numbers, not as texts",
            "tools",
            _same_count,
        ),
        Own("changed", ("tools",), "the functions of all entries are sent in one", "tools", _same_functions),
        Own("spelt", (), "most inner objects are sent by their fields' names, in snake_case; the API takes either"),
        Own("added", ("generationConfig",), "it is always sent, be it empty", same=lambda _, sdk: sdk == {}),
    )

    def __init__(self, wire: Wire) -> None:
        pytest.importorskip("google.genai", reason="the SDK is not installed (extra `dev`)")
        from google import genai
        from google.genai import types

        self._types = types
        options = types.HttpOptions(httpx_client=wire.client, api_version=API_VERSION)
        # Kept: it closes its connections when it is collected.
        self._client = genai.Client(api_key="key", http_options=options)

    def first_history(self, body: dict[str, Any]) -> list[Any]:
        return [self._types.Content.model_validate(entry) for entry in body["contents"]]

    def ask(self, body: dict[str, Any], contents: list[Any], model: str) -> Any:
        body = to_camel_case(body)  # some bodies of the corpus are in snake_case, which the SDK's models take in part
        config = {key: value for key, value in body.items() if key not in ("contents", "generationConfig")}
        return self._client.models.generate_content(
            model=model,
            contents=contents,
            config=self._types.GenerateContentConfig.model_validate(config | body.get("generationConfig", {})),
        )

    def history_of_reply(self, reply: Any) -> list[Any]:
        content = reply.candidates[0].content if reply.candidates else None
        return [] if content is None else [content]

    def calls(self, reply: Any) -> list[Any]:
        parts = [part for content in self.history_of_reply(reply) for part in content.parts or []]
        return [part.function_call for part in parts if part.function_call is not None]

    def is_the_models(self, entry: Any) -> bool:
        return bool(entry.get("role") == "model")

    def answers(self, tail: list[Any], calls: Unanswered) -> list[Any]:
        return [
            self._types.Content(role=content["role"], parts=[self._part(part, calls) for part in content["parts"]])
            for content in tail
        ]

    def _part(self, part: dict[str, Any], calls: Unanswered) -> Any:
        part = to_camel_case(part)
        if "functionResponse" not in part:
            return self._types.Part.model_validate(part)
        function_response = part["functionResponse"]
        identity = (function_response.get("id"), function_response["name"])
        ways = [
            lambda call: (call.id, call.name) == identity,
            lambda call: not identity[0] and call.name == identity[1],
        ]
        # Its own loop writes results without ids: they answer the calls of a name in order.
        call = calls.take(str(identity), *ways)
        media = [self._types.FunctionResponsePart.model_validate(entry) for entry in function_response.get("parts", [])]
        response_part = self._types.Part.from_function_response(
            name=call.name, response=function_response["response"], parts=media or None
        )
        assert response_part.function_response is not None
        response_part.function_response.id = call.id
        return response_part
