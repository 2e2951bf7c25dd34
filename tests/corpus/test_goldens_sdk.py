"""The official SDKs' own types take every golden body: witnesses that nobody here wrote.

Request types of openai and anthropic are typed dicts with lazy fields, so their JSON Schema is asked; replies are
validated strictly by the models. Skipped where an SDK is not installed (they come with the ``dev`` extra).
"""

from __future__ import annotations

import copy
import importlib.metadata
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.library import Case, load_corpus

CORPUS = load_corpus()
Errors = list[str]
#: Rules that clients in the wild bend so that the SDK's types do not take their requests, and what those types say.
NOT_IN_THE_TYPES = {
    "openai_chat/result-text-only": "a tool message holds text alone",
    "openai_chat/tool-parameters-null": "parameters are an object",
}
#: Recorded clients send null for what they leave open, and the API answers 200; the types know no null there.
NULL_IS_ABSENT = ("tool_choice",)


def is_untyped_request(case: Case, name: str) -> bool:
    """Whether a client of this case sends on purpose what the SDK's types do not know."""
    return not NOT_IN_THE_TYPES.keys().isdisjoint(case.scenario.get("bends", {}).get(name, ()))


def bodies(case: Case, name: str, direction: str) -> Iterator[tuple[str, Any]]:
    if direction == "request" and is_untyped_request(case, name):
        return
    for exchange in case.exchanges(name) if direction == "request" or name not in case.dialects else ():
        body = exchange.request if direction == "request" else exchange.response
        if body is None:  # an error came instead
            continue
        yield f"{exchange.number:02}-{direction}", copy.deepcopy(body)


@cache
def validator(kind: str) -> Any:
    """The JSON Schema of a request's typed dict."""
    from pydantic import TypeAdapter

    if kind == "anthropic_beta":
        from anthropic.types.beta import message_create_params as beta_params

        params: Any = beta_params.MessageCreateParamsNonStreaming
    elif kind == "anthropic":
        from anthropic.types import message_create_params

        params = message_create_params.MessageCreateParamsNonStreaming
    elif kind == "openai_chat":
        from openai.types.chat import completion_create_params

        params = completion_create_params.CompletionCreateParamsNonStreaming
    else:
        from openai.types.responses import response_create_params

        params = response_create_params.ResponseCreateParamsNonStreaming
    schema = TypeAdapter(params).json_schema()
    return jsonschema.Draft202012Validator(schema)


def schema_check(kind: str) -> Callable[[Any], Errors]:
    def check(body: Any) -> Errors:
        return [f"{error.json_path}: {error.message[:200]}" for error in validator(kind).iter_errors(body)]

    return check


def model_check(model: Any) -> Callable[[Any], Errors]:
    from pydantic import ValidationError

    def check(body: Any) -> Errors:
        try:
            model.model_validate(body)
        except ValidationError as error:
            return [f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors()]
        return []

    return check


def gemini_request(body: Any) -> Errors:
    """google-genai has no type for a whole REST request: its parts are validated each, and no key is left over."""
    from google.genai import types
    from pydantic.alias_generators import to_camel

    body = {to_camel(key): value for key, value in body.items()}  # the API takes a key in either spelling

    errors: Errors = []
    parts = {
        "contents": [model_check(types.Content)] * len(body["contents"]),
        "tools": [model_check(types.Tool)] * len(body.get("tools", [])),
        "safetySettings": [model_check(types.SafetySetting)] * len(body.get("safetySettings", [])),
    }
    for key, checks in parts.items():
        for check, entry in zip(checks, body.pop(key, []), strict=True):
            errors += check(entry)
    single = {
        "systemInstruction": types.Content,
        "toolConfig": types.ToolConfig,
        "generationConfig": types.GenerationConfig,
    }
    for key, model in single.items():
        if key in body:
            errors += model_check(model)(body.pop(key))
    # The SDK has it among the settings of a generation, and sends it beside them.
    errors += model_check(types.GenerateContentConfig)({key: body.pop(key) for key in ("serviceTier",) if key in body})
    return errors + [f"{key}: not checked" for key in body]


def without_nulls(body: dict[str, Any]) -> dict[str, Any]:
    """The same body without the null members that the API takes and the types do not."""
    return {key: value for key, value in body.items() if value is not None or key not in NULL_IS_ABSENT}


def chat_request(body: Any) -> Errors:
    return schema_check("openai_chat")(without_nulls(body))


