"""OpenAI's two APIs over HTTP: https://platform.openai.com/docs/api-reference/introduction"""

from __future__ import annotations

from toolcall_reference.formats.http import Http


def http(path: str) -> Http:
    """The API at ``path``."""
    return Http(
        base_url="https://api.openai.com/v1",
        root="/v1",
        path=path,
        served=(f"/v1{path}",),
        key_header="authorization",
        key_form="Bearer {key}",
        key_variables=("OPENAI_API_KEY",),
        passed=("openai-beta",),
        of_key=("openai-organization", "openai-project"),
        told=("x-ratelimit-",),
        request_id="x-request-id",
    )
