"""A scenario of the corpus as a conversation in the intermediate form, for one format.

Shape: ``{"id", "models", "tools", "settings", "conversation", "ids", "names", "declare"}``. A turn is ``{"role",
"content"}``, optionally with ``name``, ``only`` (the formats that have it) and ``given`` (the client brought it);
an entry of its content is one of ``{"text"}``, ``{"call": {"key", "name", "arguments" or "input"}}``,
``{"result": {"call", "content", "error"?}}``, ``{"media": {"kind", "mime", "data", "url" or "file", "name"?}}``, and
``{"opaque": {format: [...]}}`` or ``{"hosted": {format: [...]}}`` for blocks that one provider alone understands. A
text or call may have a ``signature``, which is Gemini's.
"""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

from toolcall_reference.basics.jsontext import digest, dump, parse_object
from toolcall_reference.conversation import citations, results
from toolcall_reference.conversation.failures import Failure, client_headers
from toolcall_reference.conversation.intermediate import (
    Body,
    Citation,
    Conversation,
    Hosted,
    Item,
    Media,
    Opaque,
    Reply,
    ResponseFormat,
    Settings,
    Text,
    Tool,
    ToolChoice,
    Turn,
    UniversalToolCall,
    Usage,
)
from toolcall_reference.conversation.reasoning import Reasoning
from toolcall_reference.formats import Format

_STRUCTURED_SETTINGS = frozenset({"tool_choice", "response_format", "reasoning"})
# Settings of OpenAI's two formats only: Chat's name by the scenario's.
_OPENAI_SETTINGS = {
    "service_tier": "service_tier",
    "store": "store",
    "verbosity": "verbosity",
    "cache_key": "prompt_cache_key",
}


