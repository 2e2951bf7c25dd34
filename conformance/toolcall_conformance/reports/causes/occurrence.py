"""A finding in an item of a run, with the properties that decide its cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.features import feature
from toolcall_conformance.reports.item_record import ItemRecord, finding_value

LEVELS = tuple(level.value for level in Level)
# Checks of whole conversations, whose parts other checks judge one by one.
_CONVERSATION_CHECKS = ("agent_loop", "round_trip")
CHECK_ORDER = ("request", "response", "stream", *_CONVERSATION_CHECKS)


class CauseKey(NamedTuple):
    """The key that findings of one cause share.

    ``is_way_back``: a round trip has the finding. ``companions``: rules that it comes with, and that are another fault.
    """

    is_known: bool
    signature: str
    is_way_back: bool = False
    feature: str = ""
    companions: str = ""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A finding in an item."""

    item: ItemRecord
    finding: Mapping[str, Any]

    @property
    def rule(self) -> str:
        return str(self.finding["rule"])

    @property
    def element(self) -> str:
        return str(self.finding["element"])

    @property
    def level(self) -> int:
        return LEVELS.index(self.finding["level"])

    @property
    def is_known(self) -> bool:
        """Whether it is a known failure."""
        return "known" in self.finding

    @property
    def key(self) -> CauseKey:
        """The key that it shares with the findings of its cause."""
        return CauseKey(self.is_known, self.signature, self.item.check == "round_trip", self.feature)

    @property
    def signature(self) -> str:
        return str(self.finding["signature"])

    @property
    def feature(self) -> str:
        """A word for the kind of fault, which tells it from findings of its signature with another repair."""
        return feature(self.finding)

    @property
    def source(self) -> str:
        """The format from which the body was translated."""
        item = self.item
        return item.client if self.finding["format"] == item.upstream else item.upstream

    @property
    def reader(self) -> str:
        """The format from which it was translated; in a whole conversation that of the client."""
        return self.item.client if self.is_conversation else self.source

    @property
    def place(self) -> str:
        """The kind of place in its signature; empty if it has none."""
        place = self.signature.split(" ")[-2]
        return place if place != "-" else ""

    @property
    def difference(self) -> str:
        """The kind of difference in its signature."""
        return self.signature.rpartition(" ")[2]

    @property
    def want(self) -> Any:
        """The expected value, a choice, or MISSING; a long value is cut."""
        return finding_value(self.finding, "want")

    @property
    def got(self) -> Any:
        """The actual value, or MISSING; a long value is cut."""
        return finding_value(self.finding, "got")

    @property
    def pointer(self) -> str:
        return str(self.finding["pointer"])

    @property
    def subject(self) -> str:
        """The call, result or tool that it is about, without its place in a stream."""
        return str(self.finding["subject"]).partition("; ")[0]

    @property
    def is_assembled(self) -> bool:
        """Whether it is about the reply that a stream assembles to, not about the events."""
        return "," in self.finding["body"]

    @property
    def is_conversation(self) -> bool:
        """Whether its check plays a whole conversation."""
        return self.item.check in _CONVERSATION_CHECKS

    @property
    def body_key(self) -> tuple[str, str]:
        """The node id and the body's label; a stream and its assembled reply are one body."""
        return self.item.nodeid, self.finding["body"].partition(",")[0]


# A finding, and the other rules that it represents, each with its element.
LeadingOccurrence = tuple[Occurrence, dict[str, str]]


def gravity(occurrence: Occurrence, harm: Harm) -> tuple[Any, ...]:
    """Return the sort key of a finding: new before known, grave before mild, the most exact of synonyms first."""
    # Of two synonyms a rule on translation is more exact than the format's own.
    element = occurrence.element
    own = not occurrence.rule.startswith("translation/")
    return (
        occurrence.is_known,
        occurrence.level,
        own,
        harm.rank_in_group(occurrence.rule, element),
        harm.rank(occurrence.rule, element),
        occurrence.rule,
    )


def sort_checks(names: Iterable[str]) -> list[str]:
    """Return the names of checks in the order of reports."""
    return sorted(names, key=lambda name: (CHECK_ORDER.index(name) if name in CHECK_ORDER else len(CHECK_ORDER), name))
