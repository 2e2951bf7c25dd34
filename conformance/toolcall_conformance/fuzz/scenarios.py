"""The Hypothesis strategy for scenarios: conversations in neutral form, as ``scenario.json`` has them.

A drawn scenario is what every API takes: calls are answered in their order, right behind them, and what only one format
can say stands in blocks that the corpus has. So each fault that is found on it is one of the translator.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from toolcall_conformance.fuzz import asked, shapes
from toolcall_conformance.fuzz.bricks import Bricks, Frame, Lead
from toolcall_conformance.fuzz.features import features_of

# A picture of one pixel.
_PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_TEXT = shapes.TEXTS.map(lambda text: {"text": text})
_MEDIA = st.sampled_from(
    [
        {"media": {"kind": "image", "mime": "image/png", "data": _PICTURE}},
        {"media": {"kind": "image", "mime": "image/png", "url": "https://pictures.example.org/1.png"}},
    ]
)
_SHOWN = {"media": {"kind": "image", "mime": "image/png", "data": _PICTURE}}
_CONTENTS = st.one_of(
    shapes.ANY_TEXTS,
    shapes.VALUES.map(lambda value: json.dumps(value, ensure_ascii=False)),
    shapes.OBJECTS,
    st.lists(_TEXT, min_size=1, max_size=3),
)
_SHOWING = st.one_of(_CONTENTS, _TEXT.map(lambda text: [text, _SHOWN]))
_ERRORS = ("invalid_request", "unauthorized", "rate_limit", "server_error", "overloaded")
# Most have one round of calls: their faults are mostly those of longer ones, which take longer.
_ROUNDS = (1, 1, 1, 2, 2, 3)


@st.composite
def scenarios(draw: DrawFn, bricks: Bricks) -> dict[str, Any]:
    """A scenario without an id, and its tools: ``{"scenario": {...}, "tools": {name: tool}}``."""
    tools = draw(st.dictionaries(shapes.NAMES, shapes.tools(), min_size=1, max_size=3))
    for name, tool in tools.items():
        tool["name"] = name
    kinds = bricks.kinds
    frames = draw(st.sampled_from([0, 0, *range(len(kinds))]).map(lambda kind: kinds[kind]))
    frame = frames[draw(st.integers(0, len(frames) - 1))]
    turns = _Turns(draw, tools, frame)
    turns.fill(draw(st.sampled_from(_ROUNDS)))
    scenario = {
        "title": "A drawn conversation",
        "since": "0.1.0",
        "features": features_of(turns.said),
        "guards": [{"shape": "drawn", "url": "https://hypothesis.readthedocs.io/"}],
        **copy.deepcopy(dict(frame.members)),
        "tools": sorted(tools),
        "settings": asked.settings(draw, turns.said, frame.settings),
        "conversation": turns.said,
        "ids": {},
        "files": {},
    }
    if draw(st.integers(0, 5)) == 5:
        exchanges = sum(turn["role"] == "assistant" for turn in turns.said)
        scenario["upstream_error"] = {
            "exchange": draw(st.integers(1, exchanges)),
            "kind": draw(st.sampled_from(_ERRORS)),
            "message": draw(shapes.TEXTS),
        }
    return {"scenario": scenario, "tools": tools}


class _Turns:
    """The turns of a conversation, as they are drawn."""

    def __init__(self, draw: DrawFn, tools: dict[str, dict[str, Any]], frame: Frame) -> None:
        self.said: list[dict[str, Any]] = []
        self._draw = draw
        self._tools = tools
        # Each is said once: no provider says the same state again.
        self._leads = list(frame.leads)

    def fill(self, rounds: int) -> None:
        """Draw all turns, with so many rounds of calls."""
        draw = self._draw
        if draw(st.booleans()):
            self.said.append({"role": "system", "content": [draw(_TEXT)]})
        self._ask()
        for number in range(1, rounds + 1):
            self._round(number, last=number == rounds)

    def _ask(self) -> None:
        shown = [self._draw(_MEDIA)] if self._draw(st.integers(0, 5)) == 5 else []
        self.said.append({"role": "user", "content": [*shown, self._draw(_TEXT)]})

    def _round(self, number: int, *, last: bool) -> None:
        """Add calls, their results, and perhaps an answer. The last may end with its calls."""
        draw = self._draw
        lead = self._lead()
        said = [draw(_TEXT)] if draw(st.booleans()) else []
        calls = [
            {"call": {"key": f"c{number}-{place}", **self._call()}} for place in range(1, draw(st.integers(1, 3)) + 1)
        ]
        if lead is not None and lead.signature is not None:
            calls[0]["call"]["signature"] = lead.signature
        entries = copy.deepcopy(list(lead.entries)) if lead is not None else []
        self._answer([*entries, *said, *calls], "tools")
        if last and draw(st.booleans()):
            return
        self._results([entry["call"]["key"] for entry in calls])
        if last or draw(st.booleans()):
            self._answer([draw(_TEXT)], draw(st.sampled_from(["end", "length"])))
            if not last:
                self._ask()

    def _lead(self) -> Lead | None:
        return self._leads.pop(0) if self._leads else None

    def _call(self) -> dict[str, Any]:
        name = self._draw(st.sampled_from(sorted(self._tools)))
        if self._tools[name].get("kind") == "custom":
            return {"name": name, "input": self._draw(shapes.ANY_TEXTS)}
        return {"name": name, "arguments": self._draw(shapes.ARGUMENTS)}

    def _results(self, keys: Sequence[str]) -> None:
        """Results in the order of their calls; one of them may show a picture."""
        draw = self._draw
        showing = draw(st.sampled_from(keys))
        contents = {key: draw(_SHOWING if key == showing else _CONTENTS) for key in keys}
        results = [{"result": {"call": key, "content": contents[key], "error": draw(st.booleans())}} for key in keys]
        self.said.append({"role": "user", "content": results})

    def _answer(self, content: list[dict[str, Any]], finish: str) -> None:
        turn: dict[str, Any] = {"role": "assistant", "content": content, "finish": finish}
        if self._draw(st.booleans()):
            turn["usage"] = self._draw(asked.USAGE)
        self.said.append(turn)