def responses_request(body: Any) -> Errors:
    for tool in body.get("tools", []):
        # Declared as required by the SDK; the API takes a tool without it, as recorded requests show.
        tool.setdefault("strict", None)
    for item in body["input"] if isinstance(body["input"], list) else ():
        if item.get("role") == "assistant" and isinstance(item["content"], list):
            # Required as well; the API looks at the types of the parts alone:
            # https://github.com/jeremychone/rust-genai/pull/119
            item.setdefault("id", "msg_1")
            item.setdefault("type", "message")
            item.setdefault("status", "completed")
            for part in item["content"]:
                if part.get("type") == "output_text":
                    part.setdefault("annotations", [])
        if item.get("status", "") is None:  # recorded clients echo what the reply left open
            del item["status"]
    return schema_check("openai_responses")(without_nulls(body))


def responses_reply(body: Any) -> Errors:
    from openai.types.responses import Response

    # Declared as required by the SDK and absent in nearly all recorded replies.
    body["usage"]["input_tokens_details"].setdefault("cache_write_tokens", 0)
    return model_check(Response)(body)


def gemini_reply(body: Any) -> Errors:
    from google.genai import types

    # In recorded replies of 2026, and unknown to the SDK's closed model.
    body["usageMetadata"].pop("serviceTier", None)
    return model_check(types.GenerateContentResponse)(body)


def chat_reply(body: Any) -> Errors:
    from openai.types.chat import ChatCompletion

    return model_check(ChatCompletion)(body)


def anthropic_request(body: Any) -> Errors:
    """The servers of the MCP connector, and the computer, are in the beta's types alone."""
    computer = any(str(tool.get("type")).startswith("computer_") for tool in body.get("tools", []))
    return schema_check("anthropic_beta" if computer or "mcp_servers" in body else "anthropic")(body)


def anthropic_reply(body: Any) -> Errors:
    from anthropic.types import Message
    from anthropic.types.beta import BetaMessage

    steps = any(str(block.get("type")).startswith("mcp_") for block in body["content"])
    return model_check(BetaMessage if steps else Message)(body)


CHECKS: dict[tuple[str, str], tuple[str, Callable[[Any], Errors]]] = {
    ("anthropic", "request"): ("anthropic", anthropic_request),
    ("anthropic", "response"): ("anthropic", anthropic_reply),
    ("openai_chat", "request"): ("openai", chat_request),
    ("openai_chat", "response"): ("openai", chat_reply),
    ("openai_responses", "request"): ("openai", responses_request),
    ("openai_responses", "response"): ("openai", responses_reply),
    ("gemini", "request"): ("google-genai", gemini_request),
    ("gemini", "response"): ("google-genai", gemini_reply),
}


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize("name", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_the_official_types_take_every_golden(name: str, direction: str) -> None:
    distribution, check = CHECKS[name, direction]
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed (it comes with the extra `dev`)")
    errors = [
        f"{case.id} {file}: {error}"
        for case in CORPUS.cases.values()
        for file, body in bodies(case, name, direction)
        for error in check(body)
    ]
    assert errors == []


def test_the_official_types_refuse_what_clients_bend() -> None:
    """None is excused that the types would take."""
    pytest.importorskip("openai", reason="the SDK is not installed (extra `dev`)")
    cases = [case for case in CORPUS.cases.values() if is_untyped_request(case, "openai_chat")]
    assert len(cases) == len(NOT_IN_THE_TYPES)
    assert all(chat_request(exchange.request) for case in cases for exchange in case.exchanges("openai_chat"))


@pytest.mark.parametrize(
    ("name", "direction", "breaking"),
    [
        ("anthropic", "request", lambda body: body.pop("max_tokens")),
        ("anthropic", "response", lambda body: body.update(stop_reason="tool_calls")),
        ("openai_chat", "request", lambda body: body["tools"][0].pop("function")),
        ("openai_chat", "response", lambda body: body["choices"][0].update(finish_reason="tool_use")),
        ("openai_responses", "request", lambda body: body["tools"][0].update(parameters="{}")),
        ("openai_responses", "response", lambda body: body["output"][-1].update(arguments={})),
        ("gemini", "request", lambda body: body["tools"][0].update(type="function")),
        ("gemini", "response", lambda body: body["candidates"][0]["content"]["parts"][-1].update(functionCall="x")),
    ],
)
def test_the_official_types_would_notice(name: str, direction: str, breaking: Callable[[Any], Any]) -> None:
    """A check that takes everything would be no witness."""
    distribution, check = CHECKS[name, direction]
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed (it comes with the extra `dev`)")
    _, body = next(bodies(CORPUS.cases["shell/seed"], name, direction))
    breaking(body)
    assert check(body) != []
