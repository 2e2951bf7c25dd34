"""A root cause in its parts, for reports that set them in other ways than the terminal: annotations, Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import command, consequence, place_of, rest, title


@dataclass(frozen=True, slots=True)
class Outline:
    """A root cause in its parts.

    ``says`` is what is wrong and why it matters; ``item`` the simplest one that shows it; ``place`` what stands there,
    by name (what, of, at, want, got, …); ``rest`` where else it shows, or empty; ``again`` the command that runs its
    items; ``evidence`` an address that shows the rule, or empty; ``code`` where the translator raised, as
    ``file:line``, or empty; ``fix`` the usual cause and repair, or empty.
    """

    rule: str
    level: str
    items: int
    says: str
    item: str
    place: Sequence[tuple[str, str]]
    rest: str
    again: str
    evidence: str
    code: str
    fix: str

    @classmethod
    def of(cls, root: RootCause, run: RunRecord, rules: Mapping[str, Rule]) -> Outline:
        """Take a root cause of a run apart."""
        return cls(
            rule=root.rule,
            level=root.level,
            items=len(root.items),
            says=consequence(root, rules),
            item=title(root.example.item),
            place=tuple(place_of(root, rules)),
            rest=rest(root) if len(root.items) > 1 else "",
            again=command(root, run.again, run.items),
            evidence=evidence(root.rule, rules),
            code=str(root.example.finding.get("code", "")),
            fix=texts.fix if (texts := root.texts(rules)) is not None else "",
        )

    @property
    def count(self) -> str:
        """``1 item``, ``2 items``."""
        return pluralize(self.items, "item")


def evidence(rule: str, rules: Mapping[str, Rule]) -> str:
    """The first address in a rule's evidence, or empty. Some rules rest on a page of this project alone."""
    urls = (str(source.get("url", "")) for source in rules[rule].evidence) if rule in rules else ()
    return next((url for url in urls if url.startswith("https://")), "")


def outlines(roots: Iterable[RootCause], run: RunRecord, rules: Mapping[str, Rule]) -> list[Outline]:
    """Take root causes of a run apart."""
    return [Outline.of(root, run, rules) for root in roots]
