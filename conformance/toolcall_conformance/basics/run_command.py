"""The command that started a run, pytest or ``toolcall-conformance run``: a printed command begins the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_IGNORED_INI_SETTINGS: Final = ("addopts", "required_plugins", "filterwarnings")
"""Settings in pytest's ini file that are about a project's own tests, and may name its plugins and modules."""

RUN_ARGUMENTS: Final = (
    *("-p", "toolcall_conformance"),  # also where plugins are not loaded by themselves
    "--noconftest",
    "--assert=plain",  # there is no test function whose assertions could be rewritten
    *(word for name in _IGNORED_INI_SETTINGS for word in ("-o", f"{name}=")),
)
"""The first arguments that ``toolcall-conformance run`` gives pytest: our items and nothing else of a project."""


def command_words(arguments: Sequence[object]) -> tuple[list[str], list[str]]:
    """The command of a run whose pytest got these arguments, and the arguments that the user wrote after it."""
    words = [str(argument) for argument in arguments]
    if tuple(words[: len(RUN_ARGUMENTS)]) == RUN_ARGUMENTS:
        return ["toolcall-conformance", "run"], words[len(RUN_ARGUMENTS) :]
    return ["pytest"], words
