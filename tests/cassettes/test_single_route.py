"""Recordings of the upstream's format, replayed by a translator that does one route and not the way back."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from cassettes import goldens
from cassettes.foreign import ForeignExchange
from cassettes.test_replay import replay
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.formats import read
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.replay.earlier_request import substitute_request

MINE = """
import json

from toolcall_reference import ReferenceTranslator


class Unsupported(Exception):
    pass


class Refused(Exception):
    pass


class Session:
    def __init__(self, route):
        self.route, self.inner, self.asked = route, ReferenceTranslator().open(route), None

    def request(self, body):
        self.asked = body
        return self.inner.request(body)

    def response(self, body):
        names = {tool["name"] for tool in self.asked["tools"]}
        made = self.inner.response(body)
        made["content"] = [one for one in made["content"] if one["type"] != "tool_use" or one["name"] in names]
        return made

    def stream(self, chunks):
        assert self.asked["stream"]
        return self.inner.stream(chunks)

    def error(self, status, body, headers):
        return self.inner.error(status, body, headers)


class Translator:
    def open(self, route):
        if (route.client, route.upstream) == ("anthropic", "openai_chat"):
            return Session(route)
        #BACK
        raise Unsupported("no way back")
"""


def spec(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str, text: str = MINE) -> tuple[str, str]:
    (pytester.path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(pytester.path)
    return "--toolcall-translator", f"{name}:Translator"


@pytest.fixture
def cassettes(pytester: pytest.Pytester, corpus: Corpus) -> None:
    folder = pytester.path / "cassettes"
    goldens.write(folder / "a.json", goldens.exchanges(corpus, "shell/realistic", "openai_chat"))
    goldens.write(folder / "s.json", goldens.exchanges(corpus, "shell/realistic", "openai_chat", streamed=True))
    [golden, *_] = corpus.cases["errors/upstream-rate-limit"].exchanges("openai_chat")
    answer = json.dumps(golden.error["body"]).encode()
    failed = ForeignExchange(goldens.URLS["openai_chat"], golden.request, 429, "application/json", answer)
    goldens.write(folder / "e.json", [failed])


def verdicts(items: list[Any]) -> Counter[tuple[str, str]]:
    return Counter((item["check"], item["verdict"]) for item in items if item["check"] not in ("wire", "drift"))


def rules(items: list[Any]) -> set[tuple[str, str, str]]:
    return {(item["check"], finding["rule"], finding["level"]) for item in items for finding in item["findings"]}


@pytest.mark.usefixtures("cassettes")
def test_replies_are_judged_without_their_requests(
    pytester: pytest.Pytester, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, items = replay(pytester, *spec(pytester, monkeypatch, "mine_one"), "toolcall::recorded")
    assert done.ret == 0
    count = len(corpus.cases["shell/realistic"].exchanges("openai_chat"))
    assert verdicts(items) == {("response", "pass"): count + 1, ("stream", "pass"): count}
    reason = "judged without its request: there is no openai_chat → anthropic for the recorded one (no way back)"
    assert {item["reason"] for item in items if item["check"] in ("response", "stream")} == {reason}
    assert {(item["client"], item["upstream"]) for item in items if item["reason"]} == {("anthropic", "openai_chat")}


LOSING = MINE.replace(
    "        return made\n",
    '        made["content"] = [one for one in made["content"] if one["type"] != "tool_use"]\n        return made\n',
).replace(
    "        return self.inner.stream(chunks)",
    '        return (chunk.replace(b"run_shell_command", b"run") for chunk in self.inner.stream(chunks))',
)


@pytest.mark.usefixtures("cassettes")
def test_a_faulty_translator_fails(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    losing = LOSING.replace("return self.inner.error(", "return 200, *self.inner.error(").replace(
        "headers)\n\n\nclass Tr", "headers)[1:]\n\n\nclass Tr"
    )
    done, items = replay(pytester, *spec(pytester, monkeypatch, "mine_losing", losing), "toolcall::recorded")
    assert done.ret == 1
    findings = rules(items)
    assert ("response", "translation/call-lost", "MUST") in findings
    assert ("stream", "translation/call-name", "MUST") in findings
    assert any(check == "response" and "error" in rule and level == "MUST" for check, rule, level in findings)


@pytest.mark.usefixtures("cassettes")
@pytest.mark.parametrize(
    ("back", "verdict"),
    [
        ("return type('S', (), {'response': lambda self, body: body})()", "pass"),
        ("return type('S', (), {'request': lambda self, body: (_ for _ in ()).throw(Refused('not mine'))})()", "pass"),
        ("return type('S', (), {'request': lambda self, body: {}['oops']})()", "blocked"),
    ],
)
def test_what_counts_as_no_way_back(
    back: str, verdict: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = MINE.replace("#BACK", f"if route.client == 'openai_chat':\n            {back}")
    chosen = spec(pytester, monkeypatch, f"mine_back_{abs(hash(back))}", text)
    item = "toolcall::recorded/a.json#1::response::anthropic-to-openai_chat"
    _, items = replay(pytester, *chosen, item)
    assert [item["verdict"] for item in items] == [verdict]


EXCHANGING = """
import json
import urllib.request

