"""What differs between two states of ``corpus/verdicts/``, by verdict and member: ``python tests
doubles.diff OLD [NEW]``.

Each is a folder of verdicts, one file of it, or a revision that git knows; NEW is by default the working tree. Exits
with 1 if something differs, as ``diff`` does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deepdiff import DeepDiff

from doubles.catalogue import root
from toolcall_conformance.library.verdicts import Verdict, verdict_lines

Verdicts = Mapping[str, Verdict]
_MAX_LENGTH = 300
"""Characters of a line that tells a difference."""


def verdicts_in(place: str) -> Verdicts:
    """The verdicts of a folder, a file or a revision, by name. Raises ValueError for what is none of them."""
    path = Path(place)
    if path.is_dir():
        lines = [line for file in sorted(path.glob("*.jsonl")) for line in verdict_lines(file)]
        if not lines:
            raise ValueError(f"{place}: there is no *.jsonl in this folder")
    else:
        lines = verdict_lines(path) if path.is_file() else _verdict_files(place)
    verdicts = [json.loads(line) for line in lines]
    return {verdict["name"]: verdict for verdict in verdicts}


def _verdict_files(revision: str) -> list[bytes]:
    listed = _git("ls-tree", "--name-only", revision, "./")
    files = [name for name in listed.decode().splitlines() if name.endswith(".jsonl")]
    if not files:
        raise ValueError(f"{revision}: no folder, no file, and no revision whose corpus/verdicts/ has a *.jsonl")
    return [line for name in files for line in _git("show", f"{revision}:./{name}").splitlines()]


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", "-C", root(), *arguments], capture_output=True, check=False).stdout


def differences(old: Verdicts, new: Verdicts) -> Iterator[str]:
    """A line for each verdict that came, went or changed, and one for each difference in its members."""
    for name in sorted({*old, *new}):
        if name not in old:
            yield f"+ {name}: {new[name]['title']}"
        elif name not in new:
            yield f"- {name}: {old[name]['title']}"
        elif old[name] != new[name]:
            yield f"  {name}"
            yield from (f"      {line}" for line in _member_differences(old[name], new[name]))


def _member_differences(old: Verdict, new: Verdict) -> Iterator[str]:
    for key in dict.fromkeys((*old, *new)):
        if key not in old:
            yield f"{key}: new, {_short_json(new[key])}"
        elif key not in new:
            yield f"{key}: gone, was {_short_json(old[key])}"
        elif old[key] != new[key]:
            lines = str(DeepDiff(old[key], new[key]).pretty()).replace("root", key).splitlines()
            yield from (_shorten(line) for line in lines)


def _short_json(value: Any) -> str:
    return _shorten(json.dumps(value, ensure_ascii=False))


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 1]}…"


def main(places: Sequence[str]) -> int:
    """Print the differences."""
    if len(places) not in (1, 2):
        print("python tests doubles.diff OLD [NEW]: each a folder, a file or a revision", file=sys.stderr)
        return 2
    try:
        old, new = map(verdicts_in, (*places, str(root()))[:2])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    count = 0
    for line in differences(old, new):
        count += not line.startswith("      ")
        print(line)
    print(f"{count} of {len({*old, *new})} verdicts differ")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
