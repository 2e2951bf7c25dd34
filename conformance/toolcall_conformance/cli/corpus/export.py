"""``toolcall-conformance corpus``: write the corpus into another project, or check what was written."""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from toolcall_conformance import library
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.library import vendored

_MOST = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write the whole corpus with a manifest of its version and checksums. An earlier corpus is "
        "replaced if nothing was changed in it."
    )
    parser.add_argument("directory", metavar="DIRECTORY", type=Path, help="a new directory, or an earlier corpus")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if a file differs from the manifest"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Write or check, and print which corpus it is."""
    directory: Path = parsed.directory
    try:
        if parsed.check:
            return _check(directory)
        manifest = vendored.write(library.default_root(), directory)
    except vendored.VendoredError as error:
        raise UsageError(str(error)) from None
    say(_summary(directory, manifest))
    return 0


def _check(directory: Path) -> int:
    manifest = vendored.read(directory)
    differing = vendored.faults(directory, manifest)
    lines = list(islice(differing, _MOST))
    more = sum(1 for _ in differing)
    for line in [*lines, *([f"and {more} more"] if more else [])] or [_summary(directory, manifest)]:
        say(line)
    installed = vendored.manifest_of(library.default_root())
    if not lines and manifest.sha256 != installed.sha256:
        say(f"another corpus is installed, {installed.version}: `toolcall-conformance corpus {directory}` writes it")
    return 1 if lines else 0


def _summary(directory: Path, manifest: vendored.Manifest) -> str:
    return f"{directory}: corpus {manifest.version}, {pluralize(len(manifest.files), 'file')}, sha256 {manifest.sha256}"
