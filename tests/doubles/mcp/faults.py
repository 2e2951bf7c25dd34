"""What bridges get wrong in results."""

from __future__ import annotations

import json

from doubles.bridge import Seen, broken, need, text_block, warning

WITH_IDS = ("anthropic", "openai_chat", "openai_responses")
DROPPED = "translation/result-content"


@broken("translation/error-mark", "result", ("anthropic", "gemini"))
def failures_unread(draft: Seen) -> None:
    """Nobody looks at isError, so the model takes the message for an answer."""
    need(draft.body.get("isError"))
    draft.body["isError"] = False


@warning("translation/error-mark", "result", ("openai_chat", "openai_responses"))
def failures_unsaid(draft: Seen) -> None:
    """Nobody looks at isError, and the message itself does not say that it is one."""
    need(draft.body.get("isError"))
    draft.body["isError"] = False


@broken("translation/error-mark-invented", "result", ("anthropic", "gemini"))
def everything_fails(draft: Seen) -> None:
    """A result without isError is taken for one that failed."""
    need("isError" not in draft.body)
    draft.body["isError"] = True


@broken(DROPPED, "result")
def only_the_first_block(draft: Seen) -> None:
    """Of several texts the first is the result."""
    need(len(draft.kinds("text")) == len(draft.blocks) > 1)
    draft.body["content"] = draft.blocks[:1]


@broken(DROPPED, "result")
def only_the_last_block(draft: Seen) -> None:
    """Of several texts the last is the result."""
    need(len(draft.kinds("text")) == len(draft.blocks) > 1)
    need("annotations" not in draft.blocks[-1])
    draft.body["content"] = draft.blocks[-1:]


@broken("translation/media-lost", "result")
def pictures_dropped(draft: Seen) -> None:
    """A picture is a block that the bridge does not know."""
    draft.drop(draft.kinds("image")[0])


@broken("translation/media-lost", "result", follows=(DROPPED,))
def pictures_as_json(draft: Seen) -> None:
    """A picture is told as the JSON of its block, with all its bytes as text."""
    block = draft.kinds("image")[0]
    draft.instead(block, json.dumps(block))


@warning("translation/media-unmentioned", "result", ("anthropic", "openai_responses"))
def sound_dropped(draft: Seen) -> None:
    """Sound goes without a word where the format has none."""
    draft.drop(draft.kinds("audio")[0])


@broken(DROPPED, "result")
def links_dropped(draft: Seen) -> None:
    """A link to a resource is a block that the bridge does not know."""
    draft.drop(draft.kinds("resource_link")[0])


@broken(DROPPED, "result")
def links_unsupported(draft: Seen) -> None:
    """A link is told by its type alone."""
    draft.instead(draft.kinds("resource_link")[0], "[Unsupported content type: resource_link]")


@broken(DROPPED, "result")
def links_without_address(draft: Seen) -> None:
    """A link is told by what it is called, so that nobody can follow it."""
    block = draft.kinds("resource_link")[0]
    draft.instead(block, f"{block['title']}: {block['description']}")


@broken(DROPPED, "result")
def embedded_texts_dropped(draft: Seen) -> None:
    """An embedded text is a block that the bridge does not know."""
    draft.drop(need([block for block in draft.kinds("resource") if "text" in block["resource"]])[0])


@broken(DROPPED, "result")
def embedded_texts_by_address(draft: Seen) -> None:
    """An embedded text is told by its address, as if the model could read it there."""
    block = need([entry for entry in draft.kinds("resource") if "text" in entry["resource"]])[0]
    draft.instead(block, f"[resource: {block['resource']['uri']}]")


@broken("translation/media-lost", "result")
def embedded_bytes_dropped(draft: Seen) -> None:
    """An embedded document is told by its address alone."""
    block = need([entry for entry in draft.kinds("resource") if "blob" in entry["resource"]])[0]
    draft.instead(block, f"[resource: {block['resource']['uri']}]")


@broken(DROPPED, "result")
def structure_unread(draft: Seen) -> None:
    """Structured content is not looked at, even where there is nothing else."""
    need(not draft.blocks and not draft.body.get("isError"))
    need(draft.body.pop("structuredContent", None))


@broken("translation/error-message", "result")
def reason_unread(draft: Seen) -> None:
    """Of a result that failed only the text is looked at, and there is none."""
    need(not draft.blocks and draft.body.get("isError"))
    need(draft.body.pop("structuredContent", None))


@broken(DROPPED, "result")
def structure_cut(draft: Seen) -> None:
    """Of structured content that stands alone only the first member is told."""
    need(not draft.blocks and not draft.body.get("isError"))
    name, value = next(iter(need(draft.body.get("structuredContent")).items()))
    draft.body["structuredContent"] = {name: value}


@broken(DROPPED, "result")
def blocks_printed(draft: Seen) -> None:
    """The list of blocks is printed as the programming language prints it."""
    need(len(draft.kinds("text")) == len(draft.blocks))
    draft.body["content"] = [text_block(str([f"TextContent(text={block['text']!r})" for block in draft.blocks]))]


@broken(DROPPED, "result")
def empty_result_made_up(draft: Seen) -> None:
    """Where the server returns nothing, the model is told of a failure."""
    need(not draft.blocks and "structuredContent" not in draft.body)
    draft.body["content"] = [text_block("Error: the server returned no text content")]


@broken("gemini/result-response-object", "entries", "gemini", follows=(DROPPED, "translation/error-mark"))
def texts_for_objects(draft: Seen) -> None:
    """A text stands where an object must."""
    for part in draft.body[0]["parts"]:
        response = part.get("functionResponse", {})
        need(response).update(response=json.dumps(response["response"]))


@broken(("gemini/result-names-call",), "entries", "gemini", follows=("translation/results-linked",))
def results_named_otherwise(draft: Seen) -> None:
    """A result has another name than its call, as the server knows it by."""
    for part in draft.body[0]["parts"]:
        need(part.get("functionResponse"))["name"] = "harbour.tool"


@broken(("openai_chat/result-call-id", "translation/results-linked"), "entries", "openai_chat")
def results_without_id(draft: Seen) -> None:
    """A result does not say which call it answers."""
    for entry in draft.body:
        entry.pop("tool_call_id", None)


@broken(
    "translation/results-linked",
    "call",
    WITH_IDS,
    follows=(
        *("anthropic/calls-answered", "anthropic/result-of-known-call", "anthropic/result-once"),
        *("openai_chat/calls-answered", "openai_chat/result-once", "openai_responses/call-answered"),
    ),
)
def results_filed_by_name(draft: Seen) -> None:
    """Results are filed by the name of their tool, so that each answers its first call."""
    draft.body["id"] = next(call["id"] for call in draft.calls if call["name"] == draft.body["name"])
