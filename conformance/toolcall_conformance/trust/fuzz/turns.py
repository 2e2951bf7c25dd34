"""Generates the turns of a conversation."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from toolcall_conformance.trust.fuzz import media, request_settings, schemas, shapes
from toolcall_conformance.trust.fuzz.frames import Frame, Lead

Entry = dict[str, Any]
_TEXT: SearchStrategy[Entry] = shapes.TEXTS.map(lambda text: {"text": text})
_IS_ERROR = st.sampled_from([False, False, True])
# How a last answer ends, and whether it may then be empty.
_ENDS = {
    "end": False,
    "length": True,
    "stop_sequence": False,
    "filter": True,
    "refusal": False,
    "error": True,
    "other": True,
}
_USUAL_ENDS = ("end", "end", "end", "length")


@dataclass(frozen=True, slots=True)
class TurnConstraints:
    """What turns keep to: whether arguments fit their schemas, the form of answers; and media that are uploaded."""

    strict: bool
    answers: Mapping[str, Any] | None
    uploaded: Sequence[Entry]


class TurnGenerator:
    """Generates the turns of a conversation; ``turns`` are those so far."""

    def __init__(
        self, draw: DrawFn, tools: dict[str, dict[str, Any]], frame: Frame, constraints: TurnConstraints
    ) -> None:
        self.turns: list[Entry] = []
        self._draw = draw
        self._tools = tools
        self._samples = not frame.settings
        self._constraints = constraints
        # Each is used once: no provider sends the same state again.
        self._leads = list(frame.leads)
        self._shown = media.with_bytes(frame.capabilities)
        self._in_history = False

    def fill(self, rounds: int) -> None:
        """Draw all turns, with so many rounds of calls."""
        draw = self._draw
        if draw(st.booleans()):
            self.turns.append({"role": "system", "content": draw(st.lists(_TEXT, min_size=1, max_size=2))})
        # What the client's first request brings along, before anything is played.
        count = draw(st.integers(1, 2)) if not self._leads and draw(st.integers(0, 5)) == 5 else 0
        self._ask()
        for number in range(1, count + 1):
            self._in_history = True
            calls = draw(st.booleans())
            if self._tools and calls:
                self._round(f"g{number}", is_last=False)
            else:
                self._say()
                self._ask()
        self._in_history = False
        for number in range(1, rounds + 1):
            self._round(f"c{number}", is_last=number == rounds)
        if not rounds:
            self._close()

    def _ask(self) -> None:
        """A turn of the user: text, at times with media before or after it."""
        draw = self._draw
        content = [draw(_TEXT)]
        if self._constraints.answers is not None and self._constraints.answers["type"] == "json_object":
            content.append({"text": "As JSON."})  # APIs want JSON requested in words, too
        for _ in range(draw(st.sampled_from([0, 0, 0, 0, 1, 2]))):
            content.insert(draw(st.integers(0, len(content))), self._extra_entry())
        self.turns.append({"role": "user", "content": content})
        self._instruct()

    def _extra_entry(self) -> Entry:
        """An entry in addition to the user's text: mostly media with their bytes."""
        draw = self._draw
        chosen = draw(st.integers(0, 7))
        if chosen == 0 and self._constraints.uploaded:
            return draw(st.sampled_from(self._constraints.uploaded))
        return draw({1: _TEXT, 2: _TEXT, 3: media.AT_ADDRESS, 4: media.AT_ADDRESS}.get(chosen, self._shown))

    def _instruct(self) -> None:
        """Instructions of the system in the middle, seldom."""
        if self._draw(st.integers(0, 15)) == 15:
            self.turns.append({"role": "system", "content": [self._draw(_TEXT)]})

    def _round(self, name: str, *, is_last: bool) -> None:
        """Add calls, their results, and perhaps an answer. The last may end with its calls."""
        draw = self._draw
        lead = self._lead()
        calls = [
            {"call": {"key": f"{name}-{place}", **self._call()}} for place in range(1, draw(st.integers(1, 3)) + 1)
        ]
        if lead is not None and lead.signature is not None:
            calls[0]["call"]["signature"] = lead.signature
        entries = copy.deepcopy(list(lead.entries)) if lead is not None else []
        content: list[Entry] = [draw(_TEXT)] if draw(st.booleans()) else []
        content += calls
        if len(calls) > 1 and draw(st.integers(0, 7)) == 7:
            content.insert(len(content) - 1, draw(_TEXT))
        if is_last and draw(st.integers(0, 7)) == 7:
            self._answer([*entries, *content], draw(st.sampled_from(["length", "filter"])))
            return
        self._answer([*entries, *content], "tools")
        if is_last and draw(st.booleans()):
            return
        self._results([entry["call"]["key"] for entry in calls])
        if is_last:
            self._close()
        elif draw(st.booleans()):
            self._say()
            self._ask()

    def _lead(self) -> Lead | None:
        return self._leads.pop(0) if self._leads else None

    def _call(self) -> Entry:
        draw = self._draw
        name = draw(st.sampled_from(sorted(self._tools)))
        tool = self._tools[name]
        if tool.get("kind") == "custom":
            return {"name": name, "input": draw(shapes.ANY_TEXTS)}
        if self._constraints.strict:
            return {"name": name, "arguments": schemas.fitting_value(draw, tool["parameters"], tool["parameters"])}
        return {"name": name, "arguments": draw(shapes.ARGUMENTS)}

    def _results(self, keys: Sequence[str]) -> None:
        """Results in the order of their calls; one may have media. A text of the user may follow them."""
        draw = self._draw
        showing = draw(st.sampled_from(keys))
        results = [
            {"result": {"call": key, "content": self._content(shows=key == showing), "error": draw(_IS_ERROR)}}
            for key in keys
        ]
        remarks = [draw(_TEXT)] if draw(st.integers(0, 7)) == 7 else []
        self.turns.append({"role": "user", "content": [*results, *remarks]})
        self._instruct()

    def _content(self, *, shows: bool) -> Any:
        contents = st.one_of(
            shapes.ANY_TEXTS,
            shapes.VALUES.map(lambda value: json.dumps(value, ensure_ascii=False)),
            shapes.OBJECTS,
            st.lists(_TEXT, min_size=1, max_size=3),
        )
        if not shows or self._draw(st.integers(0, 3)) < 3:
            return self._draw(contents)
        parts = self._draw(st.lists(_TEXT, max_size=2))
        for _ in range(self._draw(st.sampled_from([1, 1, 2]))):
            parts.insert(self._draw(st.integers(0, len(parts))), self._draw(self._shown))
        return parts

    def _say(self) -> None:
        """An answer in the middle."""
        self._answer(self._words(), self._draw(st.sampled_from(["end", "length"])))

    def _words(self) -> list[Entry]:
        draw, answer_form = self._draw, self._constraints.answers
        if answer_form is None or answer_form["type"] == "text":
            return draw(
                st.sampled_from([1, 1, 1, 2]).flatmap(lambda count: st.lists(_TEXT, min_size=1, max_size=count))
            )
        schema = answer_form.get("schema")
        value = draw(shapes.ARGUMENTS) if schema is None else schemas.fitting_value(draw, schema, schema)
        return [{"text": json.dumps(value, ensure_ascii=False)}]

    def _close(self) -> None:
        """The last answer, which may end in every way."""
        draw = self._draw
        ends = [*_USUAL_ENDS, *(end for end in _ENDS if self._samples or end != "stop_sequence")]
        finish = draw(st.sampled_from(ends))
        content = [] if _ENDS[finish] and draw(st.booleans()) else self._words()
        if finish == "refusal":
            content = [{**draw(_TEXT), "refusal": True}]
        self._answer(content, finish)
        if finish == "stop_sequence":
            self.turns[-1]["stop_sequence"] = draw(shapes.TEXTS)

    def _answer(self, content: list[Entry], finish: str) -> None:
        turn: Entry = {"role": "assistant", "content": content}
        if self._in_history:
            self.turns.append({**turn, "given": True})
            return
        turn["finish"] = finish
        if self._draw(st.booleans()):
            turn["usage"] = self._draw(request_settings.USAGE)
        self.turns.append(turn)
