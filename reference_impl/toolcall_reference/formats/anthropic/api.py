"""The API's name here, its address and headers (https://docs.claude.com/en/api/overview), and the names it takes."""

from __future__ import annotations

from toolcall_reference.conversation.ids import IdRule
from toolcall_reference.conversation.names import NameRule
from toolcall_reference.formats.http import Http

NAME = "anthropic"
IDS = IdRule(r"[a-zA-Z0-9_-]+", unique="request")
NAMES = NameRule(r"[a-zA-Z0-9_-]+", 128)

HTTP = Http(
    base_url="https://api.anthropic.com",
    root="",
    path="/v1/messages",
    served_paths=("/v1/messages",),
    key_header="x-api-key",
    key_form="{key}",
    key_variables=("ANTHROPIC_API_KEY",),
    headers={"anthropic-version": "2023-06-01"},
    passed_headers=("anthropic-",),
    limit_headers=("anthropic-ratelimit-",),
    request_id_header="request-id",
)
