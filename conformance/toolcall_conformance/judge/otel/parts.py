"""Compares GenAI messages by rules in addition to those of translation: ids, roles, reasons, steps, places."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, one_of
from toolcall_conformance.basics.jsonvalue import join, resolve
from toolcall_conformance.basics.reading import Hosted, Reading, Reasoning, Tool
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.otel.reading import Messages, plain_name
from toolcall_conformance.judge.translation.pair import Pair, describe_call
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

_RESULT_PART = "tool_call_response"


def compare_call_ids(pair: Pair) -> Iterator[Finding]:
    """Calls have the ids that their provider gave them."""
    for left, right in sorted(pair.call_pairs.items()):
        before, after = pair.source.calls[left], pair.output.calls[right]
        if before.id and after.id != before.id:
            yield pair.finding(
                "otel/call-id",
                after.id_pointer or after.pointer,
                want=before.id,
                got=MISSING if after.id is None else after.id,
                source=before.id_pointer,
                subject=describe_call(before),
            )


def compare_arguments_form(corpus: Corpus, after: Messages) -> Iterator[Finding]:
    """Arguments are recorded as the object that they are."""
    for pointer in after.text_arguments:
        call = next(call for call in after.reading.calls if call.arguments_pointer == pointer)
        if isinstance(call.arguments, dict):
            got = resolve(after.reading.body, pointer)
            yield make_finding(corpus, "otel/arguments-object", pointer, want=call.arguments, got=got)


def compare_roles(corpus: Corpus, after: Messages) -> Iterator[Finding]:
    """The model's messages have the role of the assistant; results that of the tool, or of the user as in the API."""
    for pointer, role, kinds in after.roles:
        by_model = after.reading.direction == "response" or "tool_call" in kinds
        roles: Sequence[str] = corpus.otel["roles"][
            "model" if by_model else "result" if _RESULT_PART in kinds else "any"
        ]
        if role not in roles:
            yield make_finding(corpus, "otel/role", join(pointer, "role"), want=one_of(roles), got=role)


def compare_finish(corpus: Corpus, before: Reading, messages: Sequence[Any]) -> Iterator[Finding]:
    """A finish reason is a word of the vocabulary; it may be absent, since the span has it, too.

    If the API itself does not say that calls ended the reply, a plain end is right as well.
    """
    got = messages[0].get("finish_reason") if messages else None
    if got is None or before.finish is None:
        return
    reasons: Sequence[str] = corpus.otel["finish"].get(before.finish.reason, ())
    if str(before.finish.raw).lower() in corpus.otel["plain_ends"]:
        reasons = [*reasons, *corpus.otel["finish"]["end"]]
    if reasons and got not in reasons:
        yield make_finding(
            corpus, "otel/finish-reason", "/output_messages/0/finish_reason", want=one_of(reasons), got=got
        )


def choices_of(corpus: Corpus, reply: Any) -> int:
    """The number of choices of a reply: one if its API does not list them."""
    lists = corpus.otel["answer_lists"]
    listed = [reply[key] for key in lists if isinstance(reply, dict) and isinstance(reply.get(key), list)]
    return max((len(choices) for choices in listed), default=1)


def compare_choices(corpus: Corpus, choices: int, messages: Sequence[Any]) -> Iterator[Finding]:
    """Each choice of a reply is one message; a reply that was held back may have none."""
    if len(messages) > max(choices, 1) or (messages and len(messages) < choices):
        yield make_finding(corpus, "otel/message-per-choice", "/output_messages", want=choices, got=len(messages))


def compare_steps(corpus: Corpus, before: Reading, after: Messages, hosted_ids: Collection[str]) -> Iterator[Finding]:
    """The findings on steps of the provider's own: each is reported as one, its result by the id of ``hosted_ids``."""
    named = {stored.pointer for stored in before.stored}  # references: the item is not in the body
    items = (item for turn in before.turns for item in turn.items if isinstance(item, Hosted))
    steps = {item.id or item.pointer: item for item in items if item.pointer not in named}
    ids = {step.id for step in after.steps if step.id}
    unnamed = sum(step.id is None for step in after.steps)
    for item in steps.values():
        if item.id in ids or (isinstance(item.value, dict) and item.value.get("id") in ids):
            continue
        if not unnamed:
            subject = f"step {item.name or item.type}"
            yield make_finding(corpus, "otel/server-step-lost", "", got=MISSING, source=item.pointer, subject=subject)
        unnamed -= bool(unnamed)
    calls = {*hosted_ids, *(step.id for step in after.steps if step.id and not step.is_answer)}
    for step in after.steps:
        if not step.is_server_step:
            yield make_finding(corpus, "otel/server-step-as-client-call", step.pointer)
        elif step.is_answer and step.id is not None and step.id not in calls:
            where = join(step.pointer, "id")
            yield make_finding(corpus, "otel/server-step-linked", where, want=one_of(sorted(calls)), got=step.id)


def compare_thoughts(corpus: Corpus, before: Reading, after: Messages) -> Iterator[Finding]:
    """Reasoning that a person can read is a part of its own."""
    text = squeeze("\n".join(thought.text for thought in after.thoughts))
    for turn in before.turns:
        for item in turn.items:
            if isinstance(item, Reasoning) and item.text.strip() and squeeze(item.text) not in text:
                yield make_finding(corpus, "otel/reasoning-lost", "", want=item.text, got=MISSING, source=item.pointer)


def compare_tools(corpus: Corpus, before: Reading, definitions: Sequence[Any]) -> Iterator[Finding]:
    """If tools are recorded at all, each of the request's is, and no other."""
    if not definitions:
        return
    names = {plain_name(definition[key]) for definition in definitions for key in ("name", "type")}
    for tool in before.tools:
        if not _tool_names(tool) & names:
            subject = f"tool {tool.name or tool.type}"
            yield make_finding(
                corpus, "otel/tool-lost", "/tool_definitions", got=MISSING, source=tool.pointer, subject=subject
            )
    request_names = {name for tool in before.tools for name in _tool_names(tool)}
    for place, definition in enumerate(definitions):
        if not {plain_name(definition["name"]), plain_name(definition["type"])} & request_names:
            yield make_finding(
                corpus, "otel/tool-invented", join("/tool_definitions", place), want=MISSING, got=definition["name"]
            )


def _tool_names(tool: Tool) -> set[str]:
    """The names by which a definition may name a tool: alone, by its namespace, or by both."""
    both = f"{tool.namespace}{tool.name}" if tool.namespace and tool.name else None
    return {plain_name(name) for name in (tool.name, tool.type, tool.namespace, both) if name}


def compare_places(corpus: Corpus, container: str, before: Reading, output: dict[str, Any]) -> Iterator[Finding]:
    """Instructions that the API takes apart from the messages are recorded apart from them."""
    apart = [text for text in before.system if not text.pointer.startswith(f"/{container}")]
    within = {
        squeeze(str(part.get("content"))): join("/input_messages", place, "parts", number)
        for place, message in enumerate(output["input_messages"])
        for number, part in enumerate(message["parts"])
        if message["role"] in corpus.otel["roles"]["system"]
    }
    for text in apart:
        if squeeze(text.text) in within:
            where = within[squeeze(text.text)]
            yield make_finding(
                corpus, "otel/instructions-apart", where, want=MISSING, got=text.text, source=text.pointer
            )
