"""Names and ids: the shortest, the longest, and such as differ in one letter's case."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

LONG = "aZ9_-" * 12 + "name"
ONE, OTHER = "call_h3GfJ9uTq5ViOx7EkMz2CyBn", "call_h3GfJ9uTq5ViOx7EkMz2CyBN"

border(
    "anthropic/call-id",
    "id-of-one-character",
    "The id of a call is one hyphen",
    {"/messages/1/content/0/id": "-", "/messages/2/content/0/tool_use_id": "-"},
    past={"/messages/1/content/0/id": "-.", "/messages/2/content/0/tool_use_id": "-."},
    says="The id of a call has a dot",
)
border(
    "anthropic/call-ids-unique",
    "ids-of-other-case",
    "The ids of two calls differ in the case of one letter",
    {
        "/messages/1/content/0/id": ONE,
        "/messages/1/content/1/id": OTHER,
        "/messages/2/content/0/tool_use_id": ONE,
        "/messages/2/content/1/tool_use_id": OTHER,
    },
    past={"/messages/1/content/1/id": ONE, "/messages/2/content/1/tool_use_id": ONE},
    says="Two calls of one message have one id",
    follows="anthropic/result-once",
)
border(
    "anthropic/tool-name-unique",
    "tool-names-of-other-case",
    "The names of two tools differ in the case of one letter",
    {"/tools/1/name": "get_Weather"},
    past={"/tools/1/name": "get_weather"},
)
border(
    "gemini/call-ids-unique",
    "call-ids-of-other-case",
    "The ids of two calls differ in the case of one letter",
    {"/contents/1/parts/1/functionCall/id": "fc_81Kq02x7", "/contents/2/parts/1/functionResponse/id": "fc_81Kq02x7"},
    past={
        "/contents/1/parts/1/functionCall/id": "fc_81kq02x7",
        "/contents/2/parts/1/functionResponse/id": "fc_81kq02x7",
    },
    says="Two calls of one turn have one id",
    follows=("gemini/result-once", "gemini/result-answers-call"),
)
border(
    "gemini/declaration-name",
    "nothing-but-a-name",
    "A function has a name of one character, and nothing else",
    {"/tools/0/functionDeclarations/0": {"name": "f"}},
    past={"/tools/0/functionDeclarations/0/name": GONE},
)
border(
    "gemini/call-name",
    "call-with-nothing-but-a-name",
    "A call has its function's name, and nothing else",
    {"/contents/1/parts/0/functionCall/args": GONE},
    past={"/contents/1/parts/0/functionCall/name": GONE},
)
border(
    "gemini/result-names-call",
    "results-in-another-order",
    "Results with ids stand in another order than their calls, each with its function's name",
    {
        "/contents/1/parts": [
            {"functionCall": {"name": "read_file", "args": {"path": "a"}, "id": "fc_1x"}},
            {"functionCall": {"name": "list_directory", "args": {"path": "b"}, "id": "fc_2x"}},
        ],
        "/contents/2/parts": [
            {"functionResponse": {"name": "list_directory", "response": {"output": "c"}, "id": "fc_2x"}},
            {"functionResponse": {"name": "read_file", "response": {"output": "d"}, "id": "fc_1x"}},
        ],
    },
    past={
        "/contents/2/parts/0/functionResponse/name": "read_file",
        "/contents/2/parts/1/functionResponse/name": "list_directory",
    },
    says="Results have the names of the calls at their place, and not of those that their ids name",
)
border(
    "openai_chat/tool-name",
    "tool-name-of-64",
    "A tool's name has 64 characters of every kind that it may have",
    {"/tools/0/function/name": LONG},
    past={"/tools/0/function/name": f"{LONG}s"},
    says="A tool's name has 65 characters",
)
border(
    "openai_chat/call-name",
    "called-name-of-64",
    "The name in a call has 64 characters of every kind that it may have",
    {"/messages/1/tool_calls/0/function/name": LONG, "/tools/0/function/name": LONG},
    past={"/messages/1/tool_calls/0/function/name": f"{LONG}s"},
    says="The name in a call has 65 characters",
)
border(
    "openai_chat/call-id",
    "reply-id-of-one-character",
    "The id of a call in a reply has one character",
    {"/choices/0/message/tool_calls/0/id": "0"},
    past={"/choices/0/message/tool_calls/0/id": ""},
    says="The id of a call in a reply is empty",
)
border(
    "openai_chat/call-ids-unique",
    "ids-of-one-message-of-other-case",
    "The ids of two calls of one message differ in the case of one letter",
    {"/messages/1/tool_calls/0/id": OTHER, "/messages/2/tool_call_id": OTHER},
    past={"/messages/1/tool_calls/0/id": ONE, "/messages/2/tool_call_id": ONE},
    follows="openai_chat/result-once",
)
border(
    "openai_responses/call-id-unique",
    "reply-ids-of-other-case",
    "The ids of two calls of one reply differ in the case of one letter",
    {"/output/0/call_id": ONE, "/output/1/call_id": OTHER},
    past={"/output/1/call_id": ONE},
)
border(
    "anthropic/model-named",
    "model-by-its-alias",
    "The model is named by an alias without a date",
    {"/model": "claude-sonnet-4-5"},
    past={"/model": GONE},
)
