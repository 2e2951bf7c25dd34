"""Dialects that no server has as a whole: some habits of compatible servers together, each of which some server has.

``corpus/formats/<format>/dialect.json`` names the habits, says who has them, and which do not go together: where those
are in one reply, no reader can tell what it means. The format's package knows how to do each.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.basics.streaming.cuts import REFRAMINGS
from toolcall_conformance.library import Corpus, CorpusError, read_json

MAX_HABITS = 3
"""The most habits of one dialect."""
FRAMED = "framed-"
"""How the names of those begin that write the same events in other lines."""
JOINED = "+"


@dataclass(frozen=True, slots=True)
class Habit:
    """An entry of the file. Of those of one ``group`` a dialect has one; ``ways`` are ``response`` and ``stream``."""

    name: str
    group: str
    ways: frozenset[str]
    apart: frozenset[str] = frozenset()


class Dialects:
    """The habits of compatible servers of one format. Raises CorpusError where code and corpus differ in them."""

    def __init__(self, corpus: Corpus, format_name: str) -> None:
        self._dialect = formats.get(format_name).dialect
        path = corpus.root / "formats" / format_name / "dialect.json"
        raw = read_json(path)["habits"] if self._dialect is not None else ()
        self.habits = {
            habit["name"]: Habit(
                habit["name"], habit["group"], frozenset(habit["in"]), frozenset(habit.get("apart", ()))
            )
            for habit in raw
        }
        for way in ("response", "stream"):
            names = {name for name, habit in self.habits.items() if way in habit.ways and not name.startswith(FRAMED)}
            differing = names ^ self._habit_functions(way).keys()
            if differing:
                raise CorpusError(f"{path} and the habits that there are differ in: {', '.join(sorted(differing))}")

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The order in which habits are applied, whichever of them a dialect has."""
        return tuple(self.habits)

    def _habit_functions(self, way: str) -> Any:
        if self._dialect is None:
            return {}
        return self._dialect.STREAM_HABITS if way == "stream" else self._dialect.REPLY_HABITS

    def draw(self, generator: random.Random, way: str, body: Any) -> tuple[str, ...]:
        """Some habits that go together, each of which changes this reply, or this stream; none where none does."""
        count = generator.choice(range(1, MAX_HABITS + 1))
        names = [name for name in self.order if way in self.habits[name].ways]
        generator.shuffle(names)
        habits: tuple[str, ...] = ()
        for name in names:
            if len(habits) == count:
                break
            more = self.in_order((*habits, name))
            if self._go_together(more) and self._count(more, way, body):
                habits = more
        return habits

    def in_order(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names in the order in which they are applied. Raises LookupError for one that there is not."""
        unknown = [name for name in names if name not in self.habits]
        if unknown:
            raise LookupError(f"no server is known to have the habit {unknown[0]!r}")
        return tuple(name for name in self.order if name in names)

    def _go_together(self, names: Sequence[str]) -> bool:
        habits = [self.habits[name] for name in names]
        groups = {habit.group for habit in habits}
        return len(groups) == len(habits) and not any(habit.apart & {*names} for habit in habits)

    def _count(self, names: Sequence[str], way: str, body: Any) -> bool:
        """Whether the reply would be another without any one of these habits."""
        changed = [self.apply(some, way, body) for some in (names, *_without_each(names))]
        framed = {place + 1 for place, name in enumerate(names) if name.startswith(FRAMED)}
        return all(place in framed or not equal(changed[0], other) for place, other in enumerate(changed) if place)

    def apply(self, names: Sequence[str], way: str, body: Any) -> Any:
        """What a server of this dialect sends in the place of a reply, or of a stream, ``{"events": [...]}``."""
        done = self._habit_functions(way)
        changed = copy.deepcopy(body["events"] if way == "stream" else body)
        for name in self.in_order(names):
            if name in done:
                changed = done[name](changed)
        return {"events": changed} if way == "stream" else changed

    def reframe(self, names: Sequence[str], stream: bytes) -> bytes:
        """A stream in the lines of this dialect."""
        text = stream.decode()
        for name in names:
            if name.startswith(FRAMED):
                text = REFRAMINGS[name.removeprefix(FRAMED)](text)
        return text.encode("utf-8", "backslashreplace")

    def rewrite_file(self, names: Sequence[str], file_name: str, text: str) -> str:
        """The text of a reply's file in this dialect; that of any other file unchanged."""
        if file_name.endswith("-response.sse"):
            events = self.apply(names, "stream", {"events": parse(text.encode())["events"]})["events"]
            return self.reframe(names, dump(events)).decode()
        if file_name.endswith("-response.json"):
            changed = self.apply(names, "response", json.loads(text))
            return json.dumps(changed, indent=2, ensure_ascii=False) + "\n"
        return text


def _without_each(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for place in range(len(names)):
        yield [*names[:place], *names[place + 1 :]]
