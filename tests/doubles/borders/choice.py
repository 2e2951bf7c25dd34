"""The choice of a tool, and the flag for parallel calls: the forms seldom seen, and what goes with what."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

border(
    "anthropic/tool-choice-name",
    "none-without-a-name",
    "The choice none has no name",
    {"/tool_choice": {"type": "none"}},
    past={"/tool_choice/name": "get_weather"},
    says="The choice none names a tool",
)
border(
    "anthropic/tool-choice-shape",
    "choice-none",
    "The choice is none, the youngest of the four",
    {"/tool_choice": {"type": "none"}},
    past={"/tool_choice/type": "required"},
    says="The choice has another provider's word",
)
border(
    "anthropic/parallel-flag-place",
    "flag-false-beside-any",
    "The flag stands beside the choice any, and says that calls may be parallel",
    {"/tool_choice": {"type": "any", "disable_parallel_tool_use": False}},
    past={"/tool_choice/type": "none"},
    says="The flag stands beside the choice none",
)
border(
    "anthropic/thinking-forced-choice",
    "thinking-and-no-tool",
    "While the model thinks no tool may be called",
    {"/tool_choice": {"type": "none"}},
    past={"/tool_choice": {"type": "any"}},
)
border(
    "gemini/tool-choice-mode",
    "mode-validated",
    "The mode is VALIDATED, the youngest of the four",
    {"/toolConfig/functionCallingConfig/mode": "VALIDATED"},
    past={"/toolConfig/functionCallingConfig/mode": "REQUIRED"},
    says="The mode has another provider's word",
)
SUBSET = {"mode": "auto", "tools": [{"type": "function", "function": {"name": "run_shell_command"}}]}
border(
    "openai_chat/tool-choice-form",
    "subset-of-tools",
    "The choice is a subset of the tools",
    {"/tool_choice": {"type": "allowed_tools", "allowed_tools": SUBSET}},
    past={"/tool_choice/type": "tools"},
    says="The choice is an object of a type that there is not",
)
border(
    "openai_chat/tool-choice-named",
    "free-text-tool-forced",
    "A free-text tool is forced by its name inside its own key",
    {
        "/tools/-": {"type": "custom", "custom": {"name": "apply_patch"}},
        "/tool_choice": {"type": "custom", "custom": {"name": "apply_patch"}},
    },
    past={"/tool_choice": {"type": "custom", "name": "apply_patch"}},
    says="A free-text tool is forced by a name beside the type",
)
border(
    "openai_chat/tool-choice-needs-tools",
    "auto-with-one-tool",
    "The choice auto stands beside the only tool",
    {"/tool_choice": "auto"},
    past={"/tools": GONE},
)
border(
    "openai_chat/parallel-flag-needs-tools",
    "flag-true-with-one-tool",
    "That calls may be parallel is said beside the only tool",
    {"/parallel_tool_calls": True},
    past={"/tools": GONE},
)
border(
    "openai_responses/parallel-flag",
    "flag-true",
    "The flag says that calls may be parallel",
    {"/parallel_tool_calls": True},
    past={"/parallel_tool_calls": 1},
    says="The flag is a number",
)
border(
    "openai_responses/tool-choice-declared",
    "last-of-two-chosen",
    "The last of two tools is chosen, whose name has a capital letter",
    {"/tools/-": {"type": "custom", "name": "Get_tide"}, "/tool_choice": {"type": "custom", "name": "Get_tide"}},
    past={"/tool_choice/name": "get_tide"},
    says="A tool is chosen whose name differs from a declared one in the case of one letter",
)
border(
    "openai_responses/tool-choice-flat",
    "flat-subset",
    "A subset has its mode and its tools beside the type",
    {
        "/tool_choice": {
            "type": "allowed_tools",
            "mode": "auto",
            "tools": [{"type": "function", "name": "get_weather"}],
        }
    },
    past={
        "/tool_choice": {
            "type": "allowed_tools",
            "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "name": "get_weather"}]},
        }
    },
    says="A subset stands in an object, as another API has it",
)
border(
    "openai_responses/tool-choice-form",
    "no-tool-chosen",
    "The choice is none, beside a tool",
    {"/tool_choice": "none"},
    past={"/tool_choice": "any"},
    says="The choice has another provider's word",
)
border(
    "openai_responses/tool-choice-subset",
    "subset-of-one",
    "One tool of a subset must be called, which has one",
    {"/tool_choice/mode": "required"},
    past={"/tool_choice/mode": "any"},
    says="The mode of a subset is another API's word",
)
border(
    "openai_responses/tool-choice-subset",
    "subset-of-none",
    "A subset has no tools in its list",
    {"/tool_choice/tools": []},
    past={"/tool_choice/tools": GONE},
    says="A subset has no list of tools",
)
border(
    "openai_chat/tool-choice-allowed",
    "subset-of-none-in-chat",
    "A choice of several tools has none in its list",
    {"/tool_choice/allowed_tools": {"mode": "auto", "tools": []}},
    past={"/tool_choice/allowed_tools/tools": GONE},
    says="A choice of several tools has no list of them",
)
border(
    "openai_chat/tool-choice-allowed",
    "subset-with-the-other-kind-null",
    "A function among several tools says null for the custom tool that it is not",
    {
        "/tool_choice/allowed_tools/tools": [
            {"type": "function", "function": {"name": "run_shell_command"}, "custom": None},
        ]
    },
    past={"/tool_choice/allowed_tools/tools/0": {"type": "function", "function": None}},
    says="A function among several tools says null for itself",
)
border(
    "openai_responses/tool-choice-type",
    "subset-of-a-declared-type",
    "One tool of a subset must be called, and has the type that it is declared with",
    {"/tool_choice/mode": "required"},
    past={"/tool_choice/tools/0/type": "mcp"},
    says="A tool of a subset has the type of another one",
)
border(
    "openai_chat/tool-choice-allowed",
    "subset-of-free-choice",
    "One of several tools may be called, or none",
    {"/tool_choice/allowed_tools/mode": "auto"},
    past={"/tool_choice/allowed_tools/tools/0/type": ""},
    says="A function among several tools has an empty type",
)
