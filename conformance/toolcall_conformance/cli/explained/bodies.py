"""The smallest body that breaks a rule, beside one that obeys it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics import streaming
from toolcall_conformance.cli.explained.doubles import Doubles, broken_by, headed
from toolcall_conformance.cli.explained.fragments import contrast, in_a_line, side_by_side
from toolcall_conformance.cli.explained.model import Part
from toolcall_conformance.library import Rule
from toolcall_conformance.library.verdicts import Verdict, stream_bytes

_EVENTS = 2


def body_parts(doubles: Doubles, rule: Rule, width: int, *, whole: bool) -> Iterator[Part]:
    """What breaks a rule and what obeys it, in lines of at most ``width`` characters; or why no body shows it.

    ``whole``: also the harmless body that comes nearest.
    """
    broken = [verdict for verdict in doubles.breaking(rule.id) if len(broken_by(verdict)) == 1]
    harmless = doubles.beside(rule.id)
    if "breaks" in rule.raw:
        yield from _pair(rule.raw["obeys"], rule.raw["breaks"], width)
        yield from (Part("mutant", headed(verdict), value=verdict["name"]) for verdict in broken[:1])
        yield from (Part("harmless", headed(verdict), value=verdict["name"]) for verdict in harmless[: int(whole)])
        return
    yield Part("breaks", rule.raw.get("bodiless", "No body shows it."))
    streams = [
        [verdict for verdict in verdicts if verdict["direction"] == "stream"][:1] for verdicts in (broken, harmless)
    ]
    for name, verdicts in zip(("breaks", "obeys"), streams, strict=True):
        for verdict in verdicts:
            yield Part(name, f"{headed(verdict)}. The end of the output:", _end(verdict, width), value=verdict["name"])


def _end(verdict: Verdict, width: int) -> tuple[str, ...]:
    """The last events of a stream, a line each."""
    events = streaming.parse(stream_bytes(verdict["output"]))["events"][-_EVENTS:]
    return tuple(line for event in events for line in in_a_line(event.get("data"), width))


def _pair(obeys: Any, breaks: Any, width: int) -> Iterator[Part]:
    """What breaks a rule and what obeys it, at the place where its two examples differ."""
    where = ""
    if _output(obeys) == _output(breaks):  # the source alone tells whether this output is right
        obeys, breaks, where = obeys.get("source"), breaks.get("source"), "the source, "
    pair, good, bad = side_by_side(contrast(_output(obeys), _output(breaks)), width)
    place = f"at {where}{pair.pointer or 'the whole body'}"
    yield Part("breaks", place, bad, value={"pointer": pair.pointer, "value": pair.right})
    yield Part("obeys", "", good, value={"pointer": pair.pointer, "value": pair.left})


def _output(example: Any) -> Any:
    """The body of an example that shows something; of a pair it is what the translator made."""
    of_pair = isinstance(example, dict) and "output" in example and not example.keys().isdisjoint(("client", "format"))
    return example["output"] if of_pair else example
