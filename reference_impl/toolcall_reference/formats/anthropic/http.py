"""Anthropic over HTTP: https://docs.claude.com/en/api/overview"""

from __future__ import annotations

from toolcall_reference.formats.http import Http

HTTP = Http(
    base_url="https://api.anthropic.com",
    root="",
    path="/v1/messages",
    served=("/v1/messages",),
    key_header="x-api-key",
    key_form="{key}",
    key_variables=("ANTHROPIC_API_KEY",),
    headers={"anthropic-version": "2023-06-01"},
    passed=("anthropic-",),
    told=("anthropic-ratelimit-",),
    request_id="request-id",
)
