"""Findings, their levels, and the verdict of an item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import canonical


class _NoValue(Enum):
    """Marks in the place of a JSON value; both differ from JSON null, and are false."""

    MISSING = "(absent)"
    NOT_KNOWN = "(not known)"

    def __repr__(self) -> str:
        return self.value

    def __bool__(self) -> bool:
        return False


MISSING: Final = _NoValue.MISSING
"""There is no value here."""
NOT_KNOWN: Final = _NoValue.NOT_KNOWN
"""There may be a value, but it is not known which."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """A choice: any of these JSON values is right."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """Any JSON value that fits a JSON Schema, where the one right value is not known.

    ``schema`` is of draft 2020-12, without references. No right value breaks it; one that fits it may still be wrong.
    Where an object lacks more than one key it has no ``type``, and lists the ``required`` keys.
    """

    schema: Mapping[str, Any]


class Words(str):
    """A description, not a value to put there: a thing by its name, another place, an event of a stream.

    ``image, image/png``, ``after call 1, read_file``.
    """

    __slots__ = ()


def is_json_value(value: Any) -> bool:
    """Whether a ``want`` or ``got`` is one JSON value: no choice, no form, no words, not absent."""
    return not isinstance(value, (_NoValue, OneOf, Form, Words))


MAX_CHOICES = 50
"""The most values that a choice or a form lists: nobody reads more, and thousands of findings may each have one."""


def one_of(values: Iterable[Any], otherwise: Any = NOT_KNOWN) -> Any:
    """A choice between distinct values: the value itself if there is only one, ``otherwise`` if there is none.

    Of many, the first ``MAX_CHOICES``.
    """
    choices: dict[Any, Any] = {}
    for value in values:
        if len(choices) == MAX_CHOICES:
            break
        choices.setdefault(value if isinstance(value, str) else (canonical(value),), value)
    if not choices:
        return otherwise
    return next(iter(choices.values())) if len(choices) == 1 else OneOf(tuple(choices.values()))


class Level(StrEnum):
    """The level of a finding: MUST fails an item, SHOULD warns, NOTE is only reported."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    NOTE = "NOTE"


class Verdict(StrEnum):
    """The verdict of an item."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"
    REFUSED = "refused"
    BLOCKED = "blocked"
    NOT_APPLICABLE = "not applicable"
    ERROR = "error"


ASSEMBLED_REPLY: Final = "the reply, assembled"
"""The ``Finding.body`` of one whose pointer goes into the reply that the stream assembles to, not into the stream."""


@dataclass(frozen=True, slots=True)
class Because:
    """The finding that another one is a consequence of: its rule, its place and its body.

    ``in_source``: the source breaks the rule itself, and ``pointer`` goes into the source.
    """

    rule: str
    pointer: str
    body: str = ""
    in_source: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One violated rule at one place.

    ``pointer`` is a JSON Pointer (RFC 6901) into the body that the translator produced, ``""`` for the whole
    body; ``source_pointer`` is one into the body it was given. ``want`` and ``got`` are what should and what does stand
    there: JSON values, MISSING (nothing), Words or NOT_KNOWN; ``want`` may be OneOf or a Form. Putting a ``want`` that
    is a value, or MISSING, in the place of ``got`` gives a body without the finding, and with no new MUST.
    ``element`` is the kind of thing concerned (``call``, ``result``, ``text`` ...); ``subject`` says which one
    in words (``call 2, run_shell_command``). ``body`` is the label of the judged body in a run (``02-request``),
    ``format`` its format. Of a round trip ``between`` is the body in the other format. ``made_up`` is the level that it
    would have, had the adapter not made up what it is about. ``because`` names the finding that it follows from.
    """

    rule: str
    level: Level
    pointer: str
    message: str
    want: Any = NOT_KNOWN
    got: Any = NOT_KNOWN
    source_pointer: str | None = None
    element: str = ""
    subject: str = ""
    body: str = ""
    format: str = ""
    between: Any = MISSING
    made_up: Level | None = None
    because: Because | None = None

    @property
    def is_must(self) -> bool:
        """Whether it fails an item."""
        return self.level is Level.MUST

    @property
    def is_note(self) -> bool:
        """Whether it is only reported."""
        return self.level is Level.NOTE


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that a body says and its translation does not, without breaking a rule.

    ``element`` is one of the corpus's elements, or ``private:`` and the key of a setting that no other format has.
    ``kind`` is ``cannot`` (the target has no word for it), ``may`` (it has one by convention only) or ``undue``: the
    translator reports the loss, though both formats express the element. ``count`` is how many of them.
    """

    element: str
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Tolerated:
    """One difference that a judge accepted, under the name of the equivalence that allows it.

    ``name`` is a folder of ``corpus/equivalences``. ``pointer`` goes into the output, ``source_pointer`` into the
    source; ``want`` and ``got`` are the values there, perhaps cut short.
    """

    name: str
    pointer: str
    source_pointer: str | None = None
    want: Any = MISSING
    got: Any = MISSING


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of a body: findings, losses, and the differences that were tolerated.

    ``tolerated`` is empty unless it was asked for.
    """

    findings: tuple[Finding, ...] = ()
    losses: tuple[Loss, ...] = ()
    tolerated: tuple[Tolerated, ...] = ()

    def in_format(self, format_name: str) -> Judgement:
        """The judgement with its findings in this format, unless they name another already."""
        if all(finding.format for finding in self.findings):
            return self
        return replace(self, findings=set_format(self.findings, format_name))


def set_format(findings: Iterable[Finding], format_name: str) -> tuple[Finding, ...]:
    """The findings with the format of their body; those that name a format already keep it."""
    return tuple(finding if finding.format else replace(finding, format=format_name) for finding in findings)


def worst_level(findings: Sequence[Finding]) -> Level | None:
    """The gravest level among ``findings``, None if there are none."""
    for level in (Level.MUST, Level.SHOULD, Level.NOTE):
        if any(finding.level is level for finding in findings):
            return level
    return None


def failing_findings(findings: Iterable[Finding], *, strict: bool = False) -> list[Finding]:
    """The findings that fail an item: those of MUST, and with ``strict`` of SHOULD."""
    return [finding for finding in findings if finding.is_must or (strict and finding.level is Level.SHOULD)]


def verdict_of(findings: Sequence[Finding], *, strict: bool = False) -> Verdict:
    """The verdict of an item by its findings alone."""
    if failing_findings(findings, strict=strict):
        return Verdict.FAIL
    return Verdict.WARN if worst_level(findings) is Level.SHOULD else Verdict.PASS
