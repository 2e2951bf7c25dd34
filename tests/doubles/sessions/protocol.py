"""A fault, and a habit, of a translator that is a process of its own and answers in lines."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any, ClassVar

import toolcall_conformance
import toolcall_reference
from doubles.loop import ANTHROPIC, CHAT, DoubledSession, broken, harmless
from toolcall_conformance.drivers.base import Driver
from toolcall_conformance.drivers.child.driver import ExecDriver

CASE = "shell/seed"
CHILD = Path(__file__).parents[1] / "child.py"
PACKAGES = [str(Path(package.__path__[0]).parent) for package in (toolcall_conformance, toolcall_reference)]


class InAChild(DoubledSession):
    """A session in a child process, which has a habit."""

    in_no_body: ClassVar[bool] = True
    habit: ClassVar[str]

    @classmethod
    def driver(cls, translator: Any, name: str) -> Driver:
        del translator, name
        command = shlex.join([sys.executable, str(CHILD), cls.habit, *PACKAGES])
        return ExecDriver(f"exec:{command}", directory=CHILD.parent)


@broken(rule="translation/protocol-error", case=CASE, client=CHAT, upstream=ANTHROPIC)
class AnswersInHalfALine(InAChild):
    """Answers a request with results in half a line."""

    habit = "half"


@harmless(case=CASE, client=CHAT, upstream=ANTHROPIC, beside="translation/protocol-error")
class PrintsBetweenAnswers(InAChild):
    """Prints lines between its answers that are none, and have a brace."""

    habit = "noise"
