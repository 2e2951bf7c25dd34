"""``toolcall-conformance smoke``: what works, what does not, where, and what to do next."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from toolcall_conformance.checks.smoke.report import describe_problem
from toolcall_conformance.cli import main
from toolcall_conformance.drivers import Crashed, ProtocolError
from toolcall_conformance.drivers.outcomes import TranslatorError

BASE = """
import time
from toolcall_reference import ReferenceTranslator

class Unsupported(Exception): pass
class Refused(Exception): pass

class Session:
    def __init__(self, route):
        self.route, self.inner = route, ReferenceTranslator().open(route)
    def request(self, body): return self.inner.request(body)
    def response(self, body): return self.inner.response(body)
    def error(self, status, body, headers): return self.inner.error(status, body, headers)
    def stream(self, chunks): yield from self.inner.stream(chunks)

class Good:
    def open(self, route): return Session(route)
"""

Smoke = Callable[..., tuple[int, str, str]]


@pytest.fixture
def smoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Smoke:
    """Runs the command on a translator whose session overrides what ``session`` has: exit code, output, errors."""

    def run(session: str = "    pass", opening: str = "return Mine(route)", *options: str) -> tuple[int, str, str]:
        classes = f"class Mine(Session):\n{session}\n\nclass T(Good):\n    def open(self, route):\n        {opening}\n"
        text = f"{BASE}\n{classes}"
        (tmp_path / "smoked.py").write_text(text, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "smoked", raising=False)
        code = main(["smoke", "smoked:T", *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_a_translator_that_works(smoke: Smoke) -> None:
    code, out, _ = smoke()
    assert code == 0
    assert out.count("request, response, error, stream") == 16
    assert "warning" not in out
    assert "16 routes work, 0 do not, 0 are not done" in out
    assert "next: pytest --toolcall-translator smoked:T toolcall::shell" in out


DROPS_CALLS = """    def request(self, body):
        made = self.inner.request(body)
        if self.route.upstream == "openai_chat":
            for message in made["messages"]:
                message.pop("tool_calls", None)
        return made"""
ARGUMENTS_OF_PYTHON = """    def response(self, body):
        import json
        made = self.inner.response(body)
        if self.route.client == "openai_chat":
            for choice in made["choices"]:
                for call in choice["message"].get("tool_calls", []):
                    call["function"]["arguments"] = str(json.loads(call["function"]["arguments"]))
        return made"""


@pytest.mark.parametrize(
    ("session", "line"),
    [
        (DROPS_CALLS, "  wrong    anthropic-to-openai_chat: request "),
        (ARGUMENTS_OF_PYTHON, "  wrong    openai_chat-to-anthropic: response "),
    ],
)
def test_a_wrong_translation_is_reported_in_a_line(smoke: Smoke, session: str, line: str) -> None:
    code, out, _ = smoke(session)
    assert code == 1
    (message,) = [output_line for output_line in out.splitlines() if output_line.startswith(line)]
    assert "/" in message.removeprefix(line)
    assert "\nwrong: " in out
    assert "hint: toolcall-conformance explain " in out
    assert 'pytest --toolcall-translator smoked:T "toolcall::' in out
    assert "12 routes work, 4 do not, 0 are not done" in out


DOES_CALLS_ONLY = """    def request(self, body):
        if "oogle" in repr(body.get("tools", ())):
            raise Refused("no hosted tools")
        return self.inner.request(body)
    def response(self, body):
        if any(mark in repr(body) for mark in ("inlineData", "image")):
            raise Refused("no pictures")
        return self.inner.response(body)"""


def test_a_translator_of_calls_alone_passes(smoke: Smoke) -> None:
    code, out, _ = smoke(DOES_CALLS_ONLY)
    assert code == 0, out
    assert "16 routes work, 0 do not, 0 are not done" in out


def test_routes_that_are_not_done_are_no_fault(smoke: Smoke) -> None:
    only = "if route.upstream != 'gemini': raise Unsupported('only Gemini')\n        return Mine(route)"
    code, out, _ = smoke("    pass", only)
    assert code == 0
    route_names = "anthropic-to-anthropic, anthropic-to-openai_chat, anthropic-to-openai_responses and 9 more"
    assert [line for line in out.splitlines() if "not done" in line] == [
        f"  not done {route_names} (only Gemini)",
        "4 routes work, 0 do not, 12 are not done",
    ]
    assert "4 routes work, 0 do not, 12 are not done" in out


def test_a_translator_that_does_nothing(smoke: Smoke) -> None:
    code, out, _ = smoke("    pass", "raise NotImplementedError('later')")
    assert code == 1
    assert "0 routes work, 0 do not, 16 are not done" in out
    assert "let open(route) return a session" in out


def test_a_crash_is_reported_once_with_the_line_of_the_translator(smoke: Smoke) -> None:
    code, out, _ = smoke("    def response(self, body): return body['no such key']")
    assert code == 1
    assert "error: anthropic-to-anthropic: response raised KeyError: 'no such key'" in out
    assert "smoked.py" in out
    assert "in response" in out
    assert out.count("raised KeyError") == 1
    assert "also: anthropic-to-openai_chat" in out
    assert 'pytest --toolcall-translator smoked:T "toolcall::' in out
    assert "0 routes work, 16 do not" in out


@pytest.mark.parametrize(
    ("session", "message"),
    [
        ("    def request(self, body): pass", "is a `return` missing?"),
        ("    def request(self, body): return body", "hint: route.client is the caller's format"),
        ("    def request(self, body): raise Refused('too small')", "refused the plainest exchange: too small"),
        (
            "    def error(self, status, body, headers): return body",
            "error returned a dict; return the client's status",
        ),
        ("    def stream(self, chunks): raise KeyError('delta')", "stream raised KeyError: 'delta'"),
        ("    def stream(self, chunks): return b''.join(chunks)", "stream gave an object of type bytes; yield the"),
        ("    def stream(self, chunks): return iter(())", "stream: there was no output"),
        ("    def stream(self, chunks): yield b'{}'", "stream: the output has no events: b'{}'"),
        ("    request = response = error = stream = None", "the session that open returned has no operation"),
    ],
)
def test_what_does_not_work(smoke: Smoke, session: str, message: str) -> None:
    code, out, _ = smoke(session)
    assert code == 1
    assert message in out


def test_without_error_its_items_are_not_judged(smoke: Smoke) -> None:
    code, out, _ = smoke("    error = None")
    assert code == 0
    assert "warning: no error(status, body)" in out
    assert "--> 16 routes" in out


@pytest.mark.parametrize(
    ("session", "message"),
    [
        ("    stream = None", "warning: no stream(chunks): what it makes of streams is not judged"),
        ("    def stream(self, chunks): raise Unsupported('not yet')", "warning: streams are not judged: not yet"),
    ],
)
def test_without_streams_their_items_are_not_judged(smoke: Smoke, session: str, message: str) -> None:
    code, out, _ = smoke(session)
    assert code == 0
    assert message in out
    assert out.count("request, response, error\n") == 16


def test_after_a_stream_that_hangs_nothing_more_is_tried(smoke: Smoke) -> None:
    session = "    def stream(self, chunks): time.sleep(60); yield b''"
    code, out, _ = smoke(session, "return Mine(route)", "--timeout", "0.2")
    assert code == 1
    assert "stream did not return within 0.2 s" in out
    assert "anthropic-to-openai_chat" not in out


def test_own_history_is_reported(smoke: Smoke) -> None:
    _, out, _ = smoke("    history = 'own'")
    assert "own history" in out


def test_after_a_call_that_hangs_nothing_more_is_tried(smoke: Smoke) -> None:
    code, out, _ = smoke("    def request(self, body): time.sleep(60)", "return Mine(route)", "--timeout", "0.2")
    assert code == 1
    assert "request did not return within 0.2 s" in out
    assert "anthropic-to-openai_chat" not in out
    assert "hint: raise --timeout" in out


def test_a_translator_that_cannot_be_reached(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smoke", "no_such_module:T"]) == 4
    assert "there is no module 'no_such_module'" in capsys.readouterr().err


def test_no_time_limit(smoke: Smoke) -> None:
    code, _, err = smoke("    pass", "return Mine(route)", "--timeout", "0")
    assert code == 4
    assert "give seconds above zero" in err


def test_a_fused_library(smoke: Smoke) -> None:
    code, out, _ = smoke("    def exchange(self, body, url): raise RuntimeError(url)\n    request = None")
    assert code == 1
    assert "request raised RuntimeError: http://127.0.0.1" in out


def test_a_translator_in_a_process_of_its_own(smoke: Smoke) -> None:
    dying = "    def request(self, body): __import__('os')._exit(3)"
    code, out, _ = smoke(dying, "return (Mine if route.upstream == route.client else Session)(route)", "--isolated")
    assert code == 1
    assert "request died with exit code 3" in out
    assert 'again: pytest --toolcall-translator smoked:T --toolcall-isolated "toolcall::' in out


HOLDS = """
import ctypes, os
from toolcall_reference import ReferenceTranslator

