"""The known failures at the end of a run: finds stale entries, and updates the file."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.basics.known_secrets import redact_secrets
from toolcall_conformance.engine.run import Run, without_rule
from toolcall_conformance.engine.settings import relative
from toolcall_conformance.recording.cassettes.cases import FAMILY
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.known_failures import (
    FailingFinding,
    ItemPattern,
    KnownFailuresError,
    RuleNames,
    load,
    update,
)
from toolcall_conformance.reports.known_failures.reader import read_text
from toolcall_conformance.trust.fuzz.cases import FAMILY as DRAWN

LOCK_SECONDS = 10.0
"""How long a run waits for another run that writes a file of the same folder, which takes milliseconds."""


def failures_by_item(records: Iterable[ItemRecord]) -> Mapping[str, list[FailingFinding]]:
    """The failing findings of each item that has a verdict, by node id."""
    return {
        record.nodeid: [
            FailingFinding(
                finding["rule"], without_rule(finding["signature"]), finding["message"], unstable="unstable" in finding
            )
            for finding in record.findings
            if "standing" in finding  # it fails the item
        ]
        for record in records
        if record.is_judged
    }


def stale_sentences(run: Run, records: Iterable[ItemRecord]) -> list[str]:
    """A sentence for each entry that matches no failure any more, or names no item."""
    if not run.known_failures.entries or run.settings.known_failures_update:
        return []
    verdicts = {
        nodeid: [(failure.rule, failure.signature) for failure in failures]
        for nodeid, failures in failures_by_item(records).items()
    }
    return [
        entry.sentence for entry in run.known_failures.find_stale(_nameable_items(run), verdicts, _outside_run(run))
    ]


def _nameable_items(run: Run) -> frozenset[str]:
    """The node ids that entries may name. Only patterns need the cases that were not selected."""
    parts = (part for entry in run.known_failures.entries for pattern in entry.patterns for part in pattern.parts)
    if all(part.is_one_item for part in parts):
        return run.existing_nodeids(run.selection.selects)
    return run.existing_nodeids(lambda _case: True)


def _outside_run(run: Run) -> Callable[[ItemPattern], bool]:
    """A test for patterns outside this run: recordings that it lacks, or an item of a case that was not selected."""

    def is_outside(pattern: ItemPattern) -> bool:
        case = pattern.plain_text.partition("::")[0]
        if pattern.family == FAMILY:
            return run.cassettes is None
        if pattern.family == DRAWN:
            return run.settings.fuzz is None
        return pattern.is_one_item and case in run.corpus.cases and not run.selection.selects(case)

    return is_outside


def update_file(run: Run, records: Iterable[ItemRecord]) -> str:
    """Update the file of known failures; returns a sentence about its content. Raises KnownFailuresError."""
    path = run.known_failures.path
    assert path is not None  # the settings demand one
    text = run.known_failures.text
    # A pattern for a whole family is compared with all items that exist.
    changes = update(
        run.known_failures, text, run.existing_nodeids(lambda _case: True), failures_by_item(records), _outside_run(run)
    )
    with _folder_lock(path) as is_locked:
        changed = "has changed since this run began" if (read_text(path) if path.exists() else "") != text else ""
        if why := changed or ("" if is_locked else "is locked by another process (its folder, with flock)"):
            side_path = path.with_name(f"{path.stem}.update{path.suffix}")
            _write(side_path, changes.text)
            raise KnownFailuresError(
                f"{path} {why}, and stays unchanged; {side_path} has what the run would have written: compare the two, "
                "or run again"
            )
        if changes.text != text:
            _write(path, changes.text)
    load(path, RuleNames(run.corpus.rules, run.corpus.retired))
    return f"{relative(path, run.settings.directory)} has {changes}{_conversion_notice(path, text)}"


@contextlib.contextmanager
def _folder_lock(path: Path) -> Iterator[bool]:
    """Lock the folder of a file against other runs that write there; yields False if one does not end.

    Yields True without a lock where the system has none.
    """
    try:
        import fcntl
    except ImportError:
        yield True
        return
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    end = time.monotonic() + LOCK_SECONDS
    locked = False
    try:
        while not locked and time.monotonic() < end:
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                locked = True
            except BlockingIOError:
                time.sleep(0.05)
            except OSError:  # some network disks have no locks
                locked = True
        yield locked
    finally:
        os.close(folder)


def _conversion_notice(path: Path, before: str) -> str:
    if not before.strip() or path.suffix == ".toml" or "[[known]]" in before:
        return ""
    return "; it was a list of lines and is TOML now, so a name that ends in .toml suits it"


def _write(path: Path, text: str) -> None:
    try:
        atomic_files.write(path, redact_secrets(text))
    except OSError as error:
        raise KnownFailuresError(f"{path}: not written: {error.strerror or error}; the earlier file stays") from None
