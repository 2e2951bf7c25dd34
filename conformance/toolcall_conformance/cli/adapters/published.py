"""``toolcall-conformance adapters``: published translators that can be judged as they are."""

from __future__ import annotations

import argparse
from pathlib import Path

from toolcall_conformance.adapters import catalogue, environment
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError, did_you_mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", help="the translator; without it, list all")
    parser.add_argument("directory", nargs="?", type=Path, help="a new directory for its environment")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """List all, describe one, or install one and print the command that judges it."""
    adapters = catalogue.adapters()
    if parsed.name is None:
        for adapter in adapters.values():
            pinned = "cannot be run" if adapter.cannot else f"{adapter.package} {adapter.version}"
            say(f"{adapter.name:<14}  {pinned:<28}  {adapter.what}")
        return 0
    if parsed.name not in adapters:
        raise UsageError(f"there is no adapter {parsed.name!r}{did_you_mean(parsed.name, adapters)}")
    adapter = adapters[parsed.name]
    if parsed.directory is None:
        _describe(adapter)
        return 0
    try:
        command = environment.make(adapter, parsed.directory)
    except environment.NotMadeError as error:
        raise UsageError(str(error)) from None
    for line in ("", f"{adapter.name} {adapter.version} is in {parsed.directory}. Judge it with", "", f"  {command}"):
        say(line)
    return 0


def _describe(adapter: catalogue.Adapter) -> None:
    for label, text in (
        ("name", adapter.name),
        ("what", adapter.what),
        ("kind", adapter.kind),
        ("version", f"{adapter.package} {adapter.version}"),
        ("see", adapter.url),
        ("routes", adapter.routes),
        ("mode", adapter.mode),
        ("note", adapter.note),
        ("cannot", adapter.cannot),
        ("spec", adapter.translator),
        ("again", f"toolcall-conformance adapters {adapter.name} DIRECTORY"),
    ):
        if text is not None:
            say(f"{label:<8}  {text}")
