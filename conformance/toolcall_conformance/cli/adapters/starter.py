"""``toolcall-conformance new-adapter``: write a starter ``exec:`` adapter, which already runs."""

from __future__ import annotations

import argparse
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.drivers.protocol import PROTOCOL_TEXT, STARTERS


@dataclass(frozen=True, slots=True)
class _Language:
    """``preparation`` are the commands that prepare the adapter, ``command`` is the one that runs it, in its folder."""

    preparation: tuple[str, ...]
    command: str


_LANGUAGES = {
    "python": _Language((), "python adapter.py"),
    "typescript": _Language(("npm install",), "node --import tsx adapter.ts"),
    "go": _Language(("go build -o adapter .",), "./adapter"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", choices=sorted(_LANGUAGES), required=True, help="the language to write it in")
    parser.add_argument(
        "directory", nargs="?", metavar="DIRECTORY", type=Path, help="where to write it (default: toolcall-adapter)"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Write the files and print what to run next. Never overwrites one."""
    folder: Path = parsed.directory or Path("toolcall-adapter")
    sources = [path for path in sorted((STARTERS / parsed.language).iterdir()) if path.is_file()]
    conflicts = [path.name for path in sources if os.path.lexists(folder / path.name)]
    if conflicts:
        raise UsageError(f"{folder} already has {' and '.join(conflicts)}; nothing was written, name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for source in sources:
            with (folder / source.name).open("xb") as target:  # fails if the file has appeared meanwhile
                target.write(source.read_bytes())
    except OSError as error:
        raise UsageError(f"{folder} cannot be written ({error.strerror}); name another folder") from None
    language = _LANGUAGES[parsed.language]
    names = ", ".join(path.name for path in sources)
    steps = [f"cd {shlex.quote(str(folder))}"] if folder != Path() else []
    steps += [*language.preparation, f'pytest --toolcall-translator "exec:{language.command}" toolcall::shell']
    lines = [f"{folder}: {names}"]
    lines += ["It supports the four routes from a format to itself and reports the others as unsupported. Next:", ""]
    lines += [*(f"  {step}" for step in steps), ""]
    lines += [f"Then call your translator where adapter.* has `YOUR TRANSLATOR`. The protocol: {PROTOCOL_TEXT}"]
    for line in lines:
        say(line)
    return 0
