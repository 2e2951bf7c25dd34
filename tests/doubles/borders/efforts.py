"""How much a model thinks, in the rarest word that each API has, and in another API's."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

LEVEL = "/generationConfig/thinkingConfig/thinkingLevel"

border(
    "gemini/thinking-level",
    "level-in-lower-case",
    "The level is the highest that there is, in lower case",
    {LEVEL: "xhigh"},
    past={LEVEL: "max"},
    says="The level is a word of another API",
)
border(
    "gemini/thinking-level",
    "level-by-number",
    "The level is the highest that there is, by its number",
    {LEVEL: 5},
    past={LEVEL: 6},
    says="The level is a number above the highest",
)
border(
    "gemini/thinking-level",
    "level-in-snake-case",
    "The level stands under its name in snake_case, and is the lowest",
    {"/generationConfig/thinkingConfig": {"thinking_level": "MINIMAL"}},
    past={"/generationConfig/thinkingConfig/thinking_level": "NONE"},
    says="The level stands under its name in snake_case, and is a word of another API",
)
border(
    "gemini/thinking-level",
    "number-in-snake-case",
    "The level stands under its name in snake_case, and is the number 0",
    {"/generationConfig/thinkingConfig": {"thinking_level": 0}},
    past={"/generationConfig/thinkingConfig/thinking_level": -1},
    says="The level stands under its name in snake_case, and is below 0",
)
border(
    "openai_chat/reasoning-effort",
    "most-effort",
    "The effort is the greatest that there is",
    {"/reasoning_effort": "max"},
    past={"/reasoning_effort": "HIGH"},
    says="The effort is in capitals, as Gemini spells it",
)
border(
    "openai_chat/reasoning-effort",
    "no-effort-said",
    "The effort is null",
    {"/reasoning_effort": None},
    past={"/reasoning_effort": ""},
    says="The effort is the empty text",
)
border(
    "openai_responses/reasoning-effort",
    "no-effort",
    "The model shall not think, and its effort is the word for that",
    {"/reasoning": {"effort": "none"}},
    past={"/reasoning/effort": "disabled"},
    says="The effort is Anthropic's word for no thinking",
)
border(
    "openai_responses/reasoning-effort",
    "summary-in-detail",
    "The summary of thoughts is detailed, and the effort null",
    {"/reasoning": {"effort": None, "summary": "detailed"}},
    past={"/reasoning/summary": "summarized"},
    says="The summary of thoughts is Anthropic's word for one",
)
border(
    "openai_responses/reasoning-effort",
    "summary-by-its-older-name",
    "The summary of thoughts is concise, under its older name",
    {"/reasoning/summary": GONE, "/reasoning/generate_summary": "concise"},
    past={"/reasoning/generate_summary": "short"},
    says="The summary of thoughts is no word of the API, under its older name",
)
FREE_TEXT = [{"type": "custom", "custom": {"name": "write_patch"}}]
border(
    "openai_chat/effort-beside-tools",
    "left-out-by-an-older-model",
    "A model that does not think by default gets function tools and no effort",
    {"/model": "gpt-5.4-mini-2026-03-17", "/reasoning_effort": GONE},
    past={"/model": "gpt-5.6-luna"},
    says="A model that thinks by default gets function tools and no effort",
)
border(
    "openai_chat/effort-beside-tools",
    "effort-beside-tools-of-a-model-before",
    "A model that takes both gets function tools and an effort",
    {"/model": "gpt-5.1-2025-11-13", "/reasoning_effort": "low"},
    past={"/model": "gpt-5.5-2026-04-23"},
    says="A model that takes one of both gets function tools and an effort",
)
border(
    "openai_chat/effort-beside-tools",
    "effort-beside-free-text-tool",
    "The only tool takes free text, and the effort is high",
    {"/model": "gpt-6-sol", "/tools": FREE_TEXT, "/reasoning_effort": "high"},
    past={"/tools/-": {"type": "function", "function": {"name": "read_gauge"}}},
    says="Beside a tool of free text there is a function, and the effort is high",
)
