"""Names of tools in a conversation: renamed and not restored, restored wrongly, mixed up; and renamed without harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doubles import wire
from doubles.draft import Draft
from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless
from toolcall_conformance.basics.contract import Route

CLEANED = "mcp/names-cleaned-alike"
CUT = "mcp/names-cut-alike"
LIMIT = "mcp/names-at-limit"
SERVERS = "mcp/two-servers"
CHOICE, SUBSET = "mcp/choice-named", "mcp/choice-subset"


def named(format_name: str, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every object of a request or reply that has a tool's name: declarations, calls, Gemini's results."""
    draft = Draft(body, format_name)
    for handle in [*draft.calls, *draft.results, *wire.tools(format_name, body)]:
        if "name" in handle.inner:
            yield handle.inner


def chosen(format_name: str, body: dict[str, Any], names: dict[str, str]) -> None:
    """Rename the tools that a request's tool choice names, in place."""
    choice = body.get("tool_choice")
    if format_name == GEMINI:
        config = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
        if "allowedFunctionNames" in config:
            config["allowedFunctionNames"] = [names.get(name, name) for name in config["allowedFunctionNames"]]
    elif isinstance(choice, dict):
        for entry in [choice, *(choice.get("allowed_tools", choice).get("tools") or [])]:
            inner = entry.get("function", entry)
            if "name" in inner:
                inner["name"] = names.get(inner["name"], inner["name"])


class Renaming(DoubledSession):
    """Renames tools its own way. ``scheme`` makes the names; ``back`` restores them on a reply's calls."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.names: dict[str, str] = {}

    def declared(self) -> list[str]:
        """The client's own names."""
        return [tool.inner["name"] for tool in wire.tools(self.route.client, self.asked)]

    def scheme(self, names: list[str]) -> dict[str, str]:
        """The names for the provider, by the client's."""
        raise NotImplementedError

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        self.names = self.scheme(self.declared())
        original_names = {self.sent(name): name for name in self.declared()}
        new = {old: self.names.get(name, name) for old, name in original_names.items()}
        for entry in named(self.route.upstream, body):
            entry["name"] = new.get(entry["name"], entry["name"])
        chosen(self.route.upstream, body, new)
        return body

    def sent(self, name: str) -> str:
        """The name that the reference gave a tool of the client's."""
        return str(self.inner._names.target_name(name))

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        # The reference restores its own names: it gets a reply that calls tools by them.
        for entry in named(self.route.upstream, body):
            entry["name"] = self.sent(self.back(entry["name"]))
        return body

    def back(self, name: str) -> str:
        """The client's name of a tool that the provider calls."""
        return {new: old for old, new in self.names.items()}.get(name, name)


class NotRestoring(Renaming):
    """Cleans names, and gives the client the cleaned ones back."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: re.sub(r"[^a-zA-Z0-9_-]", "_", name) + f"_{place}" for place, name in enumerate(names)}

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, self.route.client).calls:
            call.name = self.names.get(call.name, call.name)
        return body


@broken(rule="translation/call-name", case=CLEANED, client=GEMINI, upstream=ANTHROPIC)
class NamesNotRestored(NotRestoring):
    """Cleans names that the provider does not take, and gives the client the cleaned ones."""


@broken(rule="translation/call-name", case=CLEANED, client=GEMINI, upstream=CHAT)
class NamesRestoredOnce(NotRestoring):
    """Forgets its map of names after the first reply: from the second on the client gets the cleaned names."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        first = not any(call for call in Draft(self.asked, self.route.client).calls)
        return body if first else super().after_response(body)


@broken("interleaved", rule="translation/call-name", case=CLEANED, client=GEMINI, upstream=RESPONSES)
class NamesOfTheLastToAsk(NotRestoring):
    """Keeps one map of names for all conversations: the last to ask has its names restored."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        body = super().after_request(body)
        self.shared["asked"] = id(self)
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        return body if self.shared["asked"] == id(self) else super().after_response(body)


@broken(rule="translation/call-name", case=CLEANED, client=GEMINI, upstream=ANTHROPIC)
class DotsForUnderscores(Renaming):
    """Writes dots as underscores, and underscores as dots on the way back, whichever they were."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: name.replace(".", "_").replace(":", "__") if "." in name else name for name in names}

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, self.route.upstream).calls:
            if "_" in call.name:
                call.name = self.sent("warehouse.query")
        return body


