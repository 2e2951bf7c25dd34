"""Reports an output that is not in the target format at all: one finding, and no other judgement."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.formats.recognition import recognise_body
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.pair import Sides

_RULE = "translation/target-format"
_MODEL = frozenset({"model"})


def no_object(sides: Sides, output: Any) -> Finding:
    """The finding for an output that is no JSON object."""
    message = f"the output is no JSON object but {_kind(output)}"
    return sides.finding(_RULE, "", message, want=Words("an object"), got=output, source="")


def other_format(sides: Sides, source: Any, output: dict[str, Any], own: list[Finding]) -> Finding | None:
    """The finding for an output that went through unchanged, or has nothing of a body of its format; None else."""
    direction, name = sides.output.direction, sides.output.format
    container = sides.target["containers"][direction]
    unchanged = (
        sides.source.format != name
        and any(finding.is_must for finding in own)
        and equal(identity.without_keys(source, _MODEL), identity.without_keys(output, _MODEL))
    )
    if not unchanged and any(key in output for key in container):
        return None
    guess = [kind.format for kind in recognise_body(sides.corpus, output, [direction]) if kind.format != name]
    message = "the body went through unchanged" if unchanged else ""
    if not message:
        looks = f"; it looks like {' or '.join(guess)}" if guess else ""
        message = f"the body has no {' or '.join(map(repr, container))}{looks}"
    if unchanged:
        return sides.finding(_RULE, "", message, want=Words(name), got=Words(sides.source.format), source="")
    return sides.finding(
        _RULE, "", message, want=Words(" or ".join(container)), got=Words(", ".join(sorted(output))), source=""
    )


def other_envelope(sides: Sides, output: dict[str, Any], own: list[Finding]) -> Finding | None:
    """The finding for an error that is valid in another format but not in the client's; None else.

    Of the client's own provider an error that its SDK reads is another spelling, and no error of another API.
    """
    if not faulty(own) or (sides.source.format == sides.output.format and not any(finding.is_must for finding in own)):
        return None
    fitting = [
        name
        for name in sides.corpus.formats
        if name != sides.output.format and not faulty(check_body(sides.corpus, name, "error", output))
    ]
    if not fitting:
        return None
    message = f"the error has the form of {' or '.join(fitting)}"
    body = output.get("body", MISSING)
    return sides.finding(_RULE, "/body", message, want=Words(sides.output.format), got=body, source="/body")


def faulty(findings: list[Finding]) -> bool:
    """Whether anything is found but notes."""
    return any(not finding.is_note for finding in findings)


def _kind(value: Any) -> str:
    return {type(None): "null", bool: "a boolean", str: "a string", list: "an array"}.get(type(value), "a number")
