"""Text: none lost, invented, moved past calls or results, or put in another's mouth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from toolcall_conformance.findings import Level
from toolcall_conformance.reading import Call, Hosted, Media, Reading, Reasoning, Result, Text
from toolcall_conformance.translation.pair import Pair
from toolcall_conformance.translation.payload import joined_equal, trimmed_equal
from toolcall_conformance.translation.state import media_bytes


@dataclass(slots=True)
class Run:
    """Text of one side that nothing interrupts, or a landmark (a call or result) between such texts."""

    side: str
    chunks: list[Text] = field(default_factory=list)
    landmark: str = ""

    @property
    def key(self) -> str:
        return self.landmark or f"{self.side}:{''.join(''.join(chunk.text for chunk in self.chunks).split())}"

    @property
    def texts(self) -> list[str]:
        return [chunk.text for chunk in self.chunks]

    @property
    def pointer(self) -> str:
        return self.chunks[0].pointer if self.chunks else ""

    @property
    def whole(self) -> str:
        return "\n".join(self.texts)


def compare_texts(pair: Pair) -> None:
    """Compare the base system prompt, then all other text in its place among calls and results."""
    back = {right: left for left, right in pair.calls.items()}
    interleaved = pair.both("text-between-calls")
    left = _runs(pair.source, {call: call for call in pair.calls}, interleaved=interleaved)
    right = _runs(pair.output, back, interleaved=interleaved, aside=_captions(pair))
    left, right = _settle_system(pair, left, right)
    _compare_runs(pair, left, right)


def _captions(pair: Pair) -> frozenset[str]:
    """Pointers of texts that only say which call the media behind them come from, where media had to leave a result."""
    moved = {media_bytes(part) for result in pair.source.results for part in result.parts if isinstance(part, Media)}
    found: set[str] = set()
    names = [word for call in pair.output.calls for word in (call.name, call.id) if word]
    for turn in pair.output.turns:
        for text, media in zip(turn.items, turn.items[1:], strict=False):
            if isinstance(text, Text) and isinstance(media, Media) and media_bytes(media) in moved:
                words = [*names, media.kind, *([media.mime] if media.mime else [])]
                if any(word.lower() in text.text.lower() for word in words):
                    found.add(text.pointer)
    return frozenset(found)


def _runs(
    reading: Reading, known: dict[int, int], *, interleaved: bool, aside: frozenset[str] = frozenset()
) -> list[Run]:
    """The conversation as runs of text and landmarks. Calls and results that only one side has are no landmarks.

    Texts at the pointers ``aside`` are passed over.

    Where one of the formats cannot say how text and calls of a turn interleave, a turn's text is put before its calls.
    """
    runs: list[Run] = []
    for turn in reading.turns:
        items = list(turn.items)
        if turn.side == "assistant" and not interleaved:
            items.sort(key=lambda item: isinstance(item, Call))
        for item in items:
            if isinstance(item, Text) and item.pointer in aside:
                continue
            if isinstance(item, Text):
                if runs and not runs[-1].landmark and runs[-1].side == turn.side:
                    runs[-1].chunks.append(item)
                else:
                    runs.append(Run(turn.side, [item]))
            elif isinstance(item, Call) and item.ordinal in known:
                runs.append(Run(turn.side, landmark=f"call {known[item.ordinal]}"))
            elif isinstance(item, Result) and item.call in known and not _repeated(runs, "results"):
                runs.append(Run(turn.side, landmark="results"))
    return runs


def _repeated(runs: list[Run], landmark: str) -> bool:
    """Results of one batch are one landmark, however many there are and in which order."""
    return bool(runs) and runs[-1].landmark == landmark


def _settle_system(pair: Pair, left: list[Run], right: list[Run]) -> tuple[list[Run], list[Run]]:
    """Compare the system prompts. Takes out of the runs what was hoisted into it or demoted from it.

    System text in the middle of a conversation may be hoisted, or become user text at its place.
    """
    want = [text.text for text in pair.source.system]
    got = [text.text for text in pair.output.system]
    for run in list(left):
        if run.side == "system" and any(
            trimmed_equal([chunk], got) or chunk.strip() in "\n".join(got) for chunk in run.texts
        ):
            want.extend(run.texts)
            left.remove(run)
    left, right = [_as_user(run) for run in left], [_as_user(run) for run in right]
    if joined_equal(want, got):
        return left, right
    where = pair.output.system[0].pointer if got else ""
    source = pair.source.system[0].pointer if pair.source.system else None
    if trimmed_equal(want, got):
        pair.report(
            "translation/system-prompt",
            where,
            want="\n".join(want),
            got="\n".join(got),
            source=source,
            at_most=Level.SHOULD,
        )
        return left, right
    missing = [chunk for chunk in want if chunk.strip() and chunk.strip() not in "\n".join(got)]
    if missing:
        demoted = next(
            (run for run in right if not run.landmark and all(chunk.strip() in run.whole for chunk in missing)), None
        )
        pair.report(
            "translation/system-prompt",
            demoted.pointer if demoted else where,
            f"the system prompt stands in the {demoted.side}'s mouth" if demoted else "",
            want="\n".join(want),
            got=demoted.whole if demoted else "\n".join(got),
            source=source,
        )
        if demoted:
            demoted.chunks = [
                chunk for chunk in demoted.chunks if chunk.text.strip() not in {m.strip() for m in missing}
            ]
            right = [run for run in right if run.landmark or run.chunks]
    else:
        pair.report("translation/system-added", where, want="\n".join(want), got="\n".join(got), source=source)
    return left, right


def _as_user(run: Run) -> Run:
    return Run("user", run.chunks) if run.side == "system" else run


def _merge(runs: list[Run]) -> list[Run]:
    merged: list[Run] = []
    for run in runs:
        if merged and not run.landmark and not merged[-1].landmark and merged[-1].side == run.side:
            merged[-1] = Run(run.side, [*merged[-1].chunks, *run.chunks])
        else:
            merged.append(run)
    return merged


def _compare_runs(pair: Pair, left: list[Run], right: list[Run]) -> None:
    left, right = _merge(left), _merge(right)
    matcher = SequenceMatcher(None, [run.key for run in left], [run.key for run in right], autojunk=False)
    lost: list[Run] = []
    added: list[Run] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            for one, two in zip(left[a:b], right[c:d], strict=True):
                _compare_same(pair, one, two)
            continue
        olds = [run for run in left[a:b] if not run.landmark]
        news = [run for run in right[c:d] if not run.landmark]
        for old in olds:
            twin = next((new for new in news if new.side == old.side and not new.landmark), None)
            if twin is not None:
                news.remove(twin)
                _compare_changed(pair, old, twin, right, lost, added)
            else:
                lost.append(old)
        added.extend(news)
    _settle_moved(pair, lost, added, right)


def _compare_same(pair: Pair, old: Run, new: Run) -> None:
    if old.landmark or joined_equal(old.texts, new.texts):
        return
    trimmed = trimmed_equal(old.texts, new.texts)
    pair.report(
        "translation/text-changed",
        new.pointer,
        "only white space differs" if trimmed else "white space inside the text differs",
        want=old.whole,
        got=new.whole,
        source=old.pointer,
        at_most=Level.SHOULD if trimmed else Level.MUST,
    )


def _compare_changed(pair: Pair, old: Run, new: Run, right: list[Run], lost: list[Run], added: list[Run]) -> None:
    """Two runs at one place: some chunks lost, some added, or the words changed."""
    gone = [chunk for chunk in old.chunks if not _within(chunk.text, new.texts)]
    fresh = [Text(rest, chunk.pointer) for chunk in new.chunks if (rest := _remainder(chunk.text, old.texts))]
    if not gone and _occurrences(new.texts, old.texts) > max(_occurrences(old.texts, old.texts), 1):
        pair.report("translation/text-duplicated", new.pointer, want=old.whole, got=new.whole, source=old.pointer)
        return
    if not gone and not fresh:
        return
    elsewhere = [chunk for chunk in gone if any(_within(chunk.text, run.texts) for run in right if run is not new)]
    cut = any(
        chunk.text.strip() in other.text and not any(_within(piece, [chunk.text]) for piece in old.texts)
        for chunk in new.chunks
        for other in gone
    )
    if gone and (fresh or cut) and len(elsewhere) < len(gone):
        pair.report("translation/text-changed", new.pointer, want=old.whole, got=new.whole, source=old.pointer)
        return
    if gone:
        lost.append(Run(old.side, gone))
    if fresh:
        added.append(Run(new.side, fresh))


def _remainder(text: str, known: Sequence[str]) -> str:
    """What of a text is not spelt by known chunks, without white space around it."""
    if joined_equal([text], known):
        return ""
    for chunk in sorted((chunk.strip() for chunk in known), key=len, reverse=True):
        if text.strip() and text.strip() in chunk:
            return ""
        if chunk:
            text = text.replace(chunk, " ", 1)
    return text.strip()


def _within(text: str, chunks: Sequence[str]) -> bool:
    return text.strip() in "\n".join(chunks)


def _occurrences(new: Sequence[str], old: Sequence[str]) -> int:
    joined = "".join("".join(new).split())
    return joined.count("".join("".join(old).split()) or "\0")


def _settle_moved(pair: Pair, lost: list[Run], added: list[Run], right: list[Run]) -> None:
    """Text that is missing at its place: moved, put in another's mouth, or lost; then what nobody demanded."""
    for old in lost:
        new = next((run for run in added if joined_equal(old.texts, run.texts)), None) or next(
            (run for run in added if all(_within(text, run.texts) for text in old.texts)), None
        )
        if new is None:
            new = next(
                (run for run in right if not run.landmark and all(_within(text, run.texts) for text in old.texts)), None
            )
        if new is None:
            pair.report(
                "translation/text-lost",
                _neighbour(right),
                want=old.whole,
                source=old.pointer,
                subject=f"text of the {old.side}",
            )
            continue
        if new in added:
            added.remove(new)
        if new.side != old.side:
            pair.report(
                "translation/text-role",
                new.pointer,
                want=old.side,
                got=new.side,
                source=old.pointer,
                subject=old.whole[:80],
            )
        elif not _only_after_results(pair, old, new):
            pair.report("translation/text-moved", new.pointer, want=old.whole, got=new.whole, source=old.pointer)
    for new in added:
        if any(
            joined_equal(new.texts, run.texts)
            for run in right
            if run is not new and run.side == new.side and not run.landmark
        ):
            pair.report("translation/text-duplicated", new.pointer, got=new.whole)
        elif not _is_reasoning(pair, new):
            pair.report(
                "translation/text-invented",
                new.pointer,
                got=new.whole,
                subject=f"text of the {new.side}",
                at_most=Level.NOTE if _has_hosted(pair) else Level.MUST,  # a provider's own step told as text
            )


def _only_after_results(pair: Pair, old: Run, new: Run) -> bool:
    """User text that stood before the results of its turn may stand after them: some providers demand results first."""
    return old.side == "user" and _before_results(pair.source, old) and not _before_results(pair.output, new)


def _before_results(reading: Reading, run: Run) -> bool:
    for turn in reading.turns:
        seen = False
        for item in turn.items:
            if isinstance(item, Text) and item.pointer == run.pointer:
                seen = True
            elif isinstance(item, Result) and seen:
                return True
    return False


def _is_reasoning(pair: Pair, run: Run) -> bool:
    """Thinking that became visible text is told as such, not as an invention."""
    thoughts = [item.text for turn in pair.source.turns for item in turn.items if isinstance(item, Reasoning)]
    if thoughts and all(
        any(text.strip() in thought or thought.strip() in text for thought in thoughts) for text in run.texts
    ):
        pair.report("translation/reasoning-as-text", run.pointer, got=run.whole)
        return True
    return False


def _has_hosted(pair: Pair) -> bool:
    return any(isinstance(item, Hosted) for turn in pair.source.turns for item in turn.items)


def _neighbour(right: list[Run]) -> str:
    return next((run.pointer for run in right if not run.landmark), "")
