"""A root cause in its parts, for annotations, Markdown and SARIF."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import cause_command, consequence, extent_text, item_title, place_fields


@dataclass(frozen=True, slots=True)
class Outline:
    """A root cause in its parts.

    ``consequence`` is what is wrong and why it matters; ``item`` the simplest item; ``place_fields`` are names and
    texts about its place (what, of, at, want, got, …); ``extent_text`` is where else the cause occurs; ``command`` runs
    its items; ``evidence_url`` is an address that shows the rule; ``code`` is where the translator raised, as
    ``file:line``; ``fix`` is the usual cause and repair. Texts may be empty.
    """

    rule: str
    level: str
    items: int
    consequence: str
    item: str
    place_fields: Sequence[tuple[str, str]]
    extent_text: str
    command: str
    evidence_url: str
    code: str
    fix: str

    @classmethod
    def of(cls, root: RootCause, run: RunRecord, rules: Mapping[str, Rule]) -> Outline:
        """Make the outline of a root cause of a run."""
        return cls(
            rule=root.rule,
            level=root.level,
            items=len(root.items),
            consequence=consequence(root, rules),
            item=item_title(root.example.item),
            place_fields=tuple(place_fields(root, rules)),
            extent_text=extent_text(root) if len(root.items) > 1 else "",
            command=cause_command(root, run.rerun_command, run.items),
            evidence_url=evidence_url(root.rule, rules),
            code=str(root.example.finding.get("code", "")),
            fix=texts.fix if (texts := root.rule_texts(rules)) is not None else "",
        )

    @property
    def count(self) -> str:
        """``1 item``, ``2 items``."""
        return pluralize(self.items, "item")


def evidence_url(rule_id: str, rules: Mapping[str, Rule]) -> str:
    """Return the first address in a rule's evidence; empty if it rests only on a page of this project."""
    urls = (str(source.get("url", "")) for source in rules[rule_id].evidence) if rule_id in rules else ()
    return next((url for url in urls if url.startswith("https://")), "")


def outlines(roots: Iterable[RootCause], run: RunRecord, rules: Mapping[str, Rule]) -> list[Outline]:
    """Return the outlines of root causes of a run."""
    return [Outline.of(root, run, rules) for root in roots]
