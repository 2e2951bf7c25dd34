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
