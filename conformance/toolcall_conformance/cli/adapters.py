"""``toolcall-conformance adapters``: published translators that can be judged as they are."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from toolcall_conformance.adapters import catalogue, environment
from toolcall_conformance.cli.common import UsageError, perhaps


def add_parser(commands: argparse._SubParsersAction[Any]) -> None:
    parser = commands.add_parser("adapters", help="published translators: list them, or make one's environment")
    parser.add_argument("name", nargs="?", help="the translator; without it, all are listed")
    parser.add_argument("directory", nargs="?", type=Path, help="a new directory for its environment")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """List, tell about one, or make an environment and print the command that judges the translator in it."""
    known = catalogue.adapters()
    if parsed.name is None:
        for adapter in known.values():
            pinned = "cannot be run" if adapter.cannot else f"{adapter.package} {adapter.version}"
            print(f"{adapter.name:<14}  {pinned:<28}  {adapter.what}")
        return 0
    if parsed.name not in known:
        raise UsageError(f"there is no adapter {parsed.name!r}{perhaps(parsed.name, known)}")
    adapter = known[parsed.name]
    if parsed.directory is None:
        _tell(adapter)
        return 0
    try:
        command = environment.make(adapter, parsed.directory)
    except environment.NotMadeError as error:
        raise UsageError(str(error)) from None
    print(f"\n{adapter.name} {adapter.version} is in {parsed.directory}. Judge it with\n\n  {command}")
    return 0


def _tell(adapter: catalogue.Adapter) -> None:
    for label, text in (
        ("name", adapter.name),
        ("what", adapter.what),
        ("kind", adapter.kind),
        ("version", f"{adapter.package} {adapter.version}"),
        ("see", adapter.url),
        ("routes", adapter.routes),
        ("note", adapter.note),
        ("cannot", adapter.cannot),
        ("spec", adapter.translator),
        ("again", f"toolcall-conformance adapters {adapter.name} DIRECTORY"),
    ):
        if text is not None:
            print(f"{label:<8}  {text}")
