"""Doubles of an instrumentation: the reference's GenAI messages with one fault, or one harmless habit, in them.

>>> @broken("translation/call-lost")
... def last_call_dropped(seen):
...     '''The last call of the reply is not recorded.'''

The function gets a :class:`Seen`; it raises Skip, mostly through ``need``, where there is nothing to change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any, ClassVar

from doubles.catalogue import FORMATS, Double, Kind, PlayedDouble, Rules, enter, heading, rule_tuple
from doubles.day import PLACES, day_number
from doubles.draft import Skip, copied, need
from doubles.harness import HARNESS
from toolcall_conformance.library import Exchange, load_corpus
from toolcall_reference import otel

__all__ = ["FORMATS", "Seen", "Skip", "broken", "harmless", "need", "warning"]

Part = dict[str, Any]


@dataclass(slots=True)
class Seen:
    """``output`` is to be changed; ``request`` and ``reply`` are what was observed."""

    output: dict[str, Any]
    request: Any
    reply: Any
    format: str

    @property
    def answers(self) -> list[Part]:
        """The parts of the first output message."""
        parts: list[Part] = self.output["output_messages"][0]["parts"]
        return parts

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All messages."""
        return [*self.output["input_messages"], *self.output["output_messages"]]

    def parts(self, *kinds: str) -> list[Part]:
        """The parts of these types in all messages; Skip where there is none."""
        return need([part for message in self.messages for part in message["parts"] if part["type"] in kinds])

    def drop(self, part: Part) -> None:
        """Take a part out of its message."""
        for message in self.messages:
            message["parts"] = [other for other in message["parts"] if other is not part]


Change = Callable[[Seen], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedDouble(Double):
    """A double of an instrumentation."""

    change: Change
    exact: ClassVar[bool] = True

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """At three exchanges that are spread over the corpus, or at one of them."""
        number = 0 if day is None else day_number(self.name, day) % PLACES
        outputs = list(islice(self._at(_exchanges(self.format)), number + 1 if day is not None else PLACES))
        for where, exchange, output in outputs if day is None else outputs[-1:]:
            yield PlayedDouble(f"{where} {self.format}", self._told(exchange, output))

    def _at(self, exchanges: Sequence[tuple[str, Exchange]]) -> Iterator[tuple[str, Exchange, Any]]:
        for number, (where, exchange) in enumerate(exchanges):
            output = self._changed(number, exchange)
            if output is not None:
                yield where, exchange, output

    def _changed(self, number: int, exchange: Exchange) -> Any:
        telemetry = copied(_reference_record(self.format, number))
        draft = Seen(telemetry, exchange.request, exchange.response, self.format)
        before = json.dumps(telemetry)
        try:
            self.change(draft)
        except Skip:
            return None
        return None if json.dumps(draft.output) == before else draft.output

    def _told(self, exchange: Exchange, output: Any) -> Sequence[Any]:
        return HARNESS.judge.otel(self.format, exchange.request, exchange.response, output).findings

    def shown(self) -> None:
        """No file: these messages are in none of the formats."""
        return


@cache
def _exchanges(name: str) -> tuple[tuple[str, Exchange], ...]:
    """The exchanges with a reply of which the judge says nothing, in an order that jumps about the corpus."""
    every = [
        (f"{case.id} {exchange.request_path.stem}", exchange)
        for case in load_corpus().cases.values()
        if name in case.formats
        for exchange in case.exchanges(name)
        if exchange.response is not None
    ]
    step = next(step for step in (61, 67, 71) if len(every) % step)
    return tuple(every[index * step % len(every)] for index in range(len(every)))


@cache
def _reference_record(name: str, number: int) -> dict[str, Any]:
    _, exchange = _exchanges(name)[number]
    return otel.of_exchange(exchange.request, exchange.response or {}, name).attributes()


def _enter_double(
    change: Change, kind: Kind, rules: Rules, stated: str | Sequence[str], more: dict[str, Any]
) -> Change:
    for name in [stated] if isinstance(stated, str) else stated:
        fault = getattr(change, "__name__", "").replace("_", "-")
        words: dict[str, Any] = {**more, **heading(change), "rules": rule_tuple(rules)}
        enter(ObservedDouble(fault=fault, format=name, kind=kind, change=change, **words))
    return change


def broken(rules: Rules, target: str | Sequence[str] = FORMATS, **more: Any) -> Callable[[Change], Change]:
    """A fault that breaks these MUST rules, and no other."""
    return partial(_enter_double, kind="broken", rules=rules, stated=target, more=more)


def warning(rules: Rules, target: str | Sequence[str] = FORMATS, **more: Any) -> Callable[[Change], Change]:
    """A fault that breaks these SHOULD rules, and no MUST."""
    return partial(_enter_double, kind="warning", rules=rules, stated=target, more=more)


def harmless(target: str | Sequence[str] = FORMATS, *, beside: Rules = (), **more: Any) -> Callable[[Change], Change]:
    """A difference that breaks nothing; ``beside`` are MUST rules that it comes near."""
    return partial(_enter_double, kind="harmless", rules=(), stated=target, more={"beside": rule_tuple(beside), **more})
