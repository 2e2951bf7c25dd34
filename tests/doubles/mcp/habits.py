"""What bridges may do: the protocol and the formats leave it to them."""

from __future__ import annotations

import json

from doubles.bridged import Seen, harmless, need


@harmless("entries", ("openai_chat", "openai_responses"), beside="translation/result-content")
def failure_as_json(seen: Seen) -> None:
    """Where a format has no mark for failures, a result that failed is told as an object that says so."""
    need(seen.given.get("isError"))
    for entry in seen.body:
        key = "content" if "content" in entry else "output"
        entry[key] = json.dumps({"error": seen.given["content"][0]["text"]})
