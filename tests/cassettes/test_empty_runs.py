"""What a user reads when a run of recordings has nothing to do: which of the possible causes it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cassettes import goldens
from cassettes.foreign import ForeignExchange, vcrpy_json
from toolcall_conformance.library import Corpus

QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
REFERENCE = ("--toolcall-translator", "toolcall_reference:ReferenceTranslator")

ONE_ROUTE = """
from toolcall_reference import ReferenceTranslator


class Unsupported(Exception):
    pass


class Session:
    def __init__(self, session):
        self.request = session.request


class Translator:
    name = "mine"

    def open(self, route):
        if (route.client, route.upstream) != ("anthropic", "openai_chat"):
            raise Unsupported("one route alone")
        return Session(ReferenceTranslator().open(route))
"""


def run_output(pytester: pytest.Pytester, *arguments: str) -> str:
    """What such a run prints, as one line without the folds."""
    done = pytester.runpytest_inprocess(*QUIET, *arguments)
    assert done.ret in (1, 4)
    return " ".join((done.stdout.str() + done.stderr.str()).split())


@pytest.fixture
def folder(pytester: pytest.Pytester, corpus: Corpus) -> Path:
    path = pytester.path / "kept"
    goldens.write(path / "a.json", goldens.exchanges(corpus, "shell/realistic", "anthropic"))
    goldens.write(path / "chat.json", goldens.exchanges(corpus, "shell/realistic", "openai_chat", streamed=True))
    return path


@pytest.fixture
def own_translator(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    pytester.makepyfile(one_route_for_nothing=ONE_ROUTE)
    monkeypatch.syspath_prepend(pytester.path)
    return "--toolcall-translator", "one_route_for_nothing:Translator"


def weather(method: str = "POST", body: Any = None) -> ForeignExchange:
    url = "https://gw.example/anthropic/messages?key=secret"
    return ForeignExchange(url, {"q": 1} if body is None else body, 200, "application/json", b"{}", method)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "kept: no file there ends in .json, .yaml, .yml or .gz; give "),
        ({"notes.txt": "x"}, "kept: no file there ends in .json, .yaml, .yml or .gz; give "),
        ({"a.json": "{}", "b.json": "[1]"}, "kept: none of its 2 files is a cassette; give "),
        ({"a.json": '{"version": 1, "interactions": []}'}, "kept: no exchange is recorded in its 1 cassette; give "),
        (
            {"a.json": vcrpy_json([weather(), weather()]), "b.json": "{}"},
            (
                "kept: no exchange of a known API is recorded in its 1 cassette, but 2 × another API: POST gw.example "
                "(for example POST https://gw.example/anthropic/messages); the known ones end in v1/messages, "
            ),
        ),
        (
            {
                "a.json": vcrpy_json(
                    [ForeignExchange(goldens.URLS["anthropic"], {"q": 1}, 200, "application/json", b"{}")]
                )
            },
            "kept: no exchange of a known API is recorded in its 1 cassette, but 1 × a request of anthropic without ",
        ),
    ],
)
def test_a_folder_without_recordings(pytester: pytest.Pytester, files: dict[str, str], sentence: str) -> None:
    (pytester.path / "kept").mkdir()
    for name, text in files.items():
        (pytester.path / "kept" / name).write_text(text, encoding="utf-8")
    output = run_output(pytester, "--toolcall-cassettes=kept", "toolcall::recorded")
    assert sentence in output
    assert "toolcall-conformance record --help" in output
    assert "secret" not in output


def test_a_method_that_no_api_has(pytester: pytest.Pytester, corpus: Corpus, folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    [first, *_] = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    got = ForeignExchange(first.url, first.request, 200, "application/json", first.answer, "GET")
    (folder / "a.json").write_text(json.dumps(json.loads(vcrpy_json([got]))), encoding="utf-8")
    output = run_output(pytester, "--toolcall-cassettes=kept", "toolcall::recorded")
    assert "1 × another API: GET api.anthropic.com (for example GET https://api.anthropic.com/v1/messages)" in output


@pytest.mark.parametrize("arguments", ["toolcall::recorded", "toolcall::recorded/a.json#1::wire"])
def test_recordings_without_a_folder(pytester: pytest.Pytester, arguments: str) -> None:
    output = run_output(pytester, *REFERENCE, arguments)
    assert "recordings need --toolcall-cassettes=FOLDER" in output


def test_a_check_of_recordings_without_a_folder(pytester: pytest.Pytester) -> None:
    output = run_output(pytester, *REFERENCE, "toolcall::shell/seed::drift")
    assert "recordings need --toolcall-cassettes=FOLDER" in output


def test_neither_a_translator_nor_recordings(pytester: pytest.Pytester) -> None:
    output = run_output(pytester, "toolcall::recorded")
    assert "toolcall:: needs a translator to judge: --toolcall-translator " in output
    assert "or only recordings to judge: --toolcall-cassettes=FOLDER" in output


@pytest.mark.parametrize(
    "arguments", ["toolcall::recorded/a.json#1::response", "toolcall::shell/seed", "toolcall::shell/seed::request"]
)
def test_what_needs_a_translator(pytester: pytest.Pytester, folder: Path, arguments: str) -> None:
    output = run_output(pytester, f"--toolcall-cassettes={folder.name}", arguments)
    assert (
        "nothing was judged: without a translator there are only the checks wire and drift of recordings; give "
        "--toolcall-translator, or select one of them" in output
    )
    assert "supports none" not in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            "recorded/a.json#1::stream",
            (
                "recorded/a.json#1 has no items of the check stream: it is a whole reply of anthropic; its checks are "
                "wire, drift, request and response"
            ),
        ),
        ("recorded/chat.json#1::response", "has no items of the check response: it is a stream of openai_chat; its "),
        (
            "recorded/a.json#1::wire::anthropic-to-gemini",
            (
                "recorded/a.json#1 has no items of wire on anthropic-to-gemini: it is a whole reply of anthropic; "
                "wire has anthropic-to-anthropic"
            ),
        ),
        ("recorded/a.json#1::response::anthropic-to-gemini", "response has anthropic-to-anthropic, openai_chat-to-"),
        ("shell/seed::wire", "shell/seed has no items of the check wire; its checks are request, "),
    ],
)
def test_what_an_exchange_does_not_have(pytester: pytest.Pytester, folder: Path, arguments: str, sentence: str) -> None:
    output = run_output(pytester, *REFERENCE, f"--toolcall-cassettes={folder.name}", f"toolcall::{arguments}")
    assert "nothing was judged: " in output
    assert sentence in output
    assert "supports none" not in output


def test_what_the_translator_does_not_do(
    pytester: pytest.Pytester, folder: Path, own_translator: tuple[str, str]
) -> None:
    output = run_output(
        pytester, *own_translator, f"--toolcall-cassettes={folder.name}", "toolcall::recorded/chat.json#1::request"
    )
    assert (
        "nothing was judged: mine supports none of the selected items: one route alone (openai_chat → anthropic, "
        "openai_chat → openai_chat, openai_chat → openai_responses and 1 more route)" in output
    )
    output = run_output(
        pytester, *own_translator, f"--toolcall-cassettes={folder.name}", "toolcall::recorded/chat.json#1::stream"
    )
    assert "supports none of the selected items: no stream (anthropic → openai_chat); one route alone (" in output


def test_why_no_item_reached_a_verdict(
    pytester: pytest.Pytester, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashing = ONE_ROUTE.replace("self.request = session.request", "self.response = session.response").replace(
        'if (route.client, route.upstream) != ("anthropic", "openai_chat")', "if False"
    )
    crashing += "\n    class S(Session):\n        def request(self, body):\n            raise KeyError('oops')\n"
    crashing = crashing.replace("return Session(", "return self.S(")
    pytester.makepyfile(crashing_for_nothing=crashing)
    monkeypatch.syspath_prepend(pytester.path)
    output = run_output(
        pytester,
        *("--toolcall-translator", "crashing_for_nothing:Translator", f"--toolcall-cassettes={folder.name}"),
        "toolcall::recorded/a.json#1::response",
    )
    assert "nothing was judged: no item reached a verdict; 1 × blocked: " in output
    assert "1 × blocked: request: request raised KeyError: 'oops'" in output
    assert output.rstrip().endswith("; 1 more reason")
