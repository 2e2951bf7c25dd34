"""What OpenAI's two formats share: errors, call ids, addresses, parameter schemas and settings.

https://platform.openai.com/docs/guides/error-codes, https://platform.openai.com/docs/api-reference/introduction
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from toolcall_reference.basics.jsontext import copy_json, digest
from toolcall_reference.basics.pseudorandom import letters
from toolcall_reference.conversation import failures, schemas
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body, Settings, Tool
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.http import Http

VENDOR = "openai"
"""The vendor of the file ids in both formats."""

#: Type, code and status by failure kind; all other kinds are invalid_request_error or server_error.
_ERRORS: dict[str, tuple[str, str | None, int]] = {
    "unauthorized": ("invalid_request_error", "invalid_api_key", 401),
    "rate_limit": ("rate_limit_error", "rate_limit_exceeded", 429),
    "overloaded": ("service_unavailable_error", "server_is_overloaded", 503),
}


def decode_error(status: int, body: Body, headers: Mapping[str, str], losses: Losses, /) -> Failure:
    """The failure. It keeps the whole error object, which the other OpenAI format takes unchanged."""
    del losses
    failure = failures.read_failure(status, body, headers)
    error = failures.error_object(body)
    if {"message", "type", "param", "code"} <= error.keys():
        failure.openai = copy_json(dict(error))
    return failure


_STATUS_BY_TYPE = {
    "server_error": 500,
    "invalid_request_error": 400,
    "tokens": 429,
    "requests": 429,
    "insufficient_quota": 429,
}


def decode_error_event(body: Body, losses: Losses, /) -> Failure:
    """The failure that an error event of a stream reports."""
    named = [(name, status) for kind, code, status in _ERRORS.values() for name in (code, kind) if name is not None]
    return decode_error(
        failures.event_status(failures.error_object(body), dict(named) | _STATUS_BY_TYPE), body, {}, losses
    )


def encode_error(failure: Failure, /) -> tuple[int, Body]:
    """Status and body."""
    if failure.openai:
        return failure.status, {"error": failure.openai}
    plain = "server_error" if failure.status >= 500 else "invalid_request_error"
    kind, code, status = _ERRORS.get(failure.kind, (plain, None, failure.status))
    return status, {"error": {"message": failure.message, "type": kind, "param": None, "code": code}}


def dress_error(reply: Body, kind: str, seed: str) -> Body:
    """Add the request id header. The error type of a token limit is ``tokens``."""
    reply["headers"]["x-request-id"] = "req_" + digest("error", seed, length=32)
    if kind == "rate_limit":
        reply["body"]["error"]["type"] = "tokens"
    return reply


def call_id(model: str, scenario: str, key: str) -> str:
    """``call_`` and 24 letters and digits."""
    del model
    return "call_" + letters(24, scenario, key)


def openai_http(path: str) -> Http:
    """Addresses and headers of the OpenAI API at ``path``."""
    return Http(
        base_url="https://api.openai.com/v1",
        root="/v1",
        path=path,
        served_paths=(f"/v1{path}",),
        key_header="authorization",
        key_form="Bearer {key}",
        key_variables=("OPENAI_API_KEY",),
        passed_headers=("openai-beta",),
        key_owner_headers=("openai-organization", "openai-project"),
        limit_headers=("x-ratelimit-",),
        request_id_header="x-request-id",
    )


_KEYWORDS_WITH_SCHEMA = frozenset(
    {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"}
)
_KEYWORDS_WITH_LIST = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_KEYWORDS_WITH_NAMES = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_ROOT_FORBIDDEN_KEYWORDS = ("enum", "not")
"""Keywords that OpenAI refuses at the root of a schema: https://github.com/nspady/google-calendar-mcp/issues/39"""


def encode_parameters(tool: Tool, target: Target) -> Body:
    """A tool's schema as ``parameters`` takes it. Dropped keywords are recorded as losses.

    The root is a plain object with ``properties``, and every array has ``items``.
    """
    schema, lost = schemas.flatten_root(schemas.NO_PARAMETERS if tool.schema is None else tool.schema)
    lost += [f"{key} at the root" for key in _ROOT_FORBIDDEN_KEYWORDS if schema.pop(key, None) is not None]
    for keyword in lost:
        target.losses.add("tool-schema-root", f"{keyword} cannot be said; widened", tool.name)
    schema.setdefault("properties", {})
    _fill_items(schema)
    return schema


def _fill_items(schema: Any) -> None:
    """Add ``items: {}`` to every array of a schema that has none."""
    if not isinstance(schema, dict):
        return
    for key, inner in schema.items():
        if isinstance(inner, dict):
            if key in _KEYWORDS_WITH_SCHEMA:
                _fill_items(inner)
            elif key in _KEYWORDS_WITH_NAMES:
                for entry in inner.values():
                    _fill_items(entry)
        elif isinstance(inner, list) and key in _KEYWORDS_WITH_LIST:
            for entry in inner:
                _fill_items(entry)
    kind = schema.get("type")
    if (kind == "array" or (isinstance(kind, list) and "array" in kind)) and "items" not in schema:
        schema["items"] = {}


_LOSS_BY_SETTING = {
    "safety_identifier": "user-id",
    "service_tier": "service-tier",
    "store": "store",
    "verbosity": "verbosity",
    "prompt_cache_key": "cache-key",
}


def lose_openai(settings: Settings, losses: Losses, supported: Collection[str] = ()) -> None:
    """Record a loss for each OpenAI setting that the target format does not support."""
    for key in settings.openai:
        if key not in supported:
            losses.add(_LOSS_BY_SETTING.get(key, "setting"), "OpenAI's own; dropped", key)
