"""The API's name here, its addresses (https://ai.google.dev/api/generate-content), and the tool names it takes.

Without ``alt=sse`` a stream is one JSON array, whose elements come one by one.
"""

from __future__ import annotations

from toolcall_reference.conversation.ids import IdRule
from toolcall_reference.conversation.names import NameRule
from toolcall_reference.formats.http import Http

NAME = "gemini"
ENTRIES = "contents"
"""The request's key for the conversation."""
IDS = IdRule(optional=True)
NAMES = NameRule(r"[a-zA-Z_][a-zA-Z0-9_.:-]*", 64)

_VERSIONS = ("/v1beta", "/v1", "/v1alpha")

HTTP = Http(
    base_url="https://generativelanguage.googleapis.com",
    root="",
    path="/v1beta/models/{model}:generateContent",
    served_paths=tuple(f"{version}/models/{{model}}:generateContent" for version in _VERSIONS),
    key_header="x-goog-api-key",
    key_form="{key}",
    key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    key_query="key",
    stream_key=None,
    stream_path="/v1beta/models/{model}:streamGenerateContent?alt=sse",
    stream_served_paths=tuple(f"{version}/models/{{model}}:streamGenerateContent" for version in _VERSIONS),
    event_query=("alt", "sse"),
    passed_headers=("x-goog-api-client",),
)
