"""An ideal client of Anthropic Messages: how it continues after a reply.

The reply's content goes back as the assistant's turn, results follow in one user message
(https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls).
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.reading import reverse_among
from toolcall_conformance.formats.known_keys import ByType, drop_unknown_keys, keys

CONTAINER = "messages"

_CITATION_KEYS = ("type", "cited_text")
_DOCUMENT_CITATION_KEYS = (*_CITATION_KEYS, "document_index", "document_title")
_CITATION = ByType(
    {
        "char_location": keys(*_DOCUMENT_CITATION_KEYS, "start_char_index", "end_char_index"),
        "page_location": keys(*_DOCUMENT_CITATION_KEYS, "start_page_number", "end_page_number"),
        "content_block_location": keys(*_DOCUMENT_CITATION_KEYS, "start_block_index", "end_block_index"),
        "web_search_result_location": keys(*_CITATION_KEYS, "encrypted_index", "title", "url"),
        "search_result_location": keys(
            *_CITATION_KEYS, "search_result_index", "source", "title", "start_block_index", "end_block_index"
        ),
    }
)
_DOCUMENT = keys(
    "type",
    "title",
    "context",
    "cache_control",
    source=ByType({"base64": keys("type", "media_type", "data"), "text": keys("type", "media_type", "data")}),
    citations=keys("enabled"),
)
_FILE = keys("type", "file_id")
_ERROR = keys("type", "error_code")
_ERROR_WITH_MESSAGE = keys("type", "error_code", "error_message")
_EXECUTION_RESULT = keys("type", "return_code", "stdout", "stderr", content=_FILE)
# Results of the provider's own tools, by the type of their content.
_HOSTED_RESULT_CONTENT = ByType(
    {
        "web_search_result": keys("type", "title", "url", "encrypted_content", "page_age"),
        "web_search_tool_result_error": _ERROR,
        "web_fetch_result": keys("type", "url", "retrieved_at", content=_DOCUMENT),
        "web_fetch_tool_result_error": _ERROR,
        "code_execution_result": _EXECUTION_RESULT,
        "encrypted_code_execution_result": keys("type", "return_code", "encrypted_stdout", "stderr", content=_FILE),
        "code_execution_tool_result_error": _ERROR,
        "bash_code_execution_result": _EXECUTION_RESULT,
        "bash_code_execution_tool_result_error": _ERROR,
        "text_editor_code_execution_view_result": keys(
            "type", "content", "file_type", "num_lines", "start_line", "total_lines"
        ),
        "text_editor_code_execution_create_result": keys("type", "is_file_update"),
        "text_editor_code_execution_str_replace_result": keys(
            "type", "lines", "new_lines", "new_start", "old_lines", "old_start"
        ),
        "text_editor_code_execution_tool_result_error": _ERROR_WITH_MESSAGE,
        "tool_search_tool_search_result": keys("type", tool_references=keys("type", "tool_name", "cache_control")),
        "tool_search_tool_result_error": _ERROR_WITH_MESSAGE,
    }
)
_CALLER = keys("type", "tool_id")
_HOSTED_RESULT = keys("type", "tool_use_id", "cache_control", content=_HOSTED_RESULT_CONTENT)

# The keys that the API's types have for an assistant's turn.
KNOWN_KEYS = ByType(
    {
        "text": keys("type", "text", "cache_control", citations=_CITATION),
        "server_tool_use": keys("type", "id", "name", "input", "cache_control", caller=_CALLER),
        "web_search_tool_result": _HOSTED_RESULT | keys(caller=_CALLER),
        "web_fetch_tool_result": _HOSTED_RESULT | keys(caller=_CALLER),
        "code_execution_tool_result": _HOSTED_RESULT,
        "bash_code_execution_tool_result": _HOSTED_RESULT,
        "text_editor_code_execution_tool_result": _HOSTED_RESULT,
        "tool_search_tool_result": _HOSTED_RESULT,
        "container_upload": keys("type", "file_id", "cache_control"),
        "tool_use": keys("type", "id", "name", "input", "cache_control", "toolset_name", caller=_CALLER),
        "thinking": keys("type", "thinking", "signature"),
        "redacted_thinking": keys("type", "data"),
    }
)


def entries(body: dict[str, Any]) -> list[Any]:
    """Return the messages of a request as a new list."""
    messages: Any = body.get("messages")
    return list(messages) if isinstance(messages, list) else []


def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
    """Return the assistant message that the client sends back; ``echo`` keeps keys that it does not know."""
    content: Any = deep_copy(reply.get("content"))
    return [{"role": "assistant", "content": content if echo else drop_unknown_keys(content, KNOWN_KEYS)}]


def relink(result: dict[str, Any], call: dict[str, Any]) -> bool:
    """Set the id of the call that a result block answers."""
    result["tool_use_id"] = call.get("id")
    return True


def reverse_results(tail: list[Any]) -> None:
    """Reverse the results of each message, in place; ids link them to their calls."""
    for message in tail:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            reverse_among(content, lambda block: isinstance(block, dict) and block.get("type") == "tool_result")


def merge_results(tail: list[Any]) -> list[Any]:
    """Return one user message with the blocks of all, results first."""
    blocks = [block for message in tail for block in message["content"]] if all(map(_has_blocks, tail)) else None
    if not blocks:
        return tail
    blocks.sort(key=lambda block: not (isinstance(block, dict) and block.get("type") == "tool_result"))
    return [{"role": "user", "content": blocks}]


def _has_blocks(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "user" and isinstance(message.get("content"), list)


def add_instruction(body: dict[str, Any], instruction: str) -> None:
    """Add a text to the end of the ``system`` prompt, in place."""
    system = body.get("system")
    if isinstance(system, list):
        system.append({"type": "text", "text": instruction})
    else:
        body["system"] = f"{system}\n\n{instruction}" if system else instruction


def set_tool_choice_auto(body: dict[str, Any]) -> None:
    """Set the type of ``tool_choice`` to auto, in place."""
    body["tool_choice"] = {**body["tool_choice"], "type": "auto"}
    body["tool_choice"].pop("name", None)
