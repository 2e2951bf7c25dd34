"""A root cause in Markdown: what stands below its heading, in a report and in a difference of two."""

from __future__ import annotations

from toolcall_conformance.reports.escaping import code, words
from toolcall_conformance.reports.outline import Outline

_VALUE_SHOWN = 300
# A validator's first error is whole in it.
_MESSAGE_SHOWN = 1_000
# A longer command is no use to a reader; the report in JSON has it.
_COMMAND_SHOWN = 1_000


def details(one: Outline, indent: str) -> list[str]:
    """The example, what stands there, both values, the usual repair and the command: an item of a list each."""
    place = dict(one.place)
    at = f" at {code(place['at'])}" if "at" in place else ""
    values = [f"{name} {code(place[name], most=_VALUE_SHOWN)}" for name in ("want", "got") if name in place]
    lines = [f"for example {code(one.item)}{at}"]
    lines += [code(place["what"], most=_MESSAGE_SHOWN)] if "what" in place else []
    lines += [", ".join(values)] if values else []
    lines += [f"usually: {words(one.fix)}"] if one.fix else []
    lines += [f"run {code(one.again, most=_COMMAND_SHOWN)}"] if len(one.again) <= _COMMAND_SHOWN else []
    return [f"{indent}- {line}" for line in lines]
