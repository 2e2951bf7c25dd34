"""What a reply of Responses repeats of its request: null, or the rarest form that there is, and another type."""

from __future__ import annotations

from json import dumps
from typing import Any

from doubles.border import GONE, borders

border = borders(__name__)

RULE = "openai_responses/reply-echo"

REPEATED: tuple[tuple[str, str, Any, Any], ...] = (
    ("parallel-calls", "/parallel_tool_calls", False, "false"),
    ("choice", "/tool_choice", {"type": "function", "name": "get_weather"}, []),
    ("choice-in-a-word", "/tool_choice", "required", "any"),
    ("tools", "/tools", [], {}),
    ("tool-of-the-provider", "/tools/-", {"type": "web_search"}, "web_search"),
    ("strictness", "/tools/0/strict", None, "true"),
    ("server", "/tools/-", {"type": "mcp", "server_label": "x", "server_url": None}, {"type": "mcp", "server_url": 1}),
    ("metadata", "/metadata", None, []),
    ("background", "/background", None, "no"),
    ("store", "/store", None, "no"),
    ("temperature", "/temperature", None, "1"),
    ("top-p", "/top_p", None, "1"),
    ("truncation", "/truncation", None, "none"),
    ("tier", "/service_tier", None, 1),
    ("instructions", "/instructions", [{"role": "developer", "content": "Be brief."}], {"text": "Be brief."}),
    ("previous", "/previous_response_id", "resp_1", 1),
    ("user", "/user", "u-1", 1),
    ("cache-key", "/prompt_cache_key", None, 1),
    ("safety", "/safety_identifier", None, 1),
    ("limit", "/max_output_tokens", 1024, "1024"),
    ("limit-of-calls", "/max_tool_calls", None, "8"),
    ("logprobs", "/top_logprobs", None, "0"),
    ("end", "/completed_at", None, "2026-03-01"),
    ("presence", "/presence_penalty", None, "0"),
    ("frequency", "/frequency_penalty", None, "0"),
    ("reasoning", "/reasoning", None, "high"),
    ("effort", "/reasoning/effort", "max", 3),
    ("summary", "/reasoning/summary", "detailed", []),
    ("text", "/text", None, "text"),
    ("format", "/text/format", None, "text"),
    ("kind-of-format", "/text/format", {"type": "json_object"}, {"type": "grammar"}),
)
"""A member with a value that the official client's types take, and one that they do not."""


def past(pointer: str, wrong: Any) -> dict[str, Any]:
    """The wrong value, in place of the right one; an entry that was added stands at 1."""
    return {pointer.replace("/-", "/1"): wrong}


for name, pointer, right, wrong in REPEATED:
    border(
        RULE,
        f"repeated-{name}",
        f"A reply repeats what may stand at {pointer.replace('/-', '/1')} as {dumps(right)}",
        {pointer: right},
        past=past(pointer, wrong),
        says=f"A reply repeats what may stand at {pointer.replace('/-', '/1')} as {dumps(wrong)}",
    )

border(
    RULE,
    "repeats-the-least",
    "A reply repeats only what it must",
    {f"/{key}": GONE for key in ("instructions", "metadata", "reasoning", "store", "temperature", "text", "top_p")},
    past={"/tools": GONE},
    says="A reply does not repeat the tools",
)
border(
    RULE,
    "tool-with-its-type",
    "A tool of a reply has its type and its name",
    {"/tools/0": {"type": "function", "name": "get_weather", "parameters": None, "strict": None}},
    past={"/tools/0/type": GONE},
    says="A tool of a reply does not say its type",
)

WHOLE = "openai_responses/reply-whole"
ALWAYS: dict[str, Any] = {
    **dict.fromkeys(("background", "completed_at", "frequency_penalty", "presence_penalty", "service_tier"), None),
    "max_tool_calls": 8,
    "prompt_cache_key": "k-1",
    "safety_identifier": "s-1",
    "top_logprobs": None,
}
"""What all replies have since January 2026, with a value that the example has not; those of 2025 lack some."""

for key, other in ALWAYS.items():
    name = key.replace("_", "-")
    border(
        WHOLE,
        f"{'null' if other is None else 'given'}-{name}",
        f"A reply has {dumps(other)} for {key}",
        {f"/{key}": other},
        past={f"/{key}": GONE},
        says=f"A reply has no {key}",
    )
for key in ("description", "parameters", "strict"):
    border(
        WHOLE,
        f"null-{key}-of-a-function",
        f"A reply repeats a function with null for its {key}",
        {f"/tools/0/{key}": None},
        past={f"/tools/0/{key}": GONE},
        says=f"A reply repeats a function without its {key}",
    )
border(
    WHOLE,
    "reply-of-last-year",
    "A reply of 2025 lacks what the API did not send then",
    {"/created_at": 1768262399, **dict.fromkeys((f"/{key}" for key in ALWAYS), GONE), "/tools/0/strict": GONE},
    past={"/created_at": 1768262400},
    says="A reply of 2026 lacks what the API sends since then",
)
