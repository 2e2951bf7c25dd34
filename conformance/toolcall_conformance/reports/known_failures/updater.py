"""Updates a file of known failures: adds what fails, removes what no longer fails, and keeps the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcall_conformance.reports.known_failures import causes_table
from toolcall_conformance.reports.known_failures.baseline import KnownFailures, StandingKind
from toolcall_conformance.reports.known_failures.entries import ItemIndex, ItemPattern, KnownEntry, plain_id
from toolcall_conformance.reports.known_failures.item_lists import edit_items
from toolcall_conformance.reports.known_failures.known_tables import KEY, split_tables
from toolcall_conformance.reports.known_failures.patterns import shortest_patterns
from toolcall_conformance.reports.known_failures.reader import is_toml

_DEFAULT_TOP = """\
# Known failures: they do not fail a run.
# `--toolcall-known-failures-update` writes this file anew. It keeps comments, reasons, tickets and dates. An entry with
# a reason is a table `[[known]]` (docs/known-failures.md); below `[causes]` are those that have none yet.
"""


@dataclass(frozen=True)
class FailingFinding:
    """A failing finding of a judged item. ``signature`` lacks the rule; ``message`` explains it.

    An ``unstable`` one did not occur in every try: it adds no entry, and keeps an existing one.
    """

    rule: str
    signature: str
    message: str
    unstable: bool = False


@dataclass(frozen=True)
class Update:
    """The new text of a file, and the numbers of entries that are new, gone, changed and kept."""

    text: str
    added: int = 0
    removed: int = 0
    changed: int = 0
    kept: int = 0

    def __str__(self) -> str:
        counts = (self.added, "new"), (self.removed, "gone"), (self.changed, "changed"), (self.kept, "kept")
        total = self.added + self.changed + self.kept
        words = ", ".join(f"{count} {name}" for count, name in counts if count)
        return f"{total} known failure{'' if total == 1 else 's'}" + (f" ({words})" if words else "")


@dataclass
class _Draft:
    """A table of the new text: its old lines, and the items to add and remove."""

    key: tuple[str, str]
    before: str = ""
    text: str = ""
    add: set[str] = field(default_factory=set)
    remove: set[str] = field(default_factory=set)
    total: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it is left."""
        return not self.add and len(self.remove) >= self.total


