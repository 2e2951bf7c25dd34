"""The catalogue of stream doubles: what one is, and the decorators that put one into it.

A double is a generator between the reference and one of its ends: it takes an iterator and yields what becomes of it,
piece by piece, so that nothing comes later than it would. On which level it works its ``layer`` says:

- ``events``: the events that the reference wrote for the client, each ``{"event"?, "data"}``
- ``pieces``: the same as bytes
- ``source``: the events of the provider, before the reference gets them
- ``chunks``: the same as bytes, in the pieces in which they arrive
- ``stream``: the change gets the reference's own ``stream``, too, and sees how it ends: ``change(stream, chunks)``
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

ANTHROPIC, CHAT, RESPONSES, GEMINI = "anthropic", "openai_chat", "openai_responses", "gemini"
FORMATS = (ANTHROPIC, CHAT, RESPONSES, GEMINI)

PARALLEL = "parallel/three-tools"  # a text, and three calls
AROUND = "parallel/text-around"  # texts before, between and behind two calls
CALL_ALONE = "write_file/required-and-single"  # one call, and nothing behind it
ONE = "shell/seed"  # a text, and one call
TEXT = "replace/choice-none"  # nothing but a text
CUT = "shell/length-cut"  # a text that max_tokens cut

# What follows in Anthropic where the fragments of a call are no JSON.
NO_JSON = ("anthropic/call-input-object", "translation/arguments")
UNICODE = "write_file/unicode-arguments"  # U+2028 and characters of four bytes in arguments
THINKING = "reasoning/parallel-calls"  # thinking with a signature, and two calls

Event = dict[str, Any]
Kind = Literal["broken", "warning", "harmless"]
Layer = Literal["events", "pieces", "source", "chunks", "stream"]
Change = Callable[..., Iterator[Any]]
Rules = str | tuple[str, ...]

# A provider whose calls come in fragments, so that the reference's stream has some, too.
_UPSTREAM = {ANTHROPIC: CHAT, CHAT: ANTHROPIC, RESPONSES: ANTHROPIC, GEMINI: ANTHROPIC}


@dataclass(frozen=True, slots=True)
class StreamDouble:
    """A translator's stream with a fault (``broken``), one that is only told (``warning``), or a ``harmless`` habit.

    It is played through ``variant`` of the check ``stream`` on one case and route. A broken one has a MUST finding of
    each of ``rules``, and of no rule but these and ``follows``; a warning one a SHOULD finding of each of ``rules`` and
    no MUST; a harmless one no finding but SHOULDs of ``warns``. ``spares`` is a case, or a variant of the same case,
    on which the fault cannot show; None for one that shows in every stream. ``thread`` is a report of the like.
    """

    family: str
    fault: str
    title: str
    kind: Kind
    layer: Layer
    change: Change
    client: str
    upstream: str
    case: str
    variant: str
    rules: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    warns: tuple[str, ...] = ()
    spares: str | None = None
    thread: str = ""

    @property
    def name(self) -> str:
        """Where its verdict stands, from ``corpus/verdicts/``."""
        return f"{self.family}/{self.fault}/{self.client}"

    @property
    def spared(self) -> tuple[str, str] | None:
        """The case and the variant of ``spares``."""
        if self.spares is None:
            return None
        return (self.spares, self.variant) if "/" in self.spares else (self.case, self.spares)


_found: dict[str, StreamDouble] = {}


def broken(
    name: str,
    *,
    rule: Rules | Mapping[str, Rules],
    client: str | Sequence[str],
    upstream: str | None = None,
    case: str = PARALLEL,
    variant: str = "",
    layer: Layer = "events",
    follows: Rules | Mapping[str, Rules] = (),
    spares: str | None = None,
    thread: str = "",
) -> Callable[[Change], Change]:
    """A fault in the streams for each of ``client``. ``rule`` and ``follows`` may differ by client."""
    return _enter("broken", name, client, upstream, case, variant, layer, rule, follows, (), spares, thread)


def warning(
    name: str,
    *,
    rule: Rules | Mapping[str, Rules],
    client: str | Sequence[str],
    upstream: str | None = None,
    case: str = PARALLEL,
    variant: str = "",
    layer: Layer = "events",
    spares: str | None = None,
    thread: str = "",
) -> Callable[[Change], Change]:
    """The same for a fault that is only told: a SHOULD."""
    return _enter("warning", name, client, upstream, case, variant, layer, rule, (), (), spares, thread)


def harmless(
    name: str,
    *,
    client: str | Sequence[str] = FORMATS,
    upstream: str | None = None,
    case: str = PARALLEL,
    variant: str = "",
    layer: Layer = "events",
    warns: Rules = (),
) -> Callable[[Change], Change]:
    """A habit that no judge may fail."""
    return _enter("harmless", name, client, upstream, case, variant, layer, (), (), warns, None, "")


def _enter(
    kind: Kind,
    name: str,
    client: str | Sequence[str],
    upstream: str | None,
    case: str,
    variant: str,
    layer: Layer,
    rule: Rules | Mapping[str, Rules],
    follows: Rules | Mapping[str, Rules],
    warns: Rules,
    spares: str | None,
    thread: str,
) -> Callable[[Change], Change]:
    clients = (client,) if isinstance(client, str) else tuple(client)

    def decorate(change: Change) -> Change:
        for one in clients:
            double = StreamDouble(
                family="stream-" + change.__module__.rpartition(".")[-1],
                fault=name,
                title=" ".join((change.__doc__ or "").split()).rstrip("."),
                kind=kind,
                layer=layer,
                change=change,
                client=one,
                upstream=upstream or _UPSTREAM[one],
                case=case,
                variant=variant,
                rules=_of(rule, one),
                follows=_of(follows, one),
                warns=_of(warns, one),
                spares=spares,
                thread=thread,
            )
            if double.name in _found:
                raise ValueError(f"two stream doubles are called {double.name}")
            _found[double.name] = double
        return change

    return decorate


def _of(rules: Rules | Mapping[str, Rules], client: str) -> tuple[str, ...]:
    found = rules.get(client, ()) if isinstance(rules, Mapping) else rules
    return (found,) if isinstance(found, str) else found


def stream_doubles(kind: Kind | None = None) -> Iterator[StreamDouble]:
    """All of them, or those of one kind, in the order of the modules."""
    home = importlib.import_module("doubles.streams")
    for module in sorted(entry.name for entry in pkgutil.iter_modules(home.__path__)):
        importlib.import_module(f"doubles.streams.{module}")
    for double in _found.values():
        if kind in (None, double.kind):
            yield double
