"""With a policy the law demands just what it says: the reference passes under it, and a translator with another policy
fails.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks import CHECKS, Harness, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge import Judge, PoliciedJudge
from toolcall_conformance.judge.policy import Policy, PolicyError, apply_policy, load_policy, undo_policy
from toolcall_conformance.library import Corpus
from toolcall_reference import Policy as ReferencePolicy
from toolcall_reference import ReferenceTranslator
from turns import share

CASES = ("policy/filtered", "policy/renamed", "policy/together")
NAMES = ("anthropic", "gemini", "openai_chat", "openai_responses")


def policies(corpus: Corpus) -> dict[str, Policy]:
    return {path.stem: load_policy(corpus, path) for path in sorted((corpus.root / "policies").glob("*.json"))}


def play_items(
    corpus: Corpus,
    policy: Policy,
    translator: Any,
    *,
    cases: tuple[str, ...] = CASES,
    routes: tuple[tuple[str, str], ...] = (("openai_responses", "anthropic"), ("anthropic", "gemini")),
    checks: tuple[str, ...] = ("request", "response", "stream", "agent_loop"),
) -> Iterator[tuple[str, Any]]:
    """The result of each item, by its check."""
    harness = Harness(PoliciedJudge(corpus, policy=policy))
    driver = PythonDriver(translator, "mine", transports=lambda: corpus.transports)
    for case in (corpus.cases[name] for name in cases):
        for client, upstream in routes:
            for check in checks:
                for variant in variants(corpus, check, case, client, upstream):
                    if variant in ("", "streamed"):
                        route = Route(client, upstream, case.model(client), case.model(upstream))
                        yield check, CHECKS[check](case, route, driver.open, harness, variant, None)


def rules(results: Iterator[tuple[str, Any]]) -> Iterator[str]:
    """The MUST rules that something breaks, as soon as it is seen: what is sought ends the play."""
    return (finding.rule for _, result in results for finding in result.findings if finding.is_must)


def reference(policy: Policy, **other: Any) -> ReferenceTranslator:
    """The reference under a policy, but for what a test does otherwise."""
    mine = ReferencePolicy.of(dict(policy.raw))
    return ReferenceTranslator(replace(mine, **other))


@pytest.mark.parametrize("name", ["filter", "guidance", "parameters", "rename", "together"])
def test_the_reference_does_what_a_policy_says(corpus: Corpus, name: str) -> None:
    """On half of the routes, and the next policy on the other half."""
    policy = policies(corpus)[name]
    every = [(client, upstream) for client in NAMES for upstream in NAMES]
    routes = tuple(share(every, 2, [*policies(corpus)].index(name)))
    results = [*play_items(corpus, policy, reference(policy), routes=routes, checks=("request", "response", "stream"))]
    results += play_items(corpus, policy, reference(policy), checks=("agent_loop",))
    assert len(results) > 70
    assert {result.verdict for _, result in results} <= {Verdict.PASS, Verdict.WARN}


def test_every_policy_of_the_corpus_is_played(corpus: Corpus) -> None:
    assert set(policies(corpus)) == {"filter", "guidance", "parameters", "rename", "together"}


BROKEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "sends what it should filter": ("filter", {"filter": frozenset({"update_plan"})}, "translation/tool-invented"),
    "filters more": (
        "filter",
        {"filter": frozenset({"apply_patch", "update_plan", "run_shell_command"})},
        "translation/tool-lost",
    ),
    "chooses what is gone": ("filter", {"filter": frozenset({"update_plan"})}, "translation/tool-choice"),
    "says nothing of what is gone": ("guidance", {"guidance": {}}, "translation/system-prompt"),
    "says something else": ("guidance", {"guidance": {"apply_patch": "Use magic."}}, "translation/system-prompt"),
    "leaves mentions": ("guidance", {"clean_system": {}}, "translation/system-prompt"),
    "cleans with other words": (
        "guidance",
        {"clean_system": {"apply_patch": "magic", "update_plan": "your answer"}},
        "translation/system-prompt",
    ),
    "keeps a name": ("rename", {"rename": {"search_files": "find_files"}}, "translation/tool-lost"),
    "gives another name": (
        "rename",
        {"rename": {"search_files": "find_files", "cat": "show"}},
        "translation/tool-lost",
    ),
    "keeps parameters": ("parameters", {"parameters": {}}, "translation/schema-property-lost"),
    "keeps arguments": ("parameters", {"parameters": {}}, "translation/arguments"),
    "gives other parameters": (
        "parameters",
        {"parameters": {"cat": {"path": "file"}, "search_files": {"pattern": "glob", "path": "root"}}},
        "translation/schema-property-lost",
    ),
    "does a part": ("together", {"rename": {}, "parameters": {}}, "translation/tool-lost"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_translator_with_another_policy_fails(corpus: Corpus, name: str) -> None:
    file, other, rule = BROKEN[name]
    policy = policies(corpus)[file]
    if name.startswith(("sends", "chooses")):
        other = {**other, "guidance": {}, "clean_system": {}}
    assert rule in rules(play_items(corpus, policy, reference(policy, **other)))


class Session:
    """A session of the reference under a policy that does one thing otherwise on the way."""

    def __init__(self, inner: Any, route: Route) -> None:
        self.inner, self.route = inner, route

    def request(self, body: Any) -> Any:
        return self.inner.request(body)

    def response(self, body: Any) -> Any:
        return self.inner.response(body)

    def stream(self, chunks: Any) -> Any:
        return self.inner.stream(chunks)


def wrap_translator(policy: Policy, kind: type[Session]) -> Any:
    inner = reference(policy)

    class Translator:
        def open(self, route: Route) -> Session:
            return kind(inner.open(route), route)

    return Translator()


def swap_texts(value: Any, *pairs: tuple[str, str]) -> Any:
    text = json.dumps(value)
    for old, new in pairs:
        text = text.replace(old, new)
    return json.loads(text)


class NoWayBack(Session):
    """The provider's names of tools reach the client."""

    def response(self, body: Any) -> Any:
        return swap_texts(self.inner.response(body), ('"cat"', '"read_file"'), ('"search_files"', '"find_files"'))


