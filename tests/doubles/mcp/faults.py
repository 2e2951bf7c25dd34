"""What bridges get wrong in results."""

from __future__ import annotations

import json

from doubles.bridged import Seen, broken, need, text_block, warning

WITH_IDS = ("anthropic", "openai_chat", "openai_responses")
DROPPED = "translation/result-content"


@broken("translation/error-mark", "result", ("anthropic", "gemini"))
def failures_unread(seen: Seen) -> None:
    """Nobody looks at isError, so the model takes the message for an answer."""
    need(seen.body.get("isError"))
    seen.body["isError"] = False


@warning("translation/error-mark", "result", ("openai_chat", "openai_responses"))
def failures_unsaid(seen: Seen) -> None:
    """Nobody looks at isError, and the message itself does not say that it is one."""
    need(seen.body.get("isError"))
    seen.body["isError"] = False


@broken("translation/error-mark-invented", "result", ("anthropic", "gemini"))
def everything_fails(seen: Seen) -> None:
    """A result without isError is taken for one that failed."""
    need("isError" not in seen.body)
    seen.body["isError"] = True


@broken(DROPPED, "result")
def only_the_first_block(seen: Seen) -> None:
    """Of several texts the first is the result."""
    need(len(seen.kinds("text")) == len(seen.blocks) > 1)
    seen.body["content"] = seen.blocks[:1]


@broken(DROPPED, "result")
def only_the_last_block(seen: Seen) -> None:
    """Of several texts the last is the result."""
    need(len(seen.kinds("text")) == len(seen.blocks) > 1)
    need("annotations" not in seen.blocks[-1])
    seen.body["content"] = seen.blocks[-1:]


@broken("translation/media-lost", "result")
def pictures_dropped(seen: Seen) -> None:
    """A picture is a block that the bridge does not know."""
    seen.drop(seen.kinds("image")[0])


@broken("translation/media-lost", "result", follows=(DROPPED,))
def pictures_as_json(seen: Seen) -> None:
    """A picture is told as the JSON of its block, with all its bytes as text."""
    block = seen.kinds("image")[0]
    seen.instead(block, json.dumps(block))


@warning("translation/media-unmentioned", "result", ("anthropic", "openai_responses"))
def sound_dropped(seen: Seen) -> None:
    """Sound goes without a word where the format has none."""
    seen.drop(seen.kinds("audio")[0])


@broken(DROPPED, "result")
def links_dropped(seen: Seen) -> None:
    """A link to a resource is a block that the bridge does not know."""
    seen.drop(seen.kinds("resource_link")[0])


@broken(DROPPED, "result")
def links_unsupported(seen: Seen) -> None:
    """A link is told by its type alone."""
    seen.instead(seen.kinds("resource_link")[0], "[Unsupported content type: resource_link]")


@broken(DROPPED, "result")
def links_without_address(seen: Seen) -> None:
    """A link is told by what it is called, so that nobody can follow it."""
    block = seen.kinds("resource_link")[0]
    seen.instead(block, f"{block['title']}: {block['description']}")


@broken(DROPPED, "result")
def embedded_texts_dropped(seen: Seen) -> None:
    """An embedded text is a block that the bridge does not know."""
    seen.drop(need([one for one in seen.kinds("resource") if "text" in one["resource"]])[0])


@broken(DROPPED, "result")
def embedded_texts_by_address(seen: Seen) -> None:
    """An embedded text is told by its address, as if the model could read it there."""
    block = need([one for one in seen.kinds("resource") if "text" in one["resource"]])[0]
    seen.instead(block, f"[resource: {block['resource']['uri']}]")


@broken("translation/media-lost", "result")
def embedded_bytes_dropped(seen: Seen) -> None:
    """An embedded document is told by its address alone."""
    block = need([one for one in seen.kinds("resource") if "blob" in one["resource"]])[0]
    seen.instead(block, f"[resource: {block['resource']['uri']}]")


@broken(DROPPED, "result")
def structure_unread(seen: Seen) -> None:
    """Structured content is not looked at, even where there is nothing else."""
    need(not seen.blocks and not seen.body.get("isError"))
    need(seen.body.pop("structuredContent", None))


@broken("translation/error-message", "result")
def reason_unread(seen: Seen) -> None:
    """Of a result that failed only the text is looked at, and there is none."""
    need(not seen.blocks and seen.body.get("isError"))
    need(seen.body.pop("structuredContent", None))


@broken(DROPPED, "result")
def structure_cut(seen: Seen) -> None:
    """Of structured content that stands alone only the first member is told."""
    need(not seen.blocks and not seen.body.get("isError"))
    name, value = next(iter(need(seen.body.get("structuredContent")).items()))
    seen.body["structuredContent"] = {name: value}


@broken(DROPPED, "result")
def blocks_printed(seen: Seen) -> None:
    """The list of blocks is printed as the programming language prints it."""
    need(len(seen.kinds("text")) == len(seen.blocks))
    seen.body["content"] = [text_block(str([f"TextContent(text={one['text']!r})" for one in seen.blocks]))]


@broken(DROPPED, "result")
def empty_result_made_up(seen: Seen) -> None:
    """Where the server returns nothing, the model is told of a failure."""
    need(not seen.blocks and "structuredContent" not in seen.body)
    seen.body["content"] = [text_block("Error: the server returned no text content")]


@broken("gemini/result-response-object", "entries", "gemini", follows=(DROPPED, "translation/error-mark"))
def texts_for_objects(seen: Seen) -> None:
    """A text stands where an object must."""
    for part in seen.body[0]["parts"]:
        response = part.get("functionResponse", {})
        need(response).update(response=json.dumps(response["response"]))


@broken(("gemini/result-names-call",), "entries", "gemini", follows=("translation/results-linked",))
def results_named_otherwise(seen: Seen) -> None:
    """A result has another name than its call, as the server knows it by."""
    for part in seen.body[0]["parts"]:
        need(part.get("functionResponse"))["name"] = "harbour.tool"


@broken(("openai_chat/result-call-id", "translation/results-linked"), "entries", "openai_chat")
def results_without_id(seen: Seen) -> None:
    """A result does not say which call it answers."""
    for entry in seen.body:
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
def results_filed_by_name(seen: Seen) -> None:
    """Results are filed by the name of their tool, so that each answers its first call."""
    seen.body["id"] = next(call["id"] for call in seen.calls if call["name"] == seen.body["name"])
