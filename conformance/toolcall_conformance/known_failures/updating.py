"""Writes known failures anew: what fails now goes in, what no longer fails goes out, all else stays."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcall_conformance.known_failures.arrays import edited, listed
from toolcall_conformance.known_failures.baseline import Kind, KnownFailures
from toolcall_conformance.known_failures.entries import plain_id
from toolcall_conformance.known_failures.items import Items
from toolcall_conformance.known_failures.reading import is_toml
from toolcall_conformance.known_failures.tables import KEY, split

_TOP = """\
# Known failures: they do not fail a run.
# `--toolcall-known-failures-update` writes this file anew. It keeps comments, reasons, tickets and dates.
"""


@dataclass(frozen=True)
class Failure:
    """One failing finding of an item that was judged. ``signature`` lacks the rule; ``message`` explains it.

    An ``unstable`` one did not come in every try: it makes no entry, and keeps the one that it has.
    """

    rule: str
    signature: str
    message: str
    unstable: bool = False


@dataclass(frozen=True)
class Update:
    """The new text of a file, and how many entries are new, gone, changed and kept."""

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
    """An entry on its way into the new text: its lines of today if it has any, and the items to add and remove."""

    key: tuple[str, str]
    before: str = ""
    text: str = ""
    reason: str = ""
    add: set[str] = field(default_factory=set)
    remove: set[str] = field(default_factory=set)
    total: int = 0

    @property
    def goes(self) -> bool:
        """Whether nothing of it is left."""
        return bool(self.text) and not self.add and len(self.remove) >= self.total


def update(
    known: KnownFailures, text: str, planned: Collection[str], judged: Mapping[str, Sequence[Failure]]
) -> Update:
    """The new text of the file that had ``text`` and that ``known`` was read from.

    ``planned`` are all items that there are; ``judged`` has the failures of those that ran to a verdict. Entries for
    other items stay. Raises KnownFailuresError.
    """
    path = known.path or Path()
    if text and not is_toml(path, text):
        text = _converted(known)
    blocks, after = split(path, text)
    drafts = [
        _Draft((entry.rule, entry.signature or ""), block.before, block.text, total=len(entry.patterns))
        for entry, block in zip(known.entries, blocks, strict=True)
    ]
    if drafts:
        # What stands free above the first entry is about the whole file.
        top, drafts[0].before = drafts[0].before, ""
    else:
        top, after = after or _TOP, ""
    _remove_stale(known, drafts, planned, judged)
    drafts += _add_new(known, drafts, judged)
    return _put_together(top, drafts, after, known.today)


def _remove_stale(
    known: KnownFailures, drafts: list[_Draft], planned: Collection[str], judged: Mapping[str, Sequence[Failure]]
) -> None:
    items = Items(planned)
    verdicts = {plain_id(nodeid): [(one.rule, one.signature) for one in found] for nodeid, found in judged.items()}
    for entry, draft in zip(known.entries, drafts, strict=True):
        draft.remove = {pattern.text for pattern in known.stale_patterns(entry, items, verdicts)}


def _add_new(known: KnownFailures, drafts: list[_Draft], judged: Mapping[str, Sequence[Failure]]) -> Iterator[_Draft]:
    """Add each failure that no entry covers to the entry of its cause; the entries that are new."""
    homes = {}
    for entry, draft in zip(known.entries, drafts, strict=True):
        if entry.signature is not None and not entry.has_expired(known.today):
            homes.update({(rule, entry.signature): draft for rule in entry.ids})
    new: dict[tuple[str, str], _Draft] = {}
    for nodeid, failures in sorted(judged.items()):
        for one in failures:
            standing = known.standing(nodeid, one.rule, one.signature)
            if one.unstable or standing.kind in (Kind.KNOWN, Kind.EXPIRED):
                continue
            key = one.rule, one.signature
            draft = homes.get(key) or new.setdefault(key, _Draft(key, reason=_first_line(one.message)))
            draft.add.add(plain_id(nodeid))
    yield from new.values()


def _put_together(top: str, drafts: Sequence[_Draft], after: str, today: dt.date) -> Update:
    removed = [draft for draft in drafts if draft.goes]
    stay = sorted((draft for draft in drafts if not draft.goes), key=lambda draft: (draft.key, draft.text))
    added = sum(not draft.text for draft in stay)
    changed = sum(bool(draft.text and (draft.add or draft.remove)) for draft in stay)
    # What stands free above an entry that goes is about those that follow.
    loose = "".join(draft.before for draft in removed if draft.before.strip())
    parts = [top.rstrip("\n"), *(_block(draft, today) for draft in stay), (loose + after).strip("\n")]
    text = "\n\n".join(part for part in parts if part) + "\n"
    return Update(text, added, len(removed), changed, len(stay) - added - changed)


def _block(draft: _Draft, today: dt.date) -> str:
    text = edited(draft.text, draft.add, draft.remove) if draft.text else _new_block(draft, today)
    return f"{draft.before}{text}".strip("\n")


def _new_block(draft: _Draft, today: dt.date) -> str:
    import tomlkit

    rule, signature = draft.key
    table = tomlkit.table()
    table.update({"rule": rule, "signature": signature, "reason": draft.reason, "added": today})
    table["items"] = listed(draft.add)
    return _dumped(table)


def _converted(known: KnownFailures) -> str:
    """The entries of a file in the form of lines as TOML, in the same order."""
    import tomlkit

    blocks = []
    for entry in known.entries:
        table = tomlkit.table()
        table.update({"rule": entry.rule, "items": [entry.patterns[0].plain], "reason": entry.reason})
        if entry.patterns[0].is_wide:
            table["wide"] = True
        blocks.append(_dumped(table))
    return f"{_TOP}\n" + "\n".join(blocks)


def _dumped(table: Any) -> str:
    import tomlkit

    document = tomlkit.document()
    tables = tomlkit.aot()
    tables.append(table)
    document[KEY] = tables
    return tomlkit.dumps(document)


def _first_line(message: str) -> str:
    return next((line.strip() for line in message.splitlines() if line.strip()), "") or "no message"
