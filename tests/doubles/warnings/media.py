"""Media that need not arrive, or that providers bear at another place: told as a SHOULD."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, need, warning
from doubles.draft import Draft
from doubles.pictures import of_tools, pieces

LOST = "translation/media-lost"


@warning("result-picture-lost", rule=LOST, check="request", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def result_picture_lost(draft: Draft) -> None:
    """The picture of a result is gone, where only a convention says where it may stand."""
    _without_captioned(draft)


@warning(
    "picture-told-only",
    rule=LOST,
    check="request",
    target=CHAT,
    sources=(ANTHROPIC, RESPONSES),
    cases=("binary/recorded-shape", "binary/two-pictures"),
)
def picture_told_only(draft: Draft) -> None:
    """In place of a picture its tool message says that there was one."""
    _without_captioned(draft)
    for result in draft.results:
        if str(result.text).startswith("["):
            result.text = "Binary content of type image/png was processed."


def _without_captioned(draft: Draft) -> None:
    for piece in of_tools(draft):
        piece.remove()
    for caption in draft.captions:
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)
    draft.tidy()


@warning("sound-dropped", rule=LOST, check="request", target=(ANTHROPIC, RESPONSES), cases=("binary/audio",))
def sound_dropped(draft: Draft) -> None:
    """A sound is gone, and nothing says that there was one."""
    need([piece for piece in pieces(Draft(draft.source, draft.source_format)) if piece.mime.startswith("audio/")])
    for rows in _rows(draft.messages):
        rows[:] = [part for part in rows if not (isinstance(part, dict) and _is_remark(part.get("text")))]
    draft.tidy()


def _is_remark(text: Any) -> bool:
    return isinstance(text, str) and text.startswith("[audio/")


def _rows(value: Any) -> list[list[Any]]:
    if isinstance(value, dict):
        return [found for entry in value.values() for found in _rows(entry)]
    return [value, *(found for entry in value for found in _rows(entry))] if isinstance(value, list) else []


@warning(
    "captions-missing",
    rule="translation/results-linked",
    check="request",
    target=(CHAT, GEMINI),
    sources=(ANTHROPIC, RESPONSES),
    cases=("binary/two-pictures",),
)
def captions_missing(draft: Draft) -> None:
    """Nothing says which of the results the pictures behind them come from."""
    for caption in need(draft.captions):
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)


@warning(
    "media-nested-for-old-model",
    rule="gemini/result-parts-model",
    check="request",
    target=GEMINI,
    sources=(ANTHROPIC, RESPONSES),
    cases=("binary/seed", "binary/two-pictures"),
)
def media_nested_for_old_model(draft: Draft) -> None:
    """Pictures stand in a functionResponse, for a model that takes none there."""
    found = [piece for piece in pieces(draft) if piece.result is None and not piece.mime.startswith("audio/")]
    results = need(draft.results)
    need(len(found) == len(results) and not any("parts" in result.inner for result in results))
    for piece, result in zip(found, results, strict=True):
        piece.remove()
        result.inner["parts"] = [piece.entry]
    for caption in draft.captions:
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)


@warning("media-before-results", rule="gemini/results-first", check="request", target=GEMINI)
def media_before_results(draft: Draft) -> None:
    """A picture stands before the result that it comes from."""
    results = need(draft.results)
    need(len(results) == 1)
    beside = [piece for piece in pieces(draft) if piece.holder is results[0].holder]
    piece = need(beside)[0]
    piece.remove()
    piece.holder.insert(results[0].place, piece.entry)