class NoParametersBack(Session):
    def response(self, body: Any) -> Any:
        return swap_texts(self.inner.response(body), ('"pattern"', '"glob"'), ('\\"pattern\\"', '\\"glob\\"'))


class NotInStreams(Session):
    def stream(self, chunks: Any) -> Any:
        return [b"".join(self.inner.stream(chunks)).replace(b"search_files", b"find_files")]


class NotInTheHistory(Session):
    def request(self, body: Any) -> Any:
        output = self.inner.request(body)
        for message in output.get("messages", []):
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block.get("type") == "tool_use" and "absolute_path" in block["input"]:
                    block["input"]["path"] = block["input"].pop("absolute_path")
        return output


class DropsAToolBeside(Session):
    def request(self, body: Any) -> Any:
        output = self.inner.request(body)
        output["tools"] = output["tools"][:1]
        return output


WRAPPED = {
    NoWayBack: ("rename", "translation/call-name"),
    NoParametersBack: ("parameters", "translation/arguments"),
    NotInStreams: ("rename", "translation/call-name"),
    NotInTheHistory: ("parameters", "translation/arguments"),
    DropsAToolBeside: ("rename", "translation/tool-lost"),
}


@pytest.mark.parametrize("kind", WRAPPED, ids=lambda kind: kind.__name__)
def test_a_translator_with_a_part_of_the_policy_fails(corpus: Corpus, kind: type[Session]) -> None:
    file, rule = WRAPPED[kind]
    policy = policies(corpus)[file]
    broken_rules = rules(
        play_items(corpus, policy, wrap_translator(policy, kind), routes=(("openai_responses", "anthropic"),))
    )
    assert rule in broken_rules


class SystemInOneText(Session):
    """The guidance after the prompt in one text is the same prompt as in a block of its own."""

    def request(self, body: Any) -> Any:
        output = self.inner.request(body)
        if isinstance(output.get("system"), list):
            output["system"] = "\n\n".join(block["text"] for block in output["system"])
        return output


class ToolsInAnotherOrder(Session):
    def request(self, body: Any) -> Any:
        output = self.inner.request(body)
        output["tools"] = output["tools"][::-1]
        return output


class FreeChoiceUnsaid(Session):
    def request(self, body: Any) -> Any:
        output = self.inner.request(body)
        if output.get("tool_choice", {}).get("type") == "auto":
            del output["tool_choice"]
        return output


@pytest.mark.parametrize("kind", [Session, SystemInOneText, ToolsInAnotherOrder, FreeChoiceUnsaid])
@pytest.mark.parametrize("file", ["guidance", "together"])
def test_the_same_in_other_words_passes(corpus: Corpus, kind: type[Session], file: str) -> None:
    policy = policies(corpus)[file]
    broken_rules = rules(
        play_items(corpus, policy, wrap_translator(policy, kind), routes=(("openai_responses", "anthropic"),))
    )
    assert [*broken_rules] == []


def test_a_tool_that_has_a_name_of_the_policy_s_by_itself_keeps_it(corpus: Corpus) -> None:
    """Only a tool that the client declares under the other name has been renamed."""
    policy = policies(corpus)["rename"]
    assert "read_file" in policy.rename.values()
    results = [*play_items(corpus, policy, reference(policy), cases=("read_file/seed", "read_file/choice-named"))]
    assert {result.verdict for _, result in results} <= {Verdict.PASS, Verdict.WARN}
    # And what a translator makes of its name is the warning that it is without a policy.
    judge, case = PoliciedJudge(corpus, policy=policy), corpus.cases["read_file/seed"]
    route = Route("anthropic", "openai_chat", case.model("anthropic"), case.model("openai_chat"))
    source = case.exchanges("anthropic")[0].request
    output = swap_texts(reference(policy).open(route).request(source), ('"read_file"', '"proxy_read_file"'))
    rule_levels = {(finding.rule, finding.is_must) for finding in judge.request(source, output, route).findings}
    assert ("translation/tool-name-kept", False) in rule_levels
    assert not any(must for _, must in rule_levels)


