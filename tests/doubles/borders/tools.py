"""Declarations of tools, and keys that stand at one place and not at another."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

GRAMMAR = {"syntax": "lark", "definition": 'start: "yes" | "no"'}

CACHED = {"type": "ephemeral"}

border(
    "anthropic/deferred-not-cached",
    "mark-on-a-tool-that-is-not-deferred",
    "A tool that says that it is not deferred is marked for the cache",
    {
        "/tools/1/defer_loading": False,
        "/tools/1/cache_control": CACHED,
        "/tools/-": {"name": "get_time", "input_schema": {"type": "object"}, "defer_loading": True},
    },
    past={"/tools/1/defer_loading": True},
    says="A deferred tool is marked for the cache",
)
border(
    "anthropic/one-tool-loaded",
    "one-tool-not-deferred",
    "All tools but a search of the client's own are deferred",
    {"/tools/0": {"name": "find_tools", "input_schema": {"type": "object"}}},
    past={"/tools/0/defer_loading": True},
    says="All tools are deferred, and so is the search that would find them",
)
border(
    "anthropic/hosted-tool-shape",
    "nothing-but-type-and-name",
    "A tool of the provider has its type and its fixed name, and nothing else",
    {"/tools/0/max_uses": GONE},
    past={"/tools/0/name": "websearch"},
    says="A tool of the provider has a name of its own",
)
border(
    "openai_chat/custom-tool",
    "text-format",
    "The format of a free-text tool is text, and it has no description",
    {"/tools/0/custom": {"name": "apply_patch", "format": {"type": "text"}}},
    past={"/tools/0/custom/format": {"type": "grammar", **GRAMMAR}},
    says="The grammar of a free-text tool stands flat, as another API has it",
)
border(
    "openai_chat/tool-nested",
    "function-with-a-name-alone",
    "A function has its name, and nothing else",
    {"/tools/0/function": {"name": "run_shell_command"}},
    past={"/tools/0/function/name": GONE},
)
border(
    "openai_chat/tool-type",
    "custom-beside-function",
    "A free-text tool stands beside a function",
    {"/tools/-": {"type": "custom", "custom": {"name": "apply_patch"}}},
    past={"/tools/1": {"type": "apply_patch"}},
    says="A tool has the type that another API of the provider has",
)
border(
    "openai_responses/custom-tool-format",
    "flat-grammar",
    "The grammar of a free-text tool has the other syntax, and stands flat",
    {"/tools/0/format": {"type": "grammar", **GRAMMAR}},
    past={"/tools/0/format": {"type": "grammar", "grammar": GRAMMAR}},
    says="The grammar of a free-text tool stands in an object, as another API has it",
)
border(
    "openai_responses/deferred-needs-search",
    "deferred-in-a-namespace",
    "A deferred tool stands in a namespace, beside a search of the client's own",
    {
        "/tools/0": lambda tool: {"type": "namespace", "name": "weather", "description": "Weather.", "tools": [tool]},
        "/tools/1/execution": "client",
    },
    past={"/tools/1": GONE},
    says="A deferred tool stands in a namespace, and nothing searches",
)
border(
    "openai_responses/search-needs-deferred",
    "client-searches",
    "Nothing is deferred where the client searches itself",
    {"/tools/0/defer_loading": GONE, "/tools/1/execution": "client"},
    past={"/tools/1/execution": "server"},
    says="Nothing is deferred where the provider is to search",
)
border(
    "openai_responses/hosted-tool",
    "container-by-its-id",
    "The interpreter's container is named by its id",
    {"/tools/-": {"type": "code_interpreter", "container": "cntr_68f1c3a0d7e48190"}},
    past={"/tools/1/container": GONE},
    says="The interpreter has no container",
)
border(
    "openai_responses/hosted-tool",
    "container-of-the-providers-choice",
    "The provider chooses the interpreter's container",
    {"/tools/-": {"type": "code_interpreter", "container": {"type": "auto"}}},
    past={"/tools/1/container": {}},
    says="The interpreter's container is an object that says nothing",
)
border(
    "openai_responses/hosted-tool",
    "container-with-files",
    "The provider makes the interpreter's container, and puts a file into it",
    {"/tools/-": {"type": "code_interpreter", "container": {"type": "auto", "file_ids": ["file-68f1c3a0d7e48190"]}}},
    past={"/tools/1/container/type": "automatic"},
    says="The interpreter's container has a type that there is not",
)
border(
    "openai_responses/tool-flat",
    "tool-without-a-description",
    "A function has no description",
    {"/tools/0/description": GONE},
    past={"/tools/0/name": GONE, "/tools/0/function": {"name": "get_weather"}},
    says="The name of a function stands in an object, as another API has it",
)
border(
    "openai_responses/tool-strict",
    "strict-null",
    "Whether a function is strict is left to the API",
    {"/tools/0/strict": None},
    past={"/tools/0/strict": 0},
    says="Whether a function is strict is a number",
)
border(
    "openai_responses/tool-type",
    "search-by-its-older-type",
    "The search stands there with the older type",
    {"/tools/-": {"type": "web_search_preview"}},
    past={"/tools/1/type": "web_search_20250305"},
    says="The search has the type of another provider",
)
border(
    "openai_chat/unknown-parameter",
    "parameters-seldom-seen",
    "A request has documented parameters that are seldom seen",
    {"/prompt_cache_key": "branch", "/safety_identifier": "u-1f", "/verbosity": "low", "/service_tier": "flex"},
    past={"/cache_key": "branch"},
)
border(
    "openai_responses/unknown-key",
    "status-of-a-call-and-a-result",
    "A call and its result say their status, which they need not",
    {"/input/1/status": "completed", "/input/2/status": "completed"},
    past={"/input/1/index": 0},
    says="A call says its place among the calls",
)
border(
    "anthropic/unknown-key",
    "result-marked-for-the-cache",
    "A result is marked for the cache, and says that it is no error",
    {"/messages/2/content/0/cache_control": {"type": "ephemeral"}, "/messages/2/content/0/is_error": False},
    past={"/messages/2/content/0/status": "completed"},
)
border(
    "openai_chat/foreign-key",
    "a-parameter-called-input-schema",
    "A parameter has the name of another provider's key",
    {"/tools/0/function/parameters/properties/input_schema": {"type": "object", "properties": {}}},
    past={"/tools/0/function/input_schema": {"type": "object", "properties": {}}},
)
border(
    "openai_responses/foreign-key",
    "a-parameter-called-max-tokens",
    "A parameter has the name of another provider's key",
    {"/tools/0/parameters/properties/max_tokens": {"type": "integer"}},
    past={"/max_tokens": 512},
)
border(
    "gemini/no-config",
    "a-parameter-called-config",
    "A parameter has the name of the key that only the SDK has",
    {"/tools/0/functionDeclarations/0/parameters/properties/config": {"type": "STRING"}},
    past={"/config": {}},
    says="The key that only the SDK has is empty",
)
border(
    "openai_chat/shape",
    "settings-null",
    "Settings that may be null are null",
    {"/temperature": None, "/stop": None, "/n": None, "/stream": None},
    past={"/stream": "false"},
    says="A setting that is true or false is a text",
)
border(
    "anthropic/shape",
    "no-stop-sequences",
    "The list of stop sequences is empty",
    {"/stop_sequences": []},
    past={"/stop_sequences": "END"},
    says="The stop sequences are one text",
)
border(
    "gemini/shape",
    "no-thinking-settings",
    "The settings of thinking are an empty object",
    {"/generationConfig/thinkingConfig": {}},
    past={"/generationConfig/thinkingConfig": []},
    says="The settings of thinking are a list",
)
border(
    "openai_responses/shape",
    "description-null",
    "The description of a function is null",
    {"/tools/0/description": None},
    past={"/tools/0/description": 1},
    says="The description of a function is a number",
)