@broken(rule=("translation/call-name", "translation/loop-broken"), case=CUT, client=ANTHROPIC, upstream=CHAT)
class NamesCutAtTheLimit(Renaming):
    """Cuts names at the limit, so that three tools share one; the last one declared gets all calls."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: name[:64] for name in names}


@broken(rule="translation/call-name", case=CUT, client=RESPONSES, upstream=GEMINI)
class RestoredByBeginning(Renaming):
    """Restores a name by the first declared one that begins like it."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: f"{name[:60]}_{place}" for place, name in enumerate(names)}

    def back(self, name: str) -> str:
        return next(own for own in self.declared() if own.startswith(name[:60]))


@broken(rule="translation/call-name", case=SERVERS, client=RESPONSES, upstream=GEMINI)
class ServersDropped(Renaming):
    """Drops the server from names, numbers what clashes, and restores the first server that has such a tool."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        short = [name.rsplit("__", 1)[-1] for name in names]
        return {
            name: f"{tool}_{short[:place].count(tool)}"
            for place, (name, tool) in enumerate(zip(names, short, strict=True))
        }

    def back(self, name: str) -> str:
        tool = name.rsplit("_", 1)[0]
        return next(own for own in self.declared() if own.endswith(f"__{tool}"))


@broken(rule="translation/call-name", case=SERVERS, client=CHAT, upstream=ANTHROPIC)
class RestoredByPrefix(Renaming):
    """Marks tools with a suffix, and restores the first one that the called name begins with."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: f"{name}_x" for name in names}

    def back(self, name: str) -> str:
        return next(own for own in self.declared() if name.startswith(own))


class HistoryForgotten(Renaming):
    """Renames the declarations, and forgets the calls and results of the history."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: f"t{place}_{re.sub(r'[^a-zA-Z0-9_-]', '-', name)}"[:64] for place, name in enumerate(names)}

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        before = [entry["name"] for entry in named(self.route.upstream, body)]
        body = super().after_request(body)
        tools = list(wire.tools(self.route.upstream, body))
        for entry, name in zip(list(named(self.route.upstream, body)), before, strict=True):
            if not any(entry is tool.inner for tool in tools):
                entry["name"] = name
        return body


@broken(rule="translation/call-name", case=LIMIT, client=ANTHROPIC, upstream=CHAT)
class HistoryNotRenamed(HistoryForgotten):
    """Renames tools where they are declared and not in the history, which names tools that nobody declared."""


@broken(rule=("translation/call-name", "gemini/result-names-call"), case=LIMIT, client=ANTHROPIC, upstream=GEMINI)
class ResultsNotRenamed(Renaming):
    """Renames tools, and leaves the old names on the results that name them."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: f"t{place}" for place, name in enumerate(names)}

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        before = [result.inner["name"] for result in Draft(body, GEMINI).results]
        body = super().after_request(body)
        for result, name in zip(Draft(body, GEMINI).results, before, strict=True):
            result.inner["name"] = name
        return body


class ByNumber(Renaming):
    """Numbers the tools that the provider does not take as they are called."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: f"tool_{place}" for place, name in enumerate(names) if self.sent(name) != name}


@harmless(CLEANED, GEMINI, ANTHROPIC, beside=("translation/tool-names-injective", "translation/call-name"))
class NumbersIllegalNames(ByNumber):
    """Numbers the tools whose names the provider does not take."""


@harmless(SUBSET, ANTHROPIC, CHAT, beside=("openai_chat/tool-choice-allowed", "translation/tool-names-injective"))
class NumbersLongNames(ByNumber):
    """Numbers the tools whose names are too long, in the list of allowed ones too."""


@harmless(SERVERS, CHAT, GEMINI, warns="translation/tool-name-kept")
class PrefixesEveryTool(Renaming):
    """Puts a prefix before every tool's name, and takes it off again."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: f"proxy_{name}" for name in names}


@harmless(CHOICE, GEMINI, RESPONSES)
class SpellsOutWhatIsIllegal(Renaming):
    """Writes the code of each character that the provider does not take, and reads it back."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        return {name: re.sub(r"[^a-zA-Z0-9_-]", lambda match: f"-x{ord(match[0]):02x}-", name) for name in names}

    def back(self, name: str) -> str:
        return re.sub(r"-x([0-9a-f]{2})-", lambda match: chr(int(match[1], 16)), name)


@harmless(CLEANED, GEMINI, CHAT, warns="translation/tool-name-kept", beside="translation/tool-names-injective")
class CleansAndNumbers(Renaming):
    """Cleans names in their order and numbers what is taken: a legal name may go to another tool."""

    def scheme(self, names: list[str]) -> dict[str, str]:
        clean = [re.sub(r"[^a-zA-Z0-9_-]", "_", name) for name in names]
        counts = [clean[:place].count(name) for place, name in enumerate(clean)]
        return {
            name: short + (f"_{count + 1}" if count else "")
            for name, short, count in zip(names, clean, counts, strict=True)
        }
