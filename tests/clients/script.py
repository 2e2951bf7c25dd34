"""What the scripted model says: a call, two calls at once, a call to an MCP server's tool, and a text at the end."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clients.marks_server import stamped
from clients.replies import Answer, Wish
from toolcall_conformance import formats

PROMPT = "Run the three shell commands and the stamp that you were told about, then say that you are done."
END = "Every mark was written: maple-71."
_SHELL = ("amber", 23), ("birch", 35), ("coral", 47)
_SEARCH = "ToolSearch"
"""A client's tool that declares others: https://code.claude.com/docs/en/mcp#scale-with-mcp-tool-search"""
_MAX_REQUESTS = 12


@dataclass(frozen=True)
class Step:
    """One turn of the model: its calls, each with what its result must hold."""

    name: str
    tool: str
    marks: tuple[tuple[str, str], ...]


def _echo(word: str, number: int) -> tuple[str, str]:
    # The mark stands in the result alone: the shell has to write the number in decimal. Some clients run no command
    # with a substitution in it.
    return f"printf '%s-%d' {word} {number:#x}", f"{word}-{number}"


STEPS = (
    Step("a call", "shell", (_echo(*_SHELL[0]),)),
    Step("two parallel calls", "shell", (_echo(*_SHELL[1]), _echo(*_SHELL[2]))),
    Step("an MCP tool", "stamp", (("cedar", stamped("cedar")),)),
)


@dataclass
class Model:
    """Answers by what a request of the format ``upstream`` declares and already holds.

    ``shell`` names the client's shell tool and the arguments for a command (``{}`` in its place).
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
        tools = [str(tool.name) for tool in reading.tools]
        if not self._declared(tools, "shell"):
            return self._say(number, "Marks", [])  # a title, a summary: the clients ask for such things beside
        self._asked += 1
        searched = sum(call.name == _SEARCH for call in reading.calls)
        done = len(reading.calls) - searched
        if self._asked <= _MAX_REQUESTS:
            for step in STEPS:
                name = self._declared(tools, step.tool)
                if name is None and _SEARCH in tools and not searched:
                    query = {"query": "select:mcp__marks__stamp", "max_results": 1}
                    return self._say(number, "Next: a search.", [self._wish(number, 0, _SEARCH, query)])
                if name is None:
                    self.skipped.add(step.name)
                elif done < len(step.marks):
                    wishes = [
                        self._wish(number, at, name, self._arguments(step, word))
                        for at, (word, _) in enumerate(step.marks)
                    ]
                    return self._say(number, f"Next: {step.name}.", wishes)
                else:
                    done -= len(step.marks)
        return self._say(number, END, [])

    @staticmethod
    def _say(number: int, text: str, wishes: list[Wish]) -> Answer:
        return Answer(f"{number:08d}", text, tuple(wishes))

    def _declared(self, tools: list[str], tool: str) -> str | None:
        """The name under which a tool is declared; an MCP server's tool has the server's before its own."""
        if tool == "shell":
            return self.shell[0] if self.shell[0] in tools else None
        return next((name for name in tools if name.endswith(tool)), None)

    def _arguments(self, step: Step, word: str) -> dict[str, Any]:
        if step.tool != "shell":
            return {"word": word}
        return {key: word if value == "{}" else value for key, value in self.shell[1].items()}

    def _wish(self, number: int, at: int, name: str, arguments: dict[str, Any]) -> Wish:
        prefix = "toolu" if self.upstream == "anthropic" else "call"
        return Wish(f"{prefix}_{number:04d}{at}mark", name, arguments)