from toolcall_reference import ReferenceTranslator


class Unsupported(Exception):
    pass


class Session:
    def __init__(self, route):
        self.inner = ReferenceTranslator().open(route)

    def exchange(self, body, url):
        sent = json.dumps(self.inner.request(body)).encode()
        asked = urllib.request.Request(url + "/v1/chat/completions", sent, {"content-type": "application/json"})
        with urllib.request.urlopen(asked) as answer:
            return self.inner.response(json.load(answer))


class Translator:
    def open(self, route):
        if (route.client, route.upstream, route.stream) != ("anthropic", "openai_chat", False):
            raise Unsupported("no way back")
        return Session(route)
"""


@pytest.mark.usefixtures("cassettes")
def test_a_library_that_sends_is_asked_first(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = spec(pytester, monkeypatch, "mine_sends", EXCHANGING)
    done, items = replay(pytester, *chosen, "toolcall::recorded/a.json#1::response")
    assert done.ret == 0
    assert verdicts(items) == {("response", "pass"): 1}


RENAMING = MINE.replace(
    "        return self.inner.request(body)",
    "        body = json.loads(json.dumps(body).replace('run_shell_command', 'shell_1'))\n"
    "        return self.inner.request(body)",
).replace(
    "made = self.inner.response(body)",
    "assert 'run_shell_command' not in json.dumps(body)\n"
    "        made = json.loads(json.dumps(self.inner.response(body)).replace('shell_1', 'run_shell_command'))",
)


@pytest.mark.usefixtures("cassettes")
def test_a_translator_that_renames_tools_gets_its_own_names(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = spec(pytester, monkeypatch, "mine_renames", RENAMING)
    _, items = replay(pytester, *chosen, "toolcall::recorded/a.json#1::response")
    assert verdicts(items) == {("response", "pass"): 1}


STOPPING = """
from toolcall_reference import ReferenceTranslator


class Unsupported(Exception):
    pass


class Session:
    def __init__(self, route):
        self.inner = ReferenceTranslator().open(route)
        self.request = self.inner.request

    def response(self, body):
        made = self.inner.response(body)
        made["choices"][0]["finish_reason"] = "stop"
        return made


class Translator:
    def open(self, route):
        if (route.client, route.upstream) != ("openai_chat", "anthropic"):
            raise Unsupported("no way back")
        return Session(route)
"""


def test_whether_a_function_was_forced_is_not_known(
    pytester: pytest.Pytester, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Chat, ``stop`` is right next to a call that was forced; the substitute does not know what the real translator
    did.
    """
    [first, *_] = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    forced = {"tool_choice": {"type": "tool", "name": "run_shell_command"}}
    exchange = ForeignExchange(first.url, {**first.request, **forced}, 200, "application/json", first.answer)
    goldens.write(pytester.path / "cassettes" / "a.json", [exchange])
    chosen = spec(pytester, monkeypatch, "mine_stops", STOPPING)
    done, items = replay(pytester, *chosen, "--toolcall-strict", "toolcall::recorded/a.json#1::response")
    assert ("response", "translation/finish-beside-calls", "NOTE") in rules(items)
    assert {level for _, _, level in rules(items)} == {"NOTE"}
    assert done.ret == 0


@pytest.mark.parametrize("client", goldens.URLS)
@pytest.mark.parametrize("upstream", goldens.URLS)
def test_the_substitute_declares_the_recorded_tools(client: str, upstream: str, corpus: Corpus) -> None:
    request = corpus.cases["parallel/two-rounds"].exchanges(upstream)[-1].request
    stand_in_request = substitute_request(corpus, Route(client, upstream, "model-1", "model-2", stream=False), request)
    assert stand_in_request is not None
    reading = read(client, "request", stand_in_request)
    assert [tool.name for tool in reading.tools] == [tool.name for tool in read(upstream, "request", request).tools]
    assert not reading.calls
    assert stand_in_request.get("model", "model-1") == "model-1"
    none = substitute_request(corpus, Route(client, upstream, "model-1", "model-2", stream=False), {})
    assert none is not None
    assert len(read(client, "request", none).tools) == 1
