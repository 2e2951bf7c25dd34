"""The ideal clients build no request that their own format forbids, whatever kind of call a reply makes."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.checks.conversation.client import ClientHabit, UncontinuableError, continue_from_reply
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Case, Exchange, load_corpus
from toolcall_reference import ReferenceTranslator
from turns import share

CORPUS = load_corpus()
RESPONSES, CHAT, ANTHROPIC = "openai_responses", "openai_chat", "anthropic"
HABITS = (ClientHabit(), ClientHabit(echo=False), ClientHabit(swap=True))
Change = Callable[[dict[str, Any]], None]


def as_functions(reply: dict[str, Any]) -> None:
    """Each call of a built-in or custom tool as the call of a function."""
    for item in reply["output"]:
        kind = item.get("type", "")
        for key in {"input", "action", "actions", "operation"} & item.keys():
            if kind.endswith("_call") and "call_id" in item:
                arguments = item.pop(key)
                item["name"] = item.get("name") or kind.removesuffix("_call")
                item |= {
                    "type": "function_call",
                    "arguments": json.dumps(arguments if key != "input" else {key: arguments}),
                }
                item["id"] = f"fc_{item['id'].partition('_')[2]}"
                for rest in ("pending_safety_checks", "environment"):
                    item.pop(rest, None)


def as_free_text(reply: dict[str, Any]) -> None:
    """Each call of a function as one of a custom tool."""
    for item in reply["output"]:
        if item.get("type") == "function_call":
            item |= {"type": "custom_tool_call", "input": item.pop("arguments")}
            item["id"] = f"ctc_{item['id'].partition('_')[2]}"


def as_tool_calls(reply: dict[str, Any]) -> None:
    """A deprecated function_call as tool_calls."""
    for choice in reply["choices"]:
        old = choice["message"].pop("function_call", None)
        if old is not None:
            choice["message"]["tool_calls"] = [{"id": "call_1", "type": "function", "function": old}]
            choice["finish_reason"] = "tool_calls"


def as_function_call(reply: dict[str, Any]) -> None:
    """A lone call in tool_calls as the deprecated function_call."""
    for choice in reply["choices"]:
        calls = choice["message"].get("tool_calls") or []
        if len(calls) == 1 and "function" in calls[0]:
            del choice["message"]["tool_calls"]
            choice["message"]["function_call"] = calls[0]["function"]
            choice["finish_reason"] = "function_call"


def conversations(name: str, *families: str) -> Iterator[tuple[Case, tuple[Exchange, ...]]]:
    for case in CORPUS.cases.values():
        if name in case.formats and (not families or case.family in families):
            yield case, whole_exchanges(name, case.exchanges(name))


def broken_rules(name: str, body: dict[str, Any], reply: range = range(0)) -> set[str]:
    """The rules that a request breaks, but for those that it breaks in the entries of the ``reply``."""
    whose = tuple(f"/{formats.get(name).client.CONTAINER}/{index}/" for index in reply)
    findings = check_body(CORPUS, name, "request", body)
    return {finding.rule for finding in findings if finding.is_must and not f"{finding.pointer}/".startswith(whose)}


def faults(name: str, habit: ClientHabit, change: Change | None = None, *families: str) -> list[str]:
    """The rules that our client's requests break and the corpus's own do not; replies changed by ``change``."""
    messages = []
    client = formats.get(name).client
    told_of = [*conversations(name, *families)]
    # A change is rare. Without one each conversation is gone on with in one habit today, and in the others later.
    for case, exchanges in share(told_of, len(HABITS), HABITS.index(habit)) if change is None else told_of:
        for exchange, following in itertools.pairwise(exchanges):
            reply = copy.deepcopy(exchange.response)
            if change is not None:
                change(reply)
                if reply == exchange.response:
                    continue
            built = continue_from_reply(name, exchange.request, reply, following, habit)
            start = len(client.entries(exchange.request))
            positions = range(start, start + len(client.as_history(reply, echo=True)))
            new = broken_rules(name, built, positions) - broken_rules(name, following.request)
            messages += [f"{case.id} {following.request_path.stem} {rule}" for rule in sorted(new)]
    return messages


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize("habit", HABITS, ids=["plain", "stripping", "swapped"])
def test_what_follows_a_golden_reply_is_legal(name: str, habit: ClientHabit) -> None:
    assert faults(name, habit) == []


@pytest.mark.parametrize(
    ("name", "change", "families"),
    [
        (RESPONSES, as_functions, ("client_run", "free_form")),
        (RESPONSES, as_free_text, ()),
        (CHAT, as_tool_calls, ("legacy_functions",)),
        (CHAT, as_function_call, ("shell", "binary", "parallel")),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_follows_a_call_of_another_kind_is_legal(name: str, change: Change, families: tuple[str, ...]) -> None:
    assert faults(name, ClientHabit(), change, *families) == []


def answers(output: dict[str, Any], call: dict[str, Any]) -> dict[str, Any] | None:
    """An output of Responses for another call; None if the client has none."""
    output = {"call_id": "old", **output}
    return output if formats.get(RESPONSES).client.relink(output, call) else None


PICTURE = "data:image/png;base64,iVBORw0KGgo="
FUNCTION = {"type": "function_call", "call_id": "new", "name": "f", "arguments": "{}"}
TOLD = {"type": "function_call_output", "call_id": "new"}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            {"type": "computer_call_output", "output": {"type": "computer_screenshot", "image_url": PICTURE}},
            [{"type": "input_image", "image_url": PICTURE}],
        ),
        ({"type": "local_shell_call_output", "id": "old", "output": "98%"}, "98%"),
        ({"type": "apply_patch_call_output", "status": "failed", "output": "no such file"}, "no such file"),
        ({"type": "apply_patch_call_output", "status": "completed"}, ""),
        ({"type": "custom_tool_call_output", "output": [{"type": "input_text", "text": "1"}]},) * 2,
    ],
)
def test_any_output_can_be_the_result_of_a_function(output: dict[str, Any], expected: Any) -> None:
    expected = expected["output"] if isinstance(expected, dict) else expected
    assert answers(output, FUNCTION) == TOLD | {"output": expected}


def test_the_output_of_a_shell_is_its_text() -> None:
    printed = [{"stdout": "é", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]
    answer = answers({"type": "shell_call_output", "output": printed}, FUNCTION)
    assert answer is not None
    assert json.loads(answer["output"]) == printed
    assert "é" in answer["output"]


@pytest.mark.parametrize("kind", ["computer_call", "local_shell_call", "shell_call", "apply_patch_call"])
def test_the_result_of_a_function_is_no_output_of_a_built_in_tool(kind: str) -> None:
    output = {"type": "function_call_output", "output": "1"}
    assert answers(output, {"type": kind, "call_id": "new"}) is None


def test_the_older_name_of_the_id_follows() -> None:
    output = {"type": "local_shell_call_output", "id": "old", "output": "98%"}
    answer = answers(output, {"type": "local_shell_call", "call_id": "new"})
    assert answer == output | {"id": "new", "call_id": "new"}


def test_the_loop_ends_at_a_call_that_the_client_cannot_answer() -> None:
    exchanges = whole_exchanges(RESPONSES, CORPUS.cases["shell/seed"].exchanges(RESPONSES))
    reply = copy.deepcopy(exchanges[0].response)
    for item in reply["output"]:
        if item["type"] == "function_call":
            item |= {"type": "local_shell_call", "action": {"type": "exec", "command": ["ls"]}}
    with pytest.raises(UncontinuableError, match="cannot answer") as broken:
        continue_from_reply(RESPONSES, exchanges[0].request, reply, exchanges[1], ClientHabit())
    assert (broken.value.want, broken.value.got) == ("function", "builtin")


class CallsAsFunctions:
    """The reference, but for its replies: they have every call as one of a function."""

    def open(self, route: Route, /) -> CallsAsFunctions:
        self.inner = ReferenceTranslator().open(route)
        return self

    def request(self, body: dict[str, Any], /) -> Any:
        return self.inner.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        output = copy.deepcopy(self.inner.response(body))
        as_functions(output)
        return output


def play(case_id: str, upstream: str, variant: str) -> ItemResult:
    case = CORPUS.cases[case_id]
    route = Route(RESPONSES, upstream, case.model(RESPONSES), case.model(upstream))
    beside = case if variant == "interleaved" else None
    opened = PythonDriver(CallsAsFunctions(), "functions").open
    return CHECKS["agent_loop"](case, route, opened, HARNESS, variant, beside)


@pytest.mark.parametrize("upstream", [ANTHROPIC, CHAT, "gemini"])
@pytest.mark.parametrize("case", ["computer-browser", "local-shell", "shell", "apply-patch"])
def test_a_built_in_call_that_came_back_as_a_function_call_is_answered_as_one(case: str, upstream: str) -> None:
    result = play(f"client_run/{case}", upstream, "")
    assert result.verdict is Verdict.PASS, result.findings
