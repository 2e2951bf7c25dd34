"""The record of an item: plain data that crosses processes and goes into reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, Loss, OneOf, Verdict, Words
from toolcall_conformance.basics.known_secrets import redact_secrets

# Values with a longer JSON text are cut: the artifacts hold the bodies.
MAX_VALUE_LENGTH = 2_000
_BEGINNING_LENGTH = 500


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """The record of one item. ``outcome`` is its result in pytest: passed, failed, known, unstable, skipped or error.

    ``findings`` are JSON objects: rule, level, pointer, message, element, subject, body, format, signature, and if
    present want, got, source_pointer, made_up with own_level (the adapter invented the faulty part; the level without
    that), near (the surroundings of the place), code (the line where the translator raised), known (the reason of a
    known failure), standing (the status of a finding that fails the item by the known failures), note (why they do not
    excuse it) and unstable (it occurred in some tries only).
    ``losses`` are objects with element, kind and count. ``duration`` is in seconds. ``left_out`` are pointers to
    settings that the request was played without. ``witness`` are the verdicts of official clients on its bodies:
    objects with body, client, accepted and says. ``size`` is the length of the translator's input in characters; 0 for
    an item without findings. ``bodies`` are the bodies of its findings, for the simplest items of each kind of finding
    only (``examples``): objects with name, parts (the bodies: source, produced, golden; of a stream sent, came, usual,
    assembled), and by part marks and ids: the call at a pointer and by id. ``against`` are differences from another
    translator: objects with body, element, pointer, says, ours, other and cause.
    """

    nodeid: str
    case: str
    check: str
    client: str
    upstream: str
    variant: str | None
    verdict: str
    outcome: str
    duration: float = 0.0
    reason: str = ""
    findings: list[dict[str, Any]] = field(default_factory=list)
    losses: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    witness: list[dict[str, Any]] = field(default_factory=list)
    size: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    against: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        *,
        findings: Sequence[Finding],
        facts: Callable[[Finding], Mapping[str, Any]],
        verdict: Verdict,
        variant: str | None = None,
        losses: Sequence[Loss] = (),
        **members: Any,
    ) -> ItemRecord:
        """Make a record of findings; ``facts`` returns further members of a finding, as its signature."""
        plain = [{**finding_json(finding), **facts(finding)} for finding in findings]
        lost = [asdict(loss) for loss in losses]
        return cls(findings=plain, verdict=verdict.value, variant=variant, losses=lost, **members)

    @property
    def rules(self) -> list[str]:
        """The rules of its findings, each once."""
        return list(dict.fromkeys(finding["rule"] for finding in self.findings))

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def is_judged(self) -> bool:
        """Whether the item gave a verdict about the translator."""
        return self.outcome in ("passed", "failed", "known", "unstable")

    def with_duration(self, duration: float) -> ItemRecord:
        """Return the record with this duration in seconds."""
        seconds = round(duration, 6)
        return self if seconds == self.duration else replace(self, duration=seconds)

    def to_json(self) -> dict[str, Any]:
        members = {name: getattr(self, name) for name in self.__slots__}  # asdict would copy plain data
        return {key: value for key, value in members.items() if value or key not in ("bodies", "against")}

    def dumps(self) -> str:
        """Return the record as ASCII JSON: not every channel passes lone surrogates and large numbers."""
        return json.dumps(self.to_json())

    @classmethod
    def loads(cls, text: str) -> ItemRecord:
        return cls(**json.loads(text))


def run_command(beginning: str, *nodeids: str) -> str:
    """Return the command that runs these items; ``beginning`` is the command with the settings, without items."""
    return " ".join([beginning, *(f'"{nodeid}"' for nodeid in nodeids)])


def finding_json(finding: Finding, *, limit: int | None = MAX_VALUE_LENGTH) -> dict[str, Any]:
    """Return a finding as JSON; values over ``limit`` characters are cut."""
    plain: dict[str, Any] = {
        "rule": finding.rule,
        "level": finding.level.value,
        "pointer": finding.pointer,
        "message": finding.message,
        "element": finding.element,
        "subject": finding.subject,
        "body": finding.body,
        "format": finding.format,
    }
    if finding.source_pointer is not None:
        plain["source_pointer"] = finding.source_pointer
    for key, value in (("want", finding.want), ("got", finding.got)):
        if value is not NOT_KNOWN:
            plain[key] = _value_json(value, limit)
    if finding.made_up is not None:
        plain |= {"made_up": True, "own_level": finding.made_up.value}
    if finding.because is not None:
        plain["because"] = {key: value for key, value in asdict(finding.because).items() if value not in ("", False)}
    if finding.between is not MISSING:
        plain["between"] = _cap_value(finding.between, limit)
    return plain


def finding_value(plain: Mapping[str, Any], key: str) -> Any:
    """Return ``want`` or ``got`` of a finding in JSON as the finding had it; a long value stays cut."""
    if key not in plain:
        return NOT_KNOWN
    value = plain[key]
    if isinstance(value, dict):
        if value == {"$absent": True}:
            return MISSING
        if value.keys() == {"$one_of"}:
            return OneOf(tuple(value["$one_of"]))
        if value.keys() == {"$json_schema"}:
            return Form(value["$json_schema"])
        if value.keys() == {"$words"}:
            return Words(value["$words"])
    return value


def _value_json(value: Any, limit: int | None) -> Any:
    """Return a value as JSON, perhaps an object with ``$absent``, ``$one_of``, ``$json_schema`` or ``$words``."""
    if value is MISSING:
        return {"$absent": True}
    if isinstance(value, OneOf):
        return {"$one_of": [_cap_value(entry, limit) for entry in value.values]}
    if isinstance(value, Words):
        return {"$words": str(value)}
    return _cap_value({"$json_schema": value.schema} if isinstance(value, Form) else value, limit)


def _cap_value(value: Any, limit: int | None) -> Any:
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return {"$shown": redact_secrets(repr(value))[:_BEGINNING_LENGTH]}
    if limit is None or len(text) <= limit:
        return value
    return {"$shown": redact_secrets(text)[:_BEGINNING_LENGTH], "$length": len(text)}