@dataclass
class _CauseDraft:
    """A row of ``[causes]`` in the new text: its items, and ``loose`` patterns that are not exact."""

    key: tuple[str, str]
    row: causes_table.CauseRow | None = None
    items: set[str] = field(default_factory=set)
    loose: list[str] = field(default_factory=list)
    changes: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it is left."""
        return not self.items and not self.loose

    def text(self, planned: ItemIndex) -> str:
        """Return its lines, unchanged if nothing changes."""
        if self.row is not None and not self.changes:
            return self.row.text_before.lstrip("\n") + self.row.text
        before = self.row.text_before.lstrip("\n") if self.row is not None else ""
        return before + causes_table.format_row(
            " ".join(self.key), [*self.loose, *shortest_patterns(self.items, planned)]
        )


def update(
    known_failures: KnownFailures,
    text: str,
    planned: Collection[str],
    judged: Mapping[str, Sequence[FailingFinding]],
    is_outside: Callable[[ItemPattern], bool] = lambda _pattern: False,
) -> Update:
    """Update the file whose text is ``text`` and whose entries are ``known_failures``.

    ``planned`` are all items; ``judged`` has the failures of the items with a verdict. Entries of other items stay, and
    so do patterns that are outside the run (``is_outside``). Raises KnownFailuresError.
    """
    path = known_failures.path or Path()
    if text and not is_toml(path, text):
        text = _convert_lines(known_failures)
    section = causes_table.parse_causes_table(path, text)
    blocks, after = split_tables(path, section.other_text)
    drafts = [
        _Draft((entry.rule, entry.signature or ""), block.before, block.text, total=len(entry.patterns))
        for entry, block in zip(known_failures.entries[: len(blocks)], blocks, strict=True)
    ]
    if drafts:
        # Separate comments above the first entry are about the whole file.
        top, drafts[0].before = drafts[0].before, ""
    else:
        top, after = after or _DEFAULT_TOP, ""
    items = ItemIndex(planned)
    verdicts = {
        plain_id(nodeid): [(failure.rule, failure.signature) for failure in failures]
        for nodeid, failures in judged.items()
    }
    for entry, draft in zip(known_failures.entries, drafts, strict=False):
        _remove_stale(known_failures, entry, draft, items, verdicts)
    rows = [
        _cause_draft(known_failures, entry, row, items, verdicts, is_outside)
        for entry, row in zip(known_failures.entries[len(blocks) :], section.rows, strict=True)
    ]
    rows += _add_new(known_failures, drafts, rows, judged)
    return _assemble_update(top, drafts, after, section, rows, items)


def _remove_stale(
    known_failures: KnownFailures,
    entry: KnownEntry,
    draft: _Draft,
    items: ItemIndex,
    verdicts: Mapping[str, Sequence[tuple[str, str]]],
) -> None:
    """Remove from a table what no longer fails; the other items of a pattern get new patterns."""
    for pattern, passing in known_failures.mended_patterns(entry, items, verdicts):
        draft.remove.add(pattern.text)
        draft.add.update(shortest_patterns({*items.matching(pattern)}.difference(passing), items))


def _cause_draft(
    known_failures: KnownFailures,
    entry: KnownEntry,
    row: causes_table.CauseRow,
    items: ItemIndex,
    verdicts: Mapping[str, Sequence[tuple[str, str]]],
    is_outside: Callable[[ItemPattern], bool],
) -> _CauseDraft:
    """Return a row without items that no longer fail or no longer exist."""
    mended = dict(known_failures.mended_patterns(entry, items, verdicts))
    draft = _CauseDraft(
        row.key, row, changes=bool(mended) or any(known_failures.surplus_patterns(entry, items, verdicts))
    )
    for pattern in entry.patterns:
        if not pattern.is_exact:
            draft.loose += [] if pattern in mended else [pattern.text]
            continue
        for part in pattern.parts:
            matches = items.matching(part)
            draft.changes |= not matches and not is_outside(part)
            draft.items.update(matches or ([part.plain_text] if is_outside(part) else []))
        draft.items.difference_update(mended.get(pattern, ()))
    return draft


def _add_new(
    known_failures: KnownFailures,
    drafts: Sequence[_Draft],
    rows: Sequence[_CauseDraft],
    judged: Mapping[str, Sequence[FailingFinding]],
) -> Iterator[_CauseDraft]:
    """Add each failure that no entry covers to the entry of its cause; yield new rows for causes without one."""
    homes: dict[tuple[str, str], _Draft | _CauseDraft] = {}
    all_drafts: list[_Draft | _CauseDraft] = [*drafts, *rows]
    for entry, draft in zip(known_failures.entries, all_drafts, strict=True):
        if entry.signature is not None and not entry.has_expired(known_failures.today):
            homes.update({(rule, entry.signature): draft for rule in entry.ids})
    new: dict[tuple[str, str], _CauseDraft] = {}
    for nodeid, failures in sorted(judged.items()):
        for failure in failures:
            status = known_failures.standing(nodeid, failure.rule, failure.signature)
            if failure.unstable or status.kind in (StandingKind.KNOWN, StandingKind.EXPIRED):
                continue
            key = failure.rule, failure.signature
            home = homes.get(key) or new.setdefault(key, _CauseDraft(key))
            if isinstance(home, _Draft):
                home.add.add(plain_id(nodeid))
            else:
                home.items.add(plain_id(nodeid))
                home.changes = True
    yield from new.values()


def _assemble_update(
    top: str,
    drafts: Sequence[_Draft],
    after: str,
    section: causes_table.CausesTable,
    rows: Sequence[_CauseDraft],
    items: ItemIndex,
) -> Update:
    """Assemble the new text of the file from its top, its tables and its rows, and count the changes."""
    removed = [draft for draft in drafts if draft.is_empty]
    stay = sorted((draft for draft in drafts if not draft.is_empty), key=lambda draft: (draft.key, draft.text))
    lines = sorted((row for row in rows if not row.is_empty), key=lambda row: row.key)
    added = sum(row.row is None for row in lines)
    changed = sum(bool(draft.add or draft.remove) for draft in stay) + sum(
        row.changes and row.row is not None for row in lines
    )
    # Separate comments above a removed entry are about those that follow.
    loose = "".join(draft.before for draft in removed if draft.before.strip())
    table = "".join(row.text(items) for row in lines) + section.text_after.lstrip("\n")
    parts = [
        top.rstrip("\n"),
        *(_block_text(draft) for draft in stay),
        (loose + after).strip("\n"),
        f"{section.header or f'[{causes_table.KEY}]'}".rstrip("\n") + f"\n{table}".rstrip("\n") if table else "",
    ]
    text = "\n\n".join(part for part in parts if part) + "\n"
    gone = len(removed) + sum(row.is_empty for row in rows)
    return Update(text, added, gone, changed, len(stay) + len(lines) - added - changed)


def _block_text(draft: _Draft) -> str:
    return f"{draft.before}{edit_items(draft.text, draft.add, draft.remove)}".strip("\n")


def _convert_lines(known_failures: KnownFailures) -> str:
    """Return the entries of a file of lines as TOML, in the same order."""
    import tomlkit

    blocks = []
    for entry in known_failures.entries:
        table = tomlkit.table()
        table.update({"rule": entry.rule, "items": [entry.patterns[0].plain_text], "reason": entry.reason})
        if entry.patterns[0].is_wide:
            table["wide"] = True
        blocks.append(_dump_table(table))
    return f"{_DEFAULT_TOP}\n" + "\n".join(blocks)


def _dump_table(table: Any) -> str:
    import tomlkit

    document = tomlkit.document()
    tables = tomlkit.aot()
    tables.append(table)
    document[KEY] = tables
    return tomlkit.dumps(document)
