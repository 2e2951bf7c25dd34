"""A link to a resource as a file that the provider is to load."""

from __future__ import annotations

from doubles.bridge import Seen, broken


def _link(draft: Seen) -> tuple[str, str]:
    """The text beside a link, and its address; Skip where there is none."""
    source_draft = Seen(draft.given, draft.given, draft.format)
    return source_draft.kinds("text")[0]["text"], source_draft.kinds("resource_link")[0]["uri"]


@broken("translation/result-content", "entries", "anthropic")
def link_as_document(draft: Seen) -> None:
    """The address is a name within the server, which the provider cannot load and the model does not see."""
    text, address = _link(draft)
    document = {"type": "document", "source": {"type": "url", "url": address}}
    draft.body[0]["content"][0]["content"] = [{"type": "text", "text": text}, document]


@broken("translation/result-content", "entries", "openai_responses")
def link_as_file(draft: Seen) -> None:
    """As a file of OpenAI's."""
    text, address = _link(draft)
    draft.body[0]["output"] = [{"type": "input_text", "text": text}, {"type": "input_file", "file_url": address}]