class ScenarioBuilder:
    """Builds the conversation of one scenario for one format.

    A call without an id in the scenario gets one in the provider's shape, and the first call of each step a signature
    if ``model`` signs calls.
    """

    def __init__(
        self, scenario: dict[str, Any], tools: dict[str, dict[str, Any]], wire_format: Format, model: str
    ) -> None:
        self._scenario = scenario
        self._format = wire_format.name
        self._provider = wire_format.provider
        self._model = model
        self._ids: dict[str, Any] = scenario.get("ids", {}).get(wire_format.name, {})
        self._names: dict[str, str] = scenario.get("names", {}).get(wire_format.name, {})
        self._calls: dict[str, UniversalToolCall] = {}
        self._batch = 0
        self.system: list[Text] = []
        self.turns: list[tuple[Turn, dict[str, Any]]] = []
        declared = scenario.get("tools_in", {}).get(wire_format.name, scenario.get("tools", []))
        self.tools = [_make_tool(tools[name], wire_format.name) for name in declared]
        # If only the search's result declares them, the encoder leaves them out of every request.
        loaded = "loaded-tools" in scenario.get("spell", {}).get(wire_format.name, ())
        found_tools = {} if loaded else scenario.get("found_tools", {})
        self._finder_by_tool = {self._wire_name(name): key for name, key in found_tools.items()}
        self.settings = _make_settings(scenario.get("settings", {}))
        self._separate_namespaces(self.tools)
        for tool in self.tools:
            tool.name = self._wire_name(tool.name)
        choice = self.settings.tool_choice
        if choice is not None and choice.names is not None:
            choice.names = [self._wire_name(name) for name in choice.names]
        for turn in scenario["conversation"]:
            if wire_format.name in turn.get("only", [wire_format.name]):
                self._add_turn(turn)

    def _add_turn(self, turn: dict[str, Any]) -> None:
        """Add a turn of the scenario; leading system turns become the system text."""
        role = turn["role"]
        self._batch += role == "assistant"
        items = [item for entry in turn["content"] for item in self._make_items(entry)]
        if not self._provider.cites_blocks:
            items = citations.merge_cited_neighbours(items)
        if role == "system" and not self.turns:
            self.system += [item for item in items if isinstance(item, Text)]
            return
        conversation_turn = Turn(role, items, turn.get("name"))
        if role == "assistant" and conversation_turn.calls and not conversation_turn.calls[0].raw_context:
            signature = self._provider.make_signature(self._model, self._scenario["id"], self._batch)
            conversation_turn.calls[0].raw_context = self._make_state({"signature": signature})
        self.turns.append((conversation_turn, turn))

    def _make_items(self, entry: dict[str, Any]) -> list[Item]:
        if "text" in entry:
            cited = [Citation(**citation) for citation in entry.get("citations", ())]
            return [Text(entry["text"], entry.get("refusal", False), self._make_state(entry), citations=cited)]
        if "call" in entry:
            return [self._make_call(entry["call"], self._make_state(entry["call"]))]
        if "result" in entry:
            return [self._make_result(entry["result"])]
        if "media" in entry:
            return [self._make_media(entry["media"])]
        for key, make in (("opaque", Opaque), ("hosted", Hosted)):
            if key in entry:
                blocks = copy.deepcopy(entry[key].get(self._format, []))
                items: list[Item] = [make(self._format, str(block.get("type", key)), block) for block in blocks]
                # Another provider's step still separates the texts around it.
                return items or ([Hosted("", key, {})] if key == "hosted" else [])
        raise ValueError(f"unknown entry in the conversation of {self._scenario['id']}: {sorted(entry)}")

    def _make_media(self, media: dict[str, Any]) -> Media:
        keys = {"kind", "mime", "data", "url", "name", "detail"}
        item = Media(**{key: value for key, value in media.items() if key in keys})
        item.file_id = media.get("file", {}).get(self._format)
        item.vendor = self._provider.file_vendor if item.file_id is not None else None
        return item

    def _separate_namespaces(self, tools: list[Tool]) -> None:
        """Keep the distinct names of tools that share a name within their namespaces."""
        counts = Counter(self._wire_name(tool.name) for tool in tools)
        for tool in tools:
            if tool.namespace is not None and counts[self._wire_name(tool.name)] > 1:
                tool.name_in_namespace = self._wire_name(tool.name)
        self._names = {name: wire for name, wire in self._names.items() if counts[wire] < 2}

    def _wire_name(self, name: str) -> str:
        """The tool's name in this format's bodies."""
        return self._names.get(name, name)

    def _make_state(self, signed: dict[str, Any]) -> dict[str, Any]:
        signature, key = signed.get("signature"), self._provider.signature_key
        if signature and "extra-content" in self._scenario.get("spell", {}).get(self._format, ()):
            owner, lent = self._provider.lent_signature
            return {owner: {lent: signature}}
        return {self._format: {key: signature}} if signature and key is not None else {}

    def _make_call(self, call: dict[str, Any], state: dict[str, Any]) -> UniversalToolCall:
        """A call with the scenario's id and raw text for this format, or with a generated id."""
        key = call["key"]
        given_id = self._ids.get(key)
        if key not in self._ids:
            given_id = self._provider.call_id(self._model, self._scenario["id"], key)
        item = UniversalToolCall(
            key,
            self._wire_name(call["name"]),
            copy.deepcopy(call.get("arguments", {})),
            given_id=given_id,
            batch=self._batch,
        )
        if "input" in call or isinstance(item.arguments, str):
            item.text = call.get("input", item.arguments)
            item.arguments, item.kind = {"input": item.text}, "custom"
        if self._format in call.get("spelt", ()):
            item.text = call["spelt"][self._format]
            item.readable = parse_object(item.text) is not None
        item.raw_context = state
        self._calls[key] = item
        return item

    def _make_result(self, result: dict[str, Any]) -> Item:
        call = self._calls[result["call"]]
        content = result.get("content", "")
        if isinstance(content, dict):
            whole = results.from_parts(call.id, call.name, [], is_error=result.get("error") is True, kind=call.kind)
            whole.result = copy.deepcopy(content) if self._provider.object_results else dump(content)
            return whole
        written: list[dict[str, Any]] = [{"text": content}] if isinstance(content, str) else content
        parts = [
            self._make_result_part(part) if "text" in part else self._make_media(part["media"]) for part in written
        ]
        return results.from_parts(call.id, call.name, parts, is_error=result.get("error") is True, kind=call.kind)

    def _make_result_part(self, part: dict[str, Any]) -> Text:
        """A text of a result, with the block that its own format has for it."""
        block = part.get("shown", {}).get(self._format)
        return Text(part["text"], raw_context={} if block is None else {self._format: copy.deepcopy(block)})

    def exchanges(self) -> list[tuple[Conversation, Reply | None]]:
        """The replies, each with the conversation before it; None as the last reply is the upstream error."""
        exchanges: list[tuple[Conversation, Reply | None]] = []
        for place, (turn, raw) in enumerate(self.turns):
            if turn.side == "assistant" and not raw.get("given"):
                exchanges.append((self._conversation_before(place), self._make_reply(turn, raw, len(exchanges) + 1)))
        if self._scenario.get("upstream_error", {}).get("exchange") == len(exchanges) + 1:
            exchanges.append((self._conversation_before(len(self.turns)), None))
        return exchanges

    def _conversation_before(self, place: int) -> Conversation:
        """The conversation before a turn, as a client sends it; empty call ids are replaced by generated ones."""
        turns = [turn for turn, _ in self.turns[:place]]
        answered = {
            entry["result"]["call"] for _, raw in self.turns[:place] for entry in raw["content"] if "result" in entry
        }
        tools = [tool for tool in self.tools if self._finder_by_tool.get(tool.name) in {None, *answered}]
        # Turns are built once and encoded often; encoders may merge them in place.
        conversation = Conversation.of(turns, system=self.system, tools=tools)
        conversation.settings = self.settings
        conversation_copy = copy.deepcopy(conversation)
        for call in conversation_copy.calls:
            if call.given_id == "":
                call.given_id = self._provider.call_id(self._model, self._scenario["id"], call.id) or ""
        return conversation_copy

    def _make_reply(self, turn: Turn, raw: dict[str, Any], number: int) -> Reply:
        usage = raw.get("usage", {"input": 60 + 40 * number, "output": 20 + 5 * number})
        return Reply(
            key=f"{self._scenario['id']}#{number}",
            items=copy.deepcopy(turn.items),
            finish=raw.get("finish", "tools" if turn.calls else "end"),
            stop_sequence=raw.get("stop_sequence"),
            usage=Usage(
                usage.get("input", 0),
                usage.get("output", 0),
                usage.get("cached", 0),
                usage.get("cache_write", 0),
                usage.get("reasoning", 0),
            ),
            created=1_763_700_000 + int(digest(self._scenario["id"], length=6), 16) + 7 * number,
        )


