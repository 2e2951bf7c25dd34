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
_MODEL_KEY = frozenset({"model"})


def report_no_object(sides: Sides, output: Any) -> Finding:
    """The finding for an output that is no JSON object."""
    message = f"the output is no JSON object but {_type_words(output)}"
    return sides.finding(_RULE, "", message, want=Words("an object"), got=output, source="")


def report_other_format(
    sides: Sides, source: Any, output: dict[str, Any], output_findings: list[Finding]
) -> Finding | None:
    """The finding for an output that was passed through untranslated, or is no body of its format; else None."""
    direction, name = sides.output.direction, sides.output.format
    container = sides.target["containers"][direction]
    unchanged = (
        sides.source.format != name
        and any(finding.is_must for finding in output_findings)
        and equal(identity.without_keys(source, _MODEL_KEY), identity.without_keys(output, _MODEL_KEY))
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


def report_other_envelope(sides: Sides, output: dict[str, Any], output_findings: list[Finding]) -> Finding | None:
    """The finding for an error that is valid in another format but not in the client's; else None.

    From the client's own provider, an error that its SDK reads is another notation, not an error of another API.
    """
    if not has_faults(output_findings) or (
        sides.source.format == sides.output.format and not any(finding.is_must for finding in output_findings)
    ):
        return None
    fitting = [
        name
        for name in sides.corpus.formats
        if name != sides.output.format and not has_faults(check_body(sides.corpus, name, "error", output))
    ]
    if not fitting:
        return None
    message = f"the error has the form of {' or '.join(fitting)}"
    body = output.get("body", MISSING)
    return sides.finding(_RULE, "/body", message, want=Words(sides.output.format), got=body, source="/body")


def has_faults(findings: list[Finding]) -> bool:
    """Whether any finding is more than a note."""
    return any(not finding.is_note for finding in findings)


def _type_words(value: Any) -> str:
    return {type(None): "null", bool: "a boolean", str: "a string", list: "an array"}.get(type(value), "a number")