def hold():
    mutex = ctypes.create_string_buffer(64)
    for _ in range(2):  # the second never returns: in C, with the interpreter's lock
        ctypes.PyDLL(None).pthread_mutex_lock(mutex)

class Session:
    def __init__(self, route): self.inner = ReferenceTranslator().open(route)
    def request(self, body): return self.inner.request(body)
    def response(self, body): {deed}

class T:
    def open(self, route): return Session(route)
"""


@pytest.mark.skipif(os.name != "posix", reason="the watchdog needs POSIX")
@pytest.mark.parametrize(
    ("deed", "code", "message"),
    [
        ("hold()", -9, "a call did not return within 0.2 s, and cannot be stopped; the command ends here"),
        ("os._exit(0)", 70, "the process died in a call; the command ends here; its exit code is no verdict"),
    ],
)
def test_a_call_that_stalls_or_ends_the_process_is_named(deed: str, code: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "holds.py").write_text(HOLDS.format(deed=deed), encoding="utf-8")
    command = [sys.executable, "-m", "toolcall_conformance", "smoke", "holds:T", "--timeout", "0.2"]
    # The pipe ends with who watches: behind the process.
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == code
    lines = process.stderr.splitlines()
    assert lines[1] == f"toolcall: toolcall::write_file/seed::response::anthropic-to-anthropic: {message}"
    assert lines[-1].endswith("would end only this item: toolcall-conformance smoke --isolated --timeout=0.2 holds:T")
    assert deed != "hold()" or any("holds.py" in line and line.endswith("in hold") for line in lines)


def test_the_line_with_the_error_of_a_childs_output_is_reported() -> None:
    framed = """╭─ Traceback (most recent call last) ─╮
│ /srv/gateway.py:7 in start            │
│ ❱ 7     raise KeyError("port")        │
╰───────────────────────────────────────╯
KeyError: 'port'
----------------------------------------
"""
    inside = "-----\n│ litellm.BadRequestError: no model │\n╰─────╯\n     \n"
    for words, line in (
        (framed, "KeyError: 'port'"),
        (inside, "litellm.BadRequestError: no model"),
        ("ready\nINFO: shutting down\n=====", "INFO: shutting down"),
        ("----\n", ""),
    ):
        assert describe_problem("request", ProtocolError("nothing came", words), "item").where == line
        assert describe_problem("request", Crashed(TranslatorError("died"), words), "item").where == line
