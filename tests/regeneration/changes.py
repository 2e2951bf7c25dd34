"""What a regeneration changes: the files, the report on them, and how they come into the corpus."""

from __future__ import annotations

import contextlib
import difflib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from toolcall_conformance.basics import atomic_files
from toolcall_reference.render import TEMPORARY_PREFIX

#: Lines of a diff that are shown, and characters of a line.
LINES, WIDTH = 8, 150


@dataclass(frozen=True, slots=True)
class Change:
    """One file of a case: ``case`` is ``family/case``, ``key`` the path inside it, ``before`` None if it is new."""

    case: str
    key: str
    before: str | None
    after: str

    def diff(self) -> tuple[str, ...]:
        """The lines that go and come, or that the file is new; cut to a length that is read."""
        new = self.after.splitlines()
        if self.before is None:
            return (f"(new, {len(new)} lines)",)
        compared = difflib.unified_diff(self.before.splitlines(), new, n=0, lineterm="")
        # The first two lines name the files; where in a file a line stands is in `git diff`.
        lines = [line for number, line in enumerate(compared) if number > 1 and not line.startswith("@@")]
        if not lines:
            return ("(line ends only)",)
        excerpt = [line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines[:LINES]]
        return (*excerpt, *([f"… {len(lines) - LINES} more lines"] if len(lines) > LINES else []))


def find_changes(stage: Path, corpus: Path) -> list[Change]:
    """What the stage holds, against the corpus; in each case ``scenario.json``, which lists the others, comes first."""
    changes = []
    for path in (stage / "scenarios").glob("*/*/**/*"):
        if path.suffix not in (".json", ".sse"):
            continue
        inside = path.relative_to(stage / "scenarios")
        old = corpus / "scenarios" / inside
        changes.append(
            Change(
                case="/".join(inside.parts[:2]),
                key="/".join(inside.parts[2:]),
                before=old.read_bytes().decode() if old.is_file() else None,
                after=path.read_bytes().decode(),
            )
        )
    return sorted(changes, key=lambda change: (change.case, change.key != "scenario.json", change.key))


def diff_lines(changes: Iterable[Change]) -> Iterator[str]:
    """The files by what changes in them: files with the same diff are listed together above it."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for change in changes:
        groups.setdefault(change.diff(), []).append(f"{change.case}/{change.key}")
    for diff, files in groups.items():
        yield from files
        yield from (f"    {line}" for line in diff)


class PublishError(Exception):
    """A file could not be written; the message says which, why, and what became of those before it."""


def publish(changes: Iterable[Change], corpus: Path) -> None:
    """Replace each file as a whole. Raises PublishError where one cannot be written; those before it are put back."""
    changes = [*changes]
    places = {(corpus / "scenarios" / change.case / change.key).resolve(): change for change in changes}
    done: list[Path] = []
    try:
        _write(changes, corpus, done.append)
    except OSError as error:
        failed = places.get(Path(error.filename or ""))
        message = f"{f'{failed.case}/{failed.key}' if failed else corpus} cannot be written ({error.strerror})"
        stuck = [change for path in reversed(done) if not _restore(change := places[path], corpus)]
        if stuck:
            names = ", ".join(f"{change.case}/{change.key}" for change in stuck)
            raise PublishError(f"{message}, and these cannot be put back, restore them: {names}") from None
        raise PublishError(f"{message}; every file is as it was") from None


def _write(changes: Iterable[Change], corpus: Path, renamed: Callable[[Path], None]) -> None:
    """Write the files in one step each. Temporary ones are in the case's folder, where no reader of the corpus looks.

    ``remove_temporary_files`` deletes what a killed run left of them.
    """
    scenarios = (corpus / "scenarios").resolve()

    def temporary(path: Path) -> Path:
        return scenarios.joinpath(
            *path.relative_to(scenarios).parts[:2], f"{TEMPORARY_PREFIX}{os.getpid()}-{secrets.token_hex(8)}.tmp"
        )

    files = ((corpus / "scenarios" / change.case / change.key, change.after.encode()) for change in changes)
    atomic_files.write_all(files, temporary=temporary, on_renamed=renamed)


def _restore(change: Change, corpus: Path) -> bool:
    case = corpus / "scenarios" / change.case
    try:
        if change.before is not None:
            _write([replace(change, after=change.before)], corpus, lambda _: None)
        else:
            (case / change.key).unlink(missing_ok=True)
    except OSError:
        return False
    with contextlib.suppress(OSError):  # the folder holds something, or was never made
        (case / change.key).parent.rmdir()
    return True
