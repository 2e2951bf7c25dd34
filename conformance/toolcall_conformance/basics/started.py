"""How a run was started: by pytest, or by ``toolcall-conformance run``. A command that is printed begins the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_NOT_READ: Final = ("addopts", "required_plugins", "filterwarnings")
"""Settings of pytest in an ini file that are about a project's own tests, and may name plugins and modules of it."""

ALONE: Final = (
    *("-p", "toolcall_conformance"),  # also where plugins are not loaded by themselves
    "--noconftest",
    "--assert=plain",  # there is no test function whose assertions could be rewritten
    *(word for name in _NOT_READ for word in ("-o", f"{name}=")),
)
"""The first arguments that ``toolcall-conformance run`` gives pytest: our items and nothing else of a project."""


def command(arguments: Sequence[object]) -> tuple[list[str], list[str]]:
    """The words that started a run whose pytest got these arguments: the command, and what the user wrote after it."""
    words = [str(each) for each in arguments]
    if tuple(words[: len(ALONE)]) == ALONE:
        return ["toolcall-conformance", "run"], words[len(ALONE) :]
    return ["pytest"], words
