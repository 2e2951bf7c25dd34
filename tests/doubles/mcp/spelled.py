"""Bridges may tell a result as JSON, with the labels of their own types."""

from __future__ import annotations

import json

from doubles.bridge import Seen, harmless, need


@harmless("entries", "gemini", beside="translation/result-content")
def whole_result(draft: Seen) -> None:
    """The function's response holds the whole CallToolResult, as Google's SDK gives it."""
    for part in draft.body[0]["parts"]:
        if "functionResponse" in part:
            key = "error" if draft.given.get("isError") else "result"
            part["functionResponse"]["response"] = {key: {**draft.given, "is_error": key == "error"}}


@harmless("entries", ("openai_chat", "openai_responses"), beside="translation/result-content")
def blocks_as_json(draft: Seen) -> None:
    """The result is a list of the blocks as JSON, each with an id of the client's."""
    need(not draft.given.get("isError"))
    need(draft.given["content"] or "structuredContent" not in draft.given)
    blocks = [{**block, "id": f"lc_{place}"} for place, block in enumerate(draft.given["content"])]
    key = "content" if "content" in draft.body[0] else "output"
    need(isinstance(draft.body[0][key], str))
    draft.body[0][key] = json.dumps(blocks)