@pytest.mark.parametrize("name", NAMES)
def test_words_of_the_api_are_no_names_of_tools(corpus: Corpus, name: str) -> None:
    """A policy may give a tool the name of a word in a choice, such as its type."""
    words = ("function", "tool", "auto", "allowed_tools", "any")
    policy = Policy.of({"rename": {word: f"{word}_2" for word in words}})
    filtering = Policy.of({"filter": {"tools": list(words)}})
    for case in ("policy/filtered", "read_file/choice-named", "mcp/choice-subset"):
        body = corpus.cases[case].exchanges(name)[0].request
        assert apply_policy(policy, name, body) == body
        assert apply_policy(filtering, name, body) == body


@pytest.mark.parametrize("name", NAMES)
def test_a_forced_tool_that_is_gone_leaves_the_choice_free(corpus: Corpus, name: str) -> None:
    case = corpus.cases["policy/filtered"]
    choices: dict[str, dict[str, Any]] = {
        "anthropic": {"tool_choice": {"type": "tool", "name": "apply_patch", "disable_parallel_tool_use": True}},
        "gemini": {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["apply_patch"]}}},
        "openai_chat": {"tool_choice": {"type": "function", "function": {"name": "apply_patch"}}},
        "openai_responses": {"tool_choice": {"type": "function", "name": "apply_patch"}},
    }
    policy, judge = policies(corpus)["filter"], PoliciedJudge(corpus, policy=policies(corpus)["filter"])
    body = {**case.exchanges(name)[0].request, **choices[name]}
    for upstream in NAMES:
        route = Route(name, upstream, case.model(name), case.model(upstream))
        output = reference(policy).open(route).request(body)
        assert [finding for finding in judge.request(body, output, route).findings if finding.is_must] == []


def test_a_captured_stream_is_judged_by_the_client_s_names(corpus: Corpus) -> None:
    policy, case = policies(corpus)["rename"], corpus.cases["policy/renamed"]
    judge, route = PoliciedJudge(corpus, policy=policy), Route("openai_chat", "anthropic", "gpt-4.1", "claude")
    path = case.exchanges("anthropic")[0].stream_path
    assert path is not None
    sent = path.read_bytes().replace(b'"cat"', b'"read_file"').replace(b"search_files", b"find_files")
    session = reference(policy).open(route)
    session.request(case.exchanges("openai_chat")[0].request)
    output = b"".join(session.stream([sent]))
    assert [finding for finding in judge.stream(parse(sent), parse(output), route).findings if finding.is_must] == []
    wrong = output.replace(b"search_files", b"find_files")
    assert "translation/call-name" in {
        finding.rule for finding in judge.stream(parse(sent), parse(wrong), route).findings
    }


def test_bodies_that_are_none_stay(corpus: Corpus) -> None:
    policy = policies(corpus)["together"]
    for name in NAMES:
        bodies: list[Any] = [None, [], "x", {}, {"tools": 1, "messages": 2, "contents": 3, "input": 4}]
        for body in bodies:
            apply_policy(policy, name, body)
            undo_policy(policy, name, body)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[filter\n", "Expected ']'"),
        ("[filters]\n", "there is no table 'filters'; did you mean filter?"),
        ("[filter]\n", "filter: 'tools' is a required property"),
        ("[filter]\ntools = 'x'\n", "filter.tools: 'x' is not of type 'array'"),
        ("[rename]\ncat = 1\n", "rename.cat: 1 is not of type 'string'"),
        ("[guidance]\na = 'x'\n", "guidance names 'a', which is not filtered; add it to filter.tools"),
        ("[filter]\ntools = ['a']\n[rename]\na = 'b'\n", "'a' is filtered and mapped at once"),
        ("[rename]\na = 'c'\nb = 'c'\n", "rename gives the name 'c' twice, so there is no way back"),
        ("[parameters.t]\na = 'c'\nb = 'c'\n", "parameters.t gives the name 'c' twice"),
    ],
)
def test_a_file_that_is_wrong(corpus: Corpus, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError) as caught:
        load_policy(corpus, path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)
    with pytest.raises(PolicyError, match="No such file or directory; name the file of a policy"):
        load_policy(corpus, tmp_path / "nowhere.toml")


def test_streams_within_one_format_are_compared_with_the_source(corpus: Corpus) -> None:
    """A policy changes names alone: any other change of a stream is reported as without a policy."""
    case, name = corpus.cases["parallel/three-tools"], "openai_chat"
    sent = case.exchanges(name)[0].stream()
    route = Route(name, name, case.model(name), case.model(name))
    changed = sent.replace(b'"system_fingerprint":"', b'"system_fingerprint":"x')
    assert changed != sent
    without = Judge(corpus).stream(sent, changed, route).findings
    policied = PoliciedJudge(corpus, policy=policies(corpus)["rename"]).stream(sent, changed, route).findings
    assert [finding.rule for finding in without] == ["translation/identity-spelling"]
    assert policied == without
