"""What the reference does to tools by a policy: on every route, whole and streamed, there and back."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.reading import Call, Reading
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import Corpus
from toolcall_reference import Policy, PolicyError, ReferenceTranslator, Refused
from toolcall_reference import formats as reference_formats
from toolcall_reference.policy import KeyRenamer

NAMES = ("anthropic", "gemini", "openai_chat", "openai_responses")
ROUTES = [*itertools.product(NAMES, NAMES)]
NAME, NEW = "run_shell_command", "bash"
MAPPED = Policy(rename={NAME: NEW}, parameters={NAME: {"command": "cmd", "directory": "cwd"}})
GUIDANCE = "There is no apply_patch. Write files with run_shell_command."


def session(policy: Policy | None, client: str, upstream: str, *, stream: bool = False) -> Any:
    return ReferenceTranslator(policy).open(Route(client, upstream, "model-a", "model-b", stream))


def with_names(value: Any) -> Any:
    """A body of the provider, which calls the tool by the names that it was declared under."""
    text = json.dumps(value, ensure_ascii=False)
    for old, new in ((NAME, NEW), ("command", "cmd"), ("directory", "cwd")):
        text = text.replace(f'"{old}"', f'"{new}"').replace(f'\\"{old}\\"', f'\\"{new}\\"')
    return json.loads(text)


def names_and_arguments(calls: Sequence[Call]) -> list[tuple[str | None, Any]]:
    return [(call.name, call.arguments) for call in calls]


def read(name: str, direction: str, body: Any) -> Reading:
    return formats.read(name, direction, body)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_names_and_parameters_there_and_back(corpus: Corpus, client: str, upstream: str) -> None:
    case = corpus.cases["shell/seed"]
    plain, mine = session(None, client, upstream), session(MAPPED, client, upstream)
    for exchange, golden in zip(case.exchanges(client), case.exchanges(upstream), strict=True):
        sent, usual = mine.request(exchange.request), plain.request(exchange.request)
        reading, before = read(upstream, "request", sent), read(upstream, "request", usual)
        (tool,), (usual_tool,) = reading.tools, before.tools
        assert (tool.name, usual_tool.name) == (NEW, NAME)
        assert list(tool.schema["properties"])[:2] == ["cmd", "cwd"]
        assert tool.schema["required"] == with_names(usual_tool.schema["required"])
        assert names_and_arguments(reading.calls) == [(NEW, with_names(call.arguments)) for call in before.calls]
        assert with_names(usual) == sent, "and nothing else has changed"
        reply = mine.response(with_names(golden.response))
        assert names_and_arguments(read(client, "response", reply).calls) == names_and_arguments(
            read(upstream, "response", golden.response).calls
        )


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_streams_come_back_piece_by_piece(corpus: Corpus, client: str, upstream: str) -> None:
    case = corpus.cases["shell/seed"]
    exchange, golden = case.exchanges(client)[0], case.exchanges(upstream)[0]
    mine = session(MAPPED, client, upstream, stream=True)
    mine.request(exchange.request)
    stream = reference_formats.get(upstream).provider.render_stream(with_names(golden.response), "seed")
    output = b"".join(mine.stream(bytes([byte]) for byte in stream))
    assembled = formats.assemble(client, parse(output)).body
    want = names_and_arguments(read(upstream, "response", golden.response).calls)
    assert names_and_arguments(read(client, "response", assembled).calls) == want


def filtered_request(client: str) -> Any:
    """A request with a tool that is filtered and one that is not, the first of them forced."""
    source = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Use apply_patch for files. Not my_apply_patch, nor apply_patch2."},
            {"role": "user", "content": "Go on."},
        ],
        "tools": [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
            for name in ("apply_patch", NAME)
        ],
        "tool_choice": {"type": "function", "function": {"name": "apply_patch"}},
    }
    return session(None, "openai_chat", client).request(source)


FILTERS = Policy(
    filter=frozenset({"apply_patch"}),
    guidance={"apply_patch": GUIDANCE},
    clean_system={"apply_patch": r"run_shell_command\1"},
)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_filtered_tools_are_gone_and_spoken_of(client: str, upstream: str) -> None:
    body = filtered_request(client)
    reading = read(upstream, "request", session(FILTERS, client, upstream).request(body))
    assert [tool.name for tool in reading.tools] == [NAME]
    system_text = "\n".join(text.text for text in reading.system)
    assert system_text.startswith(r"Use run_shell_command\1 for files. Not my_apply_patch, nor apply_patch2.")
    assert system_text.endswith(GUIDANCE)
    choice = reading.settings.get("tool_choice")
    assert choice is None or choice.value in ({"mode": "auto"}, "auto"), choice


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_without_the_tool_nothing_is_said(corpus: Corpus, client: str, upstream: str) -> None:
    body = corpus.cases["shell/seed"].exchanges(client)[0].request
    assert session(FILTERS, client, upstream).request(body) == session(None, client, upstream).request(body)


def test_all_tools_gone() -> None:
    body = {
        "model": "m",
        "input": "Go on.",
        "tools": [{"type": "custom", "name": "apply_patch"}],
        "tool_choice": "required",
    }
    output = session(FILTERS, "openai_responses", "anthropic").request(body)
    assert "tools" not in output
    assert "tool_choice" not in output


@pytest.mark.parametrize("upstream", NAMES)
def test_a_call_that_does_not_fit_is_refused(corpus: Corpus, upstream: str) -> None:
    mine = session(Policy(validate=True), "anthropic", upstream)
    case = corpus.cases["shell/seed"]
    mine.request(case.exchanges("anthropic")[0].request)
    reply = case.exchanges(upstream)[0].response
    assert mine.response(reply)
    wrong = json.loads(json.dumps(reply).replace('"command"', '"comand"').replace('\\"command', '\\"comand'))
    with pytest.raises(
        Refused, match="run_shell_command does not fit its declared parameters: 'command' is a required"
    ):
        mine.response(wrong)


def test_two_tools_of_one_name_are_refused() -> None:
    tools = [{"name": name, "input_schema": {"type": "object"}} for name in (NAME, NEW)]
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    with pytest.raises(Refused, match="gives 'bash' the name 'bash', which 'run_shell_command' has, too"):
        session(MAPPED, "anthropic", "gemini").request(body)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_keys_are_renamed_in_pieces(size: int) -> None:
    text = '{"a\\u0062": {"ab": 1}, "x" : ["ab", {"ab": "\\\\"}], "ab": "}\\"ab\\"", "cd\\"": 1}'
    renamer = KeyRenamer({"ab": "long \u2192", 'cd"': "e"})
    output = "".join(renamer.feed(text[start : start + size]) for start in range(0, len(text), size))
    assert output == '{"long →": {"ab": 1}, "x" : ["ab", {"ab": "\\\\"}], "long →": "}\\"ab\\"", "e": 1}'


FILE = """
[filter]
tools = ["apply_patch", "update_plan"]
[guidance]
apply_patch = "Use shell."
[clean_system]
update_plan = "your head"
[rename]
cat = "read_file"
[parameters.cat]
path = "absolute_path"
[validate]
arguments = true
"""


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(FILE, encoding="utf-8")
    assert Policy.load(path) == Policy(
        filter=frozenset({"apply_patch", "update_plan"}),
        guidance={"apply_patch": "Use shell."},
        clean_system={"update_plan": "your head"},
        rename={"cat": "read_file"},
        parameters={"cat": {"path": "absolute_path"}},
        validate=True,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[filter\n", "Expected ']'"),
        ("[filters]\n", "there is no table 'filters'; there are filter, guidance"),
        ("[filter]\ntool = []\n", "filter has no key 'tool'; it has 'tools'"),
        ("[filter]\ntools = 'x'\n", "filter.tools is 'x'; make it a list of names"),
        ("rename = 1\n", 'rename is 1; write it as a table, such as [rename] with cat = "read_file"'),
        ("[rename]\ncat = 1\n", "rename.cat is 1; make it a text"),
        ("[parameters]\ncat = 1\n", "parameters.cat is 1; write it as a table"),
        ("[validate]\narguments = 1\n", "validate.arguments is 1; make it true or false"),
        ("[guidance]\na = 'x'\n", "guidance names 'a', which is not filtered; add it to the tools of [filter]"),
        ("[filter]\ntools = ['a']\n[rename]\na = 'b'\n", "'a' is filtered and mapped at once; take it out of one"),
        ("[rename]\na = 'c'\nb = 'c'\n", "rename gives the name 'c' twice, so there is no way back"),
        ("[parameters.t]\na = 'c'\nb = 'c'\n", "parameters.t gives the name 'c' twice"),
    ],
)
def test_a_file_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        Policy.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    with pytest.raises(PolicyError, match="No such file"):
        Policy.load(tmp_path / "nowhere.toml")
