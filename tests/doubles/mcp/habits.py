"""What bridges may do: the protocol and the formats leave it to them."""

from __future__ import annotations

import base64
import json

from doubles.bridged import Seen, harmless, need, text_block
from doubles.mcp.faults import DROPPED
from doubles.mcp.tools import declarations


@harmless("entries", ("openai_chat", "openai_responses"), beside=DROPPED)
def failure_as_json(seen: Seen) -> None:
    """Where a format has no mark for failures, a result that failed is told as an object that says so."""
    need(seen.given.get("isError") and seen.given["content"])
    for entry in seen.body:
        key = "content" if "content" in entry else "output"
        entry[key] = json.dumps({"error": seen.given["content"][0]["text"]})


@harmless("result", beside=DROPPED)
def structure_besidetext_block(seen: Seen) -> None:
    """Structured content follows the texts as JSON."""
    need(seen.blocks)
    seen.blocks.append(text_block(json.dumps(need(seen.body.get("structuredContent")), indent=1)))


@harmless("result", beside=DROPPED)
def structure_fortext_block(seen: Seen) -> None:
    """Structured content is told, and texts are left out where it is there."""
    need(seen.blocks and seen.body.get("structuredContent"))
    seen.body["content"] = []


@harmless("entries", "gemini", beside=DROPPED)
def structure_in_a_member(seen: Seen) -> None:
    """An object has the texts under one key and the structured content under another."""
    structured = need(seen.given.get("structuredContent"))
    need(seen.given["content"])
    for part in seen.body[0]["parts"]:
        part["functionResponse"]["response"] = {"text": seen.given["content"][0]["text"], "structured": structured}


@harmless("result", beside=DROPPED)
def links_as_json(seen: Seen) -> None:
    """A link is told as the JSON of its block."""
    block = seen.kinds("resource_link")[0]
    seen.instead(block, json.dumps(block))


@harmless("result", beside=DROPPED)
def links_by_address(seen: Seen) -> None:
    """A link is told by its address alone."""
    block = seen.kinds("resource_link")[0]
    seen.instead(block, f"[resource link: {block['uri']}]")


@harmless("result", beside=DROPPED)
def embedded_texts_under_their_address(seen: Seen) -> None:
    """An embedded text stands under a line with its address."""
    block = need([one for one in seen.kinds("resource") if "text" in one["resource"]])[0]
    seen.instead(block, f"--- {block['resource']['uri']} ---\n{block['resource']['text']}")


@harmless("result", beside=DROPPED)
def embedded_texts_as_json(seen: Seen) -> None:
    """An embedded text is told as the JSON of its resource."""
    block = need([one for one in seen.kinds("resource") if "text" in one["resource"]])[0]
    seen.instead(block, json.dumps(block["resource"]))


@harmless("result", "anthropic", beside=DROPPED)
def embedded_texts_as_documents(seen: Seen) -> None:
    """An embedded text is a document of plain text."""
    held = need([one["resource"] for one in seen.kinds("resource") if "text" in one["resource"]])[0]
    held.update(mimeType="text/plain", blob=base64.b64encode(held.pop("text").encode()).decode())


@harmless("result", beside=DROPPED)
def all_for_the_model(seen: Seen) -> None:
    """What is for the user's eyes is told the model as well."""
    for block in seen.blocks:
        block.pop("annotations", None)


@harmless("result", beside=DROPPED)
def texts_joined(seen: Seen) -> None:
    """Several texts are one, line by line."""
    need(len(seen.kinds("text")) == len(seen.blocks) > 1)
    need(not any("annotations" in block for block in seen.blocks))
    seen.body["content"] = [text_block("\n".join(block["text"] for block in seen.blocks))]


@harmless("entries", "gemini", beside=DROPPED)
def texts_under_another_key(seen: Seen) -> None:
    """The only member of a response has another name."""
    for part in seen.body[0]["parts"]:
        response = part.get("functionResponse", {}).get("response")
        need(response and "output" in response)
        response["result"] = response.pop("output")


@harmless("tools", beside="translation/tool-lost")
def names_with_a_prefix(seen: Seen) -> None:
    """Each name begins with the server's."""
    for made in declarations(seen):
        need(len(made["name"]) < 50)
        made["name"] = f"harbour__{made['name']}"


@harmless("listed", beside="translation/tool-lost")
def schema_s_own_words_dropped(seen: Seen) -> None:
    """Which dialect a schema is in, and its title, are left out."""
    for tool in seen.body["tools"]:
        for key in ("$schema", "title"):
            tool["inputSchema"].pop(key, None)


@harmless("tools", "openai_chat", beside="translation/tool-lost")
def said_not_to_be_strict(seen: Seen) -> None:
    """Declarations say that they are not strict."""
    for made in declarations(seen):
        made["strict"] = False


@harmless("listed", "gemini", beside="translation/tool-lost")
def empty_properties(seen: Seen) -> None:
    """A schema without properties gets none, in words."""
    for tool in seen.body["tools"]:
        tool["inputSchema"].setdefault("properties", {})