def _make_tool(tool: dict[str, Any], format_name: str) -> Tool:
    kind = tool.get("kind", "function")
    return Tool(
        tool["name"],
        tool.get("description"),
        copy.deepcopy(tool.get("parameters")),
        kind=kind,
        strict=tool.get("strict"),
        format=copy.deepcopy(tool.get("format")),
        own_declaration=copy.deepcopy(tool.get("own", {}).get(format_name)),
        namespace=tool.get("namespace"),
    )


def _make_settings(settings: dict[str, Any]) -> Settings:
    names = {name for name in Settings.__dataclass_fields__ if name not in _STRUCTURED_SETTINGS}
    unknown = settings.keys() - names - _STRUCTURED_SETTINGS - _OPENAI_SETTINGS.keys()
    if unknown:
        raise ValueError(f"unknown settings: {', '.join(sorted(unknown))}")
    settings_copy = Settings(**copy.deepcopy({key: value for key, value in settings.items() if key in names}))
    settings_copy.openai = {name: settings[key] for key, name in _OPENAI_SETTINGS.items() if key in settings}
    if "tool_choice" in settings:
        choice = settings["tool_choice"]
        settings_copy.tool_choice = ToolChoice(choice["mode"], choice.get("names"))
    if "response_format" in settings:
        settings_copy.response_format = ResponseFormat(**settings["response_format"])
    if "reasoning" in settings:
        settings_copy.reasoning = Reasoning(**settings["reasoning"])
    return settings_copy


#: Failure kind and status by a scenario's error kind; a format may have a status of its own for a kind.
_FAILURE_BY_KIND = {
    "invalid_request": ("invalid_request", 400),
    "unauthorized": ("unauthorized", 401),
    "invalid_key": ("unauthorized", 401),
    "rate_limit": ("rate_limit", 429),
    "server_error": ("server_error", 500),
    "overloaded": ("overloaded", 503),
}


def render_error(scenario: dict[str, Any], wire_format: Format) -> Body:
    """The upstream error of a scenario as its provider sends it: ``{"status", "headers", "body"}``."""
    error = scenario["upstream_error"]
    kind, status = _FAILURE_BY_KIND[error["kind"]]
    wait = error.get("retry_after")
    failure = Failure(kind, status, error["message"], None if wait is None else str(wait))
    status, body = wire_format.encode_error(failure)
    reply: Body = {"status": status, "headers": client_headers(failure), "body": body}
    return wire_format.provider.dress_error(reply, error["kind"], scenario["id"])
