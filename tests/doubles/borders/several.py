"""Replies that stand side by side in one body: each has its number, and who leaves it out has the number 0."""

from __future__ import annotations

from typing import Any

from doubles.border import GONE, borders

border = borders(__name__)

CITED = {
    "type": "url_citation",
    "url_citation": {"start_index": 0, "end_index": 18, "url": "https://example.org/wind", "title": "Wind in Faro"},
}


def candidate(text: str, index: int | None = 1, **more: Any) -> dict[str, Any]:
    """A candidate of Gemini."""
    return {"content": {"role": "model", "parts": [{"text": text}]}, **more, "index": index}


def choice(delta: dict[str, Any], index: int = 1, finish: str | None = None) -> dict[str, Any]:
    """A choice in a chunk of Chat."""
    return {"index": index, "delta": delta, "finish_reason": finish}


border(
    "gemini/candidate-once",
    "two-candidates",
    "A reply has two candidates, with the numbers 0 and 1",
    {"/candidates/-": candidate("It is a tuple.", finishReason="STOP")},
    past={"/candidates/1/index": 0},
)
border(
    "gemini/candidate-once",
    "first-candidate-unnumbered",
    "The first of two candidates has no number, as the mapping leaves out what is 0",
    {"/candidates/-": candidate("It is a tuple.", finishReason="STOP"), "/candidates/0/index": GONE},
    past={"/candidates/1/index": GONE},
    says="Two candidates have no number",
)
border(
    "gemini/candidate-once",
    "first-candidate-null",
    "The number of the first of two candidates is null",
    {"/candidates/-": candidate("It is a tuple.", finishReason="STOP"), "/candidates/0/index": None},
    past={"/candidates/1/index": 0},
    says="Of two candidates one has the number null, the other 0",
)
border(
    "gemini/stream-candidate-once",
    "two-candidates-in-a-chunk",
    "Each chunk has two candidates, with the numbers 0 and 1",
    {
        "/events/0/data/candidates/-": candidate("It snows "),
        "/events/1/data/candidates/-": candidate("in Oslo.", finishReason="STOP"),
    },
    past={"/events/0/data/candidates/1/index": 0, "/events/1/data/candidates/1": GONE},
)
border(
    "openai_chat/choice-once",
    "two-choices",
    "A reply has two choices, with the numbers 0 and 1",
    {"/choices/-": {"index": 1, "message": {"role": "assistant", "content": "On main."}, "finish_reason": "stop"}},
    past={"/choices/1/index": 0},
)
border(
    "openai_chat/stream-choice-once",
    "two-choices-in-a-chunk",
    "Chunks have two choices, with the numbers 0 and 1",
    {
        "/events/0/data/choices/-": choice({"role": "assistant", "content": "On main."}),
        "/events/2/data/choices/-": choice({"content": " It is clean."}),
        "/events/4/data/choices/-": choice({}, finish="stop"),
    },
    past={"/events/2/data/choices/1/index": 0},
)
border(
    "openai_chat/stream-list-once",
    "citations-before-the-last-text",
    "All citations come with the first text, and an empty list with the second",
    {
        "/events/1/data/choices/0/delta/annotations": [CITED, CITED],
        "/events/2/data/choices/0/delta/annotations": [],
        "/events/3": GONE,
    },
    past={"/events/2/data/choices/0/delta/annotations/-": CITED},
    says="Each text has a citation with it",
)
