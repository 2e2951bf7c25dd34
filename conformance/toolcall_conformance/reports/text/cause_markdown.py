"""A root cause in Markdown: what stands below its heading, in a report and in a difference of two."""

from __future__ import annotations

from toolcall_conformance.reports.text.escaping import code, words
from toolcall_conformance.reports.text.outline import Outline
from toolcall_conformance.reports.vocabulary import FIELDS

_VALUE_SHOWN = 300
# A validator's first error is whole in it.
_MESSAGE_SHOWN = 1_000
# A longer command is no use to a reader; the report in JSON has it.
_COMMAND_SHOWN = 1_000


def details(outline: Outline, indent: str) -> list[str]:
    """The example, what stands there, both values, the usual repair and the command: an item of a list each."""
    place = dict(outline.place)
    item, message, pointer, fix, run = (FIELDS[key] for key in ("item", "message", "pointer", "fix", "command"))
    at = f" {pointer} {code(place[pointer])}" if pointer in place else ""
    names = (FIELDS[key] for key in ("want", "got"))
    values = [f"{name} {code(place[name], most=_VALUE_SHOWN)}" for name in names if name in place]
    lines = [f"{item} {code(outline.item)}{at}"]
    lines += [f"{message} {code(place[message], most=_MESSAGE_SHOWN)}"] if message in place else []
    lines += [", ".join(values)] if values else []
    lines += [f"{fix} {words(outline.fix)}"] if outline.fix else []
    lines += [f"{run} {code(outline.again, most=_COMMAND_SHOWN)}"] if len(outline.again) <= _COMMAND_SHOWN else []
    return [f"{indent}- {line}" for line in lines]
