"""Legal bodies of every format, made by chance of what real exchanges are made of, the odd corners above all.

A neutral conversation is drawn first, and is then written as one format has it, in one of the spellings that its API
takes. What a format's own rules refuse all the same is for the caller to leave out.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any

Body = dict[str, Any]

TEXTS = ("Hello.", "Two\nlines", "ß 東京 🦀", '{"a": 1}', "  padded  ", "Error: no such file", "[image]", "null")
EMPTY = ("", " ", "\n")
VALUES: tuple[Any, ...] = (
    1,
    0,
    -1.5,
    True,
    None,
    "",
    "x",
    [],
    {},
    [1, "a", None],
    {"k": {"k": []}},
    2**53 + 1,
    "ÿ\u2028",
)
ODD = ("[]", "null", '""', "", "[1]", '"x"', "5", '{"a": "Tok', "not json", '{"a": 1, "a": 2}', '{"n": 1e400}', "{ }")
NAMES = ("read_file", "get-weather", "a", "f" * 64)
SHAPE: Body = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMAS: tuple[Body, ...] = (
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1}, "e": {"type": "string", "enum": ["x", "y"]}},
    },
    {
        "type": "object",
        "properties": {"l": {"type": "array", "items": {"type": "string"}}},
        "additionalProperties": False,
    },
    {"type": "object", "properties": {"o": {"type": "object", "properties": {"k": {"type": "boolean"}}}}},
)
MODELS = {"anthropic": "claude-sonnet-4-5-20250929", "gemini": "gemini-2.5-flash"}


def model(name: str) -> str:
    return MODELS.get(name, "gpt-4.1-2025-04-14")


class BodyGenerator:
    """What is drawn for one body; ``maybe`` is a member that may be there."""

    def __init__(self, chance: Random, name: str) -> None:
        self.chance, self.name = chance, name
        self.tools = [(f"{name}"[:64], self.choose(SCHEMAS)) for name in chance.sample(NAMES, chance.randint(0, 3))]
        self.calls = 0

    def choose(self, of: Any) -> Any:
        return self.chance.choice(of)

    def odds(self, share: float = 0.3) -> bool:
        return self.chance.random() < share

    def maybe(self, **more: Any) -> Body:
        return {key: value for key, value in more.items() if self.odds()}

    def text(self) -> str:
        return str(self.choose(TEXTS))

    def arguments(self) -> Any:
        return {self.choose(("a", "path", "k", "")): self.choose(VALUES) for _ in range(self.chance.randint(0, 2))}

    def arguments_text(self) -> str:
        """Arguments as text: of an object mostly, in any spelling."""
        if self.odds(0.25):
            return str(self.choose(ODD))
        spelling = self.choose(({}, {"separators": (",", ":")}, {"indent": 2}, {"ensure_ascii": False}))
        return json.dumps(self.arguments(), **spelling)

    def call(self) -> tuple[str, str]:
        """The name and the id of a new call."""
        self.calls += 1
        number = self.calls
        ids_by_format = {
            "anthropic": f"toolu_{number:024}",
            "gemini": f"{number:08}",
            "openai_chat": self.choose((f"call_{number:024}", f"{number}")),
        }
        return self.choose(self.tools)[0], str(ids_by_format.get(self.name, f"call_{number:024}"))


# --- requests -------------------------------------------------------------------------------------------------------


def request(chance: Random, name: str) -> Body:
    """A request in a conversation of a few turns."""
    drawn = BodyGenerator(chance, name)
    turns: list[tuple[str, Any]] = []
    for _ in range(chance.randint(0, 2)):
        turns.append(("user", drawn.text()))
        if drawn.tools and drawn.odds(0.7):
            calls = [drawn.call() for _ in range(chance.randint(1, 3))]
            turns.append(("calls", (drawn.odds(), calls)))
            if drawn.odds(0.5):
                turns.append(("assistant", drawn.text()))
        else:
            turns.append(("assistant", drawn.text()))
    if not turns or turns[-1][0] == "assistant":
        turns.append(("user", drawn.text()))
    return {"anthropic": _anthropic, "gemini": _gemini, "openai_chat": _chat, "openai_responses": _responses}[name](
        drawn, turns
    )


def _choice(drawn: BodyGenerator, named: Any) -> Any:
    return named(drawn.choose(drawn.tools)[0])


def _anthropic(drawn: BodyGenerator, turns: list[tuple[str, Any]]) -> Body:
    def system_prompt(text: str) -> Any:
        return drawn.choose((text, [{"type": "text", "text": text}]))

    def image() -> Body:
        return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}

    messages: list[Body] = []
    for kind, content in turns:
        if kind == "calls":
            beside, calls = content
            blocks: list[Body] = [{"type": "text", "text": drawn.choose((*TEXTS, " "))}] if beside else []
            if drawn.odds(0.2):
                blocks.insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
            uses = [
                {"type": "tool_use", "id": call_id, "name": name, "input": drawn.arguments()} for name, call_id in calls
            ]
            messages.append({"role": "assistant", "content": [*blocks, *uses]})
            messages.append(
                {"role": "user", "content": [_anthropic_result(drawn, call_id, image) for _, call_id in calls]}
            )
        elif kind == "user" and drawn.odds(0.2):
            messages.append({"role": "user", "content": [image(), {"type": "text", "text": content}]})
        else:
            messages.append({"role": kind, "content": system_prompt(content)})
    body: Body = {"model": model("anthropic"), "max_tokens": drawn.choose((1, 1024, 64000)), "messages": messages}
    body |= drawn.maybe(
        system=system_prompt(drawn.text()), temperature=drawn.choose((0, 0.5, 1, 1.0)), metadata={"user_id": "u"}
    )
    body |= drawn.maybe(
        top_k=5, stop_sequences=drawn.choose(([], ["END"], list("abcdef"))), stream=drawn.choose((True, False))
    )
    if drawn.odds(0.2):
        body |= {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048}
        body = {key: value for key, value in body.items() if key not in ("temperature", "top_k")}
    if drawn.tools:
        body["tools"] = [
            {
                "name": name,
                "input_schema": schema,
                **drawn.maybe(description=drawn.choose(("Does it.", "")), type="custom"),
            }
            for name, schema in drawn.tools
        ]
        choices = ({"type": "auto"}, {"type": "any"}, {"type": "none"}, {"type": "tool", "name": drawn.tools[0][0]})
        body |= drawn.maybe(tool_choice=drawn.choose(choices))
    return body


def _anthropic_result(drawn: BodyGenerator, call_id: str, image: Any) -> Body:
    contents: tuple[Any, ...] = (
        drawn.text(),
        "",
        [],
        [{"type": "text", "text": drawn.text()}],
        [{"type": "text", "text": "A"}, image()],
    )
    result: Body = {"type": "tool_result", "tool_use_id": call_id}
    return (
        result
        | drawn.maybe(is_error=drawn.choose((True, False)))
        | ({"content": drawn.choose(contents)} if drawn.odds(0.9) else {})
    )


def _gemini(drawn: BodyGenerator, turns: list[tuple[str, Any]]) -> Body:
    contents: list[Body] = []
    with_ids = drawn.odds()
    for kind, content in turns:
        if kind == "calls":
            beside, calls = content
            parts: list[Body] = [{"text": drawn.text()}] if beside else []
            ids = [{"id": call_id} if with_ids else {} for _, call_id in calls]
            call_parts: list[Body] = [
                {
                    "functionCall": {
                        "name": name,
                        **id_member,
                        **({"args": drawn.arguments()} if drawn.odds(0.9) else {}),
                    }
                }
                for (name, _), id_member in zip(calls, ids, strict=True)
            ]
            if drawn.odds():
                call_parts[0]["thoughtSignature"] = "c2ln"
            contents.append({"role": "model", "parts": [*parts, *call_parts]})
            values: tuple[Body, ...] = (
                {"output": drawn.text()},
                {"result": drawn.choose(VALUES)},
                {},
                {"error": "no such file"},
            )
            answers = [
                {"functionResponse": {"name": name, **id_member, "response": drawn.choose(values)}}
                for (name, _), id_member in zip(calls, ids, strict=True)
            ]
            contents.append({"role": "user", "parts": answers})
        else:
            parts = [{"text": content}]
            if kind == "user" and drawn.odds(0.2):
                parts.append({"inlineData": {"mimeType": "image/png", "data": PNG}})
            contents.append({"role": "user" if kind == "user" else "model", "parts": parts})
    body: Body = {"contents": contents}
    body |= drawn.maybe(systemInstruction={"parts": [{"text": drawn.text()}]})
    settings = drawn.maybe(
        temperature=drawn.choose((0, 1.5, 2)),
        topP=0.9,
        topK=3,
        maxOutputTokens=drawn.choose((1, 900)),
        seed=7,
        stopSequences=["a", "b"],
    )
    settings |= drawn.maybe(thinkingConfig={"thinkingBudget": 512})
    body |= drawn.maybe(generationConfig=settings)
    if drawn.tools:
        declared = [
            {
                "name": name,
                "description": "Does it.",
                **({"parametersJsonSchema": schema} if schema["properties"] or drawn.odds() else {}),
            }
            for name, schema in drawn.tools
        ]
        body["tools"] = [{"functionDeclarations": declared}]
        modes: tuple[Body, ...] = ({"mode": "AUTO"}, {"mode": "ANY"}, {"mode": "NONE"})
        allowed = {"mode": "ANY", "allowedFunctionNames": [drawn.tools[0][0]]}
        body |= drawn.maybe(toolConfig={"functionCallingConfig": drawn.choose((*modes, allowed))})
    return body


def _chat(drawn: BodyGenerator, turns: list[tuple[str, Any]]) -> Body:
    def parts(text: str) -> Any:
        return drawn.choose((text, [{"type": "text", "text": text}]))

    messages: list[Body] = []
    if drawn.odds():
        messages.append({"role": drawn.choose(("system", "developer")), "content": parts(drawn.text())})
    for kind, turn in turns:
        if kind == "calls":
            beside, calls = turn
            content = {"content": drawn.text()} if beside else drawn.choose(({}, {"content": None}, {"content": ""}))
            tool_calls = [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": drawn.arguments_text()}}
                for name, call_id in calls
            ]
            messages.append({"role": "assistant", **content, "tool_calls": tool_calls})
            messages += [
                {"role": "tool", "tool_call_id": call_id, "content": drawn.choose((parts(drawn.text()), ""))}
                for _, call_id in calls
            ]
        elif kind == "user" and drawn.odds(0.2):
            image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
            messages.append({"role": "user", "content": [{"type": "text", "text": turn}, image]})
        else:
            messages.append({"role": kind, "content": parts(turn)})
    body: Body = {"model": model("openai_chat"), "messages": messages}
    body |= drawn.maybe(
        temperature=drawn.choose((0, 1, 2, 0.7)), top_p=0.5, max_completion_tokens=drawn.choose((1, 900)), seed=3
    )
    body |= drawn.maybe(
        stop=drawn.choose((None, "END", ["a", "b", "c", "d"])), user="u", stream=drawn.choose((True, False))
    )
    body |= drawn.maybe(frequency_penalty=drawn.choose((0, 1)), service_tier="auto", n=1, logprobs=False)
    shape = {"type": "json_schema", "json_schema": {"name": "n", "schema": SHAPE, "strict": True}}
    body |= drawn.maybe(response_format=drawn.choose(({"type": "text"}, {"type": "json_object"}, shape)))
    if drawn.odds(0.2):
        messages.append({"role": "user", "content": "More."})
    if drawn.odds(0.2):
        messages.insert(0, {"role": "system", "content": "A rule."})
    if drawn.tools:
        body["tools"] = [{"type": "function", "function": _function(drawn, *tool)} for tool in drawn.tools]
        named = {"type": "function", "function": {"name": drawn.tools[0][0]}}
        body |= drawn.maybe(
            tool_choice=drawn.choose(("auto", "none", "required", named)),
            parallel_tool_calls=drawn.choose((True, False)),
        )
    return body


def _function(drawn: BodyGenerator, name: str, schema: Body) -> Body:
    function: Body = {"name": name} | drawn.maybe(description=drawn.choose(("Does it.", "")), strict=False)
    if schema["properties"]:
        return function | {"parameters": schema}
    parameters: Body = drawn.choose(({}, {"parameters": None}, {"parameters": schema}))
    return function | parameters


def _responses(drawn: BodyGenerator, turns: list[tuple[str, Any]]) -> Body:
    items: list[Body] = []
    for kind, content in turns:
        if kind == "calls":
            beside, calls = content
            if beside:
                items.append({"role": "assistant", "content": drawn.text()})
            items += [
                {
                    "type": "function_call",
                    "call_id": call_id,
                    "name": name,
                    "arguments": drawn.arguments_text(),
                    **drawn.maybe(status="completed"),
                }
                for name, call_id in calls
            ]
            outputs = (drawn.text(), "", [{"type": "input_text", "text": drawn.text()}])
            items += [
                {"type": "function_call_output", "call_id": call_id, "output": drawn.choose(outputs)}
                for _, call_id in calls
            ]
        elif kind == "user" and drawn.odds():
            image = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"}
            items.append(
                {
                    "role": "user",
                    "content": [{"type": "input_text", "text": content}, *([image] if drawn.odds() else [])],
                }
            )
        else:
            items.append({"role": kind, "content": content, **drawn.maybe(type="message")})
    prompt: Any = (
        items[0]["content"] if len(items) == 1 and isinstance(items[0]["content"], str) and drawn.odds() else items
    )
    body: Body = {"model": model("openai_responses"), "input": prompt}
    body |= drawn.maybe(
        instructions=drawn.choose((drawn.text(), None)),
        temperature=drawn.choose((0, 1, 2)),
        max_output_tokens=drawn.choose((16, 900)),
    )
    body |= drawn.maybe(
        store=False,
        stream=drawn.choose((True, False)),
        metadata=drawn.choose(({}, {"k": "v"})),
        user="u",
        truncation="auto",
    )
    shape = {"type": "json_schema", "name": "n", "schema": SHAPE, "strict": True}
    body |= drawn.maybe(text={"format": drawn.choose(({"type": "text"}, {"type": "json_object"}, shape))})
    if drawn.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": name,
                "parameters": schema,
                "strict": drawn.choose((False, None)),
                **drawn.maybe(description="Does it."),
            }
            for name, schema in drawn.tools
        ]
        named = {"type": "function", "name": drawn.tools[0][0]}
        body |= drawn.maybe(
            tool_choice=drawn.choose(("auto", "none", "required", named)),
            parallel_tool_calls=drawn.choose((True, False)),
        )
    return body
