"""Marks and messages of failed tools that are lost or turned round."""

from __future__ import annotations

import json

from doubles.bodies.results import plain_texts, sounds_bad
from doubles.body import ANTHROPIC, GEMINI, broken, need, warning
from doubles.draft import Draft

NOTHING = "Tool execution failed."


@broken("translation/error-mark", target=ANTHROPIC, sources=(GEMINI,))
def error_mark_lost(draft: Draft) -> None:
    """A failed tool is not marked as failed any more."""
    for result in need([result for result in draft.results if result.failed]):
        del result.entry["is_error"]


@broken("translation/error-mark", target=GEMINI, sources=(ANTHROPIC,))
def error_as_output(draft: Draft) -> None:
    """A failed tool's message stands under ``output``, as if it were what the tool gave."""
    for result in need(
        [result for result in draft.results if result.failed and isinstance(result.content["error"], str)]
    ):
        result.content = {"output": result.content["error"]}


@broken("translation/error-mark", target=ANTHROPIC, sources=(GEMINI,))
def error_mark_turned(draft: Draft) -> None:
    """A failed tool is marked as successful."""
    for result in need([result for result in draft.results if result.failed]):
        result.entry["is_error"] = False


@broken("translation/error-mark-invented", target=(ANTHROPIC, GEMINI), sources=(ANTHROPIC, GEMINI))
def success_marked_as_error(draft: Draft) -> None:
    """Results that are good are marked as failed."""
    for result in need([result for result in plain_texts(draft) if not sounds_bad(result)]):
        if draft.format == GEMINI:
            result.content = {"error": result.text}
        else:
            result.entry["is_error"] = True


@broken(
    "translation/error-mark-invented",
    target=(ANTHROPIC, GEMINI),
    sources=(ANTHROPIC, GEMINI),
    cases=("errors/looks-like-an-error",),
)
def error_heard_in_success(draft: Draft) -> None:
    """A result whose text sounds like an error is marked as failed."""
    for result in need([result for result in plain_texts(draft) if sounds_bad(result)]):
        if draft.format == GEMINI:
            result.content = {"error": result.text}
        else:
            result.entry["is_error"] = True


@broken("translation/error-message", sources=(ANTHROPIC, GEMINI))
def error_message_replaced(draft: Draft) -> None:
    """A failed tool's message was replaced by a general one."""
    _replace_errors(draft, NOTHING)


@broken("translation/error-message", sources=(ANTHROPIC, GEMINI))
def error_message_emptied(draft: Draft) -> None:
    """A failed tool's message is gone."""
    _replace_errors(draft, "")


def _replace_errors(draft: Draft, text: str) -> None:
    before = [result.failed for result in Draft(draft.source, draft.source_format).results]
    need(any(before))
    for failed, result in zip(before, draft.results, strict=True):
        if failed:
            result.content = {"error": text} if draft.format == GEMINI else text


@warning("translation/error-mark-in-words", target=GEMINI, sources=(ANTHROPIC,))
def error_told_in_words(draft: Draft) -> None:
    """A failed tool's message stands under ``output``, and the translator says before it that it is an error."""
    for result in need(
        [result for result in draft.results if result.failed and isinstance(result.content["error"], str)]
    ):
        result.content = {"output": "Error: " + result.content["error"]}


@warning("translation/error-mark-in-words", target=ANTHROPIC, sources=(GEMINI,))
def error_object_as_text(draft: Draft) -> None:
    """A failed tool's whole object stands as its text, with the key ``error``, and without the mark."""
    before = Draft(draft.source, draft.source_format).results
    need(len(before) == len(draft.results))
    for source_result, result in need([pair for pair in zip(before, draft.results, strict=True) if pair[0].failed]):
        result.content = json.dumps(source_result.content)
        result.entry.pop("is_error", None)
