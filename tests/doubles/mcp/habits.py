"""What bridges may do: the protocol and the formats leave it to them."""

from __future__ import annotations

import base64
import json

from doubles.bridge import Seen, harmless, need, text_block
from doubles.mcp.faults import DROPPED
from doubles.mcp.tools import declarations


@harmless("entries", ("openai_chat", "openai_responses"), beside=DROPPED)
def failure_as_json(draft: Seen) -> None:
    """Where a format has no mark for failures, a result that failed is told as an object that says so."""
    need(draft.given.get("isError") and draft.given["content"])
    for entry in draft.body:
        key = "content" if "content" in entry else "output"
        entry[key] = json.dumps({"error": draft.given["content"][0]["text"]})


@harmless("result", beside=DROPPED)
def structure_besidetext_block(draft: Seen) -> None:
    """Structured content follows the texts as JSON."""
    need(draft.blocks)
    draft.blocks.append(text_block(json.dumps(need(draft.body.get("structuredContent")), indent=1)))


@harmless("result", beside=DROPPED)
def structure_fortext_block(draft: Seen) -> None:
    """Structured content is told, and texts are left out where it is there."""
    need(draft.blocks and draft.body.get("structuredContent"))
    draft.body["content"] = []


@harmless("entries", "gemini", beside=DROPPED)
def structure_in_a_member(draft: Seen) -> None:
    """An object has the texts under one key and the structured content under another."""
    structured = need(draft.given.get("structuredContent"))
    need(draft.given["content"])
    for part in draft.body[0]["parts"]:
        part["functionResponse"]["response"] = {"text": draft.given["content"][0]["text"], "structured": structured}


@harmless("result", beside=DROPPED)
def links_as_json(draft: Seen) -> None:
    """A link is told as the JSON of its block."""
    block = draft.kinds("resource_link")[0]
    draft.instead(block, json.dumps(block))


@harmless("result", beside=DROPPED)
def links_by_address(draft: Seen) -> None:
    """A link is told by its address alone."""
    block = draft.kinds("resource_link")[0]
    draft.instead(block, f"[resource link: {block['uri']}]")


@harmless("result", beside=DROPPED)
def embedded_texts_under_their_address(draft: Seen) -> None:
    """An embedded text stands under a line with its address."""
    block = need([entry for entry in draft.kinds("resource") if "text" in entry["resource"]])[0]
    draft.instead(block, f"--- {block['resource']['uri']} ---\n{block['resource']['text']}")


@harmless("result", beside=DROPPED)
def embedded_texts_as_json(draft: Seen) -> None:
    """An embedded text is told as the JSON of its resource."""
    block = need([entry for entry in draft.kinds("resource") if "text" in entry["resource"]])[0]
    draft.instead(block, json.dumps(block["resource"]))


@harmless("result", "anthropic", beside=DROPPED)
def embedded_texts_as_documents(draft: Seen) -> None:
    """An embedded text is a document of plain text."""
    resource = need([block["resource"] for block in draft.kinds("resource") if "text" in block["resource"]])[0]
    resource.update(mimeType="text/plain", blob=base64.b64encode(resource.pop("text").encode()).decode())


@harmless("result", beside=DROPPED)
def all_for_the_model(draft: Seen) -> None:
    """What is for the user's eyes is told the model as well."""
    for block in draft.blocks:
        block.pop("annotations", None)


@harmless("result", beside=DROPPED)
def texts_joined(draft: Seen) -> None:
    """Several texts are one, line by line."""
    need(len(draft.kinds("text")) == len(draft.blocks) > 1)
    need(not any("annotations" in block for block in draft.blocks))
    draft.body["content"] = [text_block("\n".join(block["text"] for block in draft.blocks))]


@harmless("entries", "gemini", beside=DROPPED)
def texts_under_another_key(draft: Seen) -> None:
    """The only member of a response has another name."""
    for part in draft.body[0]["parts"]:
        response = part.get("functionResponse", {}).get("response")
        need(response and "output" in response)
        response["result"] = response.pop("output")


@harmless("tools", beside="translation/tool-lost")
def names_with_a_prefix(draft: Seen) -> None:
    """Each name begins with the server's."""
    for declaration in declarations(draft):
        need(len(declaration["name"]) < 50)
        declaration["name"] = f"harbour__{declaration['name']}"


@harmless("listed", beside="translation/tool-lost")
def schema_s_own_words_dropped(draft: Seen) -> None:
    """Which dialect a schema is in, and its title, are left out."""
    for tool in draft.body["tools"]:
        for key in ("$schema", "title"):
            tool["inputSchema"].pop(key, None)


@harmless("tools", "openai_chat", beside="translation/tool-lost")
def said_not_to_be_strict(draft: Seen) -> None:
    """Declarations say that they are not strict."""
    for declaration in declarations(draft):
        declaration["strict"] = False


@harmless("listed", "gemini", beside="translation/tool-lost")
def empty_properties(draft: Seen) -> None:
    """A schema without properties gets none, in words."""
    for tool in draft.body["tools"]:
        tool["inputSchema"].setdefault("properties", {})
