"""No line of code runs with the product of media and of the texts that may speak of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import toolcall_conformance
from corpus_judge import judge
from toolcall_conformance import formats
from toolcall_conformance.checks.conversation.captions import rename_captions
from tracing import count_lines

OURS = str(Path(toolcall_conformance.__file__).parent)
SMALL, LARGE = 15, 60
MAX_EXPONENT = 1.45
"""The exponent of n log n between these sizes is below this; that of a line that looks through half is above."""
TOOL = {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}


def picture(number: int) -> str:
    return f"https://example.com/{number:04d}.png"


def request_with_pictures(size: int) -> dict[str, Any]:
    """A request of Chat's with pictures by their addresses."""
    parts = [{"type": "image_url", "image_url": {"url": picture(at)}} for at in range(size)]
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": [{"type": "text", "text": "Look."}, *parts]}]}


def output_without_pictures(*texts: str) -> dict[str, Any]:
    """What a translator may make of it for Anthropic, without any picture."""
    parts = [{"type": "text", "text": text} for text in ("Look.", *texts)]
    message = {"role": "user", "content": parts}
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [message]}


def judge_remarks(output: Callable[[int], dict[str, Any]]) -> Callable[[int], Callable[[], object]]:
    def work(size: int) -> Callable[[], object]:
        source, output_body = request_with_pictures(size), output(size)
        return lambda: judge(source, output_body, client="openai_chat", upstream="anthropic", tolerated=True)

    return work


def captions(size: int) -> Callable[[], object]:
    """Captions of pictures, which name calls by their ids, each a text."""
    calls = [
        {"id": f"call_{at}", "type": "function", "function": {"name": "look", "arguments": "{}"}} for at in range(size)
    ]
    results = [{"role": "tool", "tool_call_id": call["id"], "content": "done"} for call in calls]
    parts: list[Any] = []
    for at in range(size):
        parts += [
            {"type": "text", "text": f"From call_{at}:"},
            {"type": "image_url", "image_url": {"url": picture(at)}},
        ]
    answers = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        *results,
        {"role": "user", "content": parts},
    ]
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Look."}, *answers]}
    reading = formats.read("openai_chat", "request", body)
    return lambda: rename_captions(body, reading, {at: f"other_{at}" for at in range(size)})


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(captions, id="captions"),
        pytest.param(
            judge_remarks(lambda size: output_without_pictures(*(f"({picture(at)})" for at in range(size)))),
            id="a remark each",
        ),
        pytest.param(
            judge_remarks(lambda size: output_without_pictures(*(f"({at} apples)" for at in range(size)))),
            id="other remarks",
        ),
        pytest.param(
            judge_remarks(
                lambda size: output_without_pictures(
                    "Look at " + " and ".join(f"({picture(at)})" for at in range(size))
                )
            ),
            id="all remarks in a text",
        ),
    ],
)
def test_no_line_runs_with_a_product(work: Callable[[int], Callable[[], object]]) -> None:
    work(2)()  # what is loaded on first use
    small, large = (count_lines(work(size), OURS) for size in (SMALL, LARGE))
    steep = {}
    for (code, line), count in large.items():
        grown = math.log(count / max(small[code, line], 4 * SMALL)) / math.log(LARGE / SMALL)
        if grown > MAX_EXPONENT:
            steep[f"{code.co_filename}:{line} {code.co_qualname}"] = round(grown, 2)
    assert steep == {}
