"""What the scripted model says: a call, two calls at once, a call to an MCP server's tool, and a text at the end."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clients.marks_server import stamped
from clients.replies import Answer, Wish
from toolcall_conformance import formats

PROMPT = "Run the three shell commands and the stamp that you were told about, then say that you are done."
END = "Every mark was written: maple-71."
_SHELL = ("amber", 23), ("birch", 35), ("coral", 47)
_MOST_REQUESTS = 12


@dataclass(frozen=True)
class Step:
    """One turn of the model: its calls, each with what its result must hold."""

    name: str
    tool: str
    marks: tuple[tuple[str, str], ...]


def _echo(word: str, number: int) -> tuple[str, str]:
    # The mark stands in the result alone: the shell has to add.
    return f"echo {word}-$(({number - 3}+3))", f"{word}-{number}"


STEPS = (
    Step("a call", "shell", (_echo(*_SHELL[0]),)),
    Step("two parallel calls", "shell", (_echo(*_SHELL[1]), _echo(*_SHELL[2]))),
    Step("an MCP tool", "stamp", (("cedar", stamped("cedar")),)),
)


@dataclass
class Model:
    """Answers by what a request of the format ``upstream`` declares and already holds.

    ``shell`` names the client's shell tool and the arguments for a command (``{}`` in a value).
    """

    upstream: str
    shell: tuple[str, Mapping[str, Any]]
    skipped: set[str] = field(default_factory=set)
    _ids: Any = field(default_factory=lambda: itertools.count(1))
    _asked: int = 0

    def answer(self, body: Any) -> Answer:
        """The reply to a request."""
        number = next(self._ids)
        reading = formats.read(self.upstream, "request", body)
        tools = [tool.name for tool in reading.tools]
        if not self._declared(tools, "shell"):
            return Answer(f"{number:08d}", "Marks")  # a title, a summary: the clients ask for such things beside
        self._asked += 1
        done = len(reading.calls)
        if self._asked <= _MOST_REQUESTS:
            for step in STEPS:
                name = self._declared(tools, step.tool)
                if name is None:
                    self.skipped.add(step.name)
                elif done < len(step.marks):
                    wishes = (self._wish(name, step, given, number, at) for at, (given, _) in enumerate(step.marks))
                    return Answer(f"{number:08d}", f"Next: {step.name}.", tuple(wishes))
                else:
                    done -= len(step.marks)
        return Answer(f"{number:08d}", END)

    def _declared(self, tools: list[str], tool: str) -> str | None:
        wanted = self.shell[0] if tool == "shell" else tool
        exact = [name for name in tools if name == wanted]
        return next(iter(exact + [name for name in tools if tool == "stamp" and name.endswith(wanted)]), None)

    def _wish(self, name: str, step: Step, given: str, number: int, at: int) -> Wish:
        prefix = "toolu" if self.upstream == "anthropic" else "call"
        arguments = {"word": given}
        if step.tool == "shell":
            arguments = json.loads(json.dumps(dict(self.shell[1])).replace("{}", given))
        return Wish(f"{prefix}_{number:04d}{at}mark", name, arguments)
