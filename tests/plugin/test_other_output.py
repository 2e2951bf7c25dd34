"""The other ways to pytest's terminal: mistakes of the user, recordings, children, gateways, suites, interrupts."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

import pytest

from cassettes import goldens
from drivers import gateway_project
from hostile_text import ATTACK, harmless
from toolcall_conformance.library import Corpus

pytestmark = pytest.mark.any_python

ITEM = "toolcall::box/two::request::alpha-to-beta"
NAMED = ATTACK.replace("/", "")


def harmless_output(result: pytest.RunResult, *, must_say: str = "pwned") -> str:
    text = f"{result.stdout.str()}\n{result.stderr.str()}"
    harmless(text, must_say=must_say)
    assert "INTERNALERROR" not in text
    return text


@pytest.mark.parametrize(
    "arguments",
    [
        (f"toolcall::{ATTACK}",),
        (ITEM, f"--toolcall-translator={ATTACK}:T"),
        (ITEM, f"--toolcall-translator=exec:{ATTACK}"),
        (ITEM, f"--toolcall-translator=gateway:{ATTACK}"),
        (ITEM, f"--toolcall-timeout={ATTACK}"),
        (ITEM, f"--toolcall-cuts={ATTACK}"),
        (ITEM, f"--toolcall-repeat={ATTACK}"),
        (ITEM, f"--toolcall-report={ATTACK}"),
        (ITEM, f"--toolcall-corpus={ATTACK}"),
        (ITEM, f"--toolcall-cassettes={ATTACK}"),
        (ITEM, f"--toolcall-policy={ATTACK}"),
        (ITEM, f"--toolcall-known-failures={ATTACK}"),
        (ITEM, f"--toolcall-artifacts=/dev/null/{ATTACK}"),
    ],
    ids=lambda arguments: arguments[-1].split("=")[0].split(ATTACK)[0],
)
def test_mistakes_of_the_user(project: Any, arguments: tuple[str, ...]) -> None:
    harmless_output(project.run(*arguments))


UNLOADABLE = {
    "import": f"raise ValueError({ATTACK!r})",
    "constructor": f"class T:\n    def __init__(self):\n        raise type({ATTACK!r}, (Exception,), {{}})({ATTACK!r})",
    "prints": f"print({ATTACK!r})\nraise ValueError('pwned')",
}


@pytest.mark.parametrize("module", UNLOADABLE.values(), ids=UNLOADABLE)
def test_a_translator_that_does_not_load(project: Any, module: str) -> None:
    project.write_module("unloadable", module)
    harmless_output(project.run(ITEM, spec="unloadable:T"))


@pytest.mark.parametrize("text", [f"{ATTACK}", f"[[known]]\nitems = [{json.dumps(ATTACK)}]\nrule = 'x'\nreason = 'y'",
                                   f"[[known]]\n{json.dumps(ATTACK)} = 1"], ids=["text", "item", "key"])  # fmt: skip
def test_files_of_settings(project: Any, text: str) -> None:
    for option, name in (("known-failures", "known.toml"), ("policy", "policy.toml")):
        (project.path / name).write_text(text, encoding="utf-8")
        harmless_output(project.run(ITEM, f"--toolcall-{option}={name}"), must_say="")
    (project.path / "pyproject.toml").write_text(f"[tool.toolcall]\n{json.dumps(ATTACK)} = 1", encoding="utf-8")
    harmless_output(project.run(ITEM))


def test_recordings(pytester: pytest.Pytester, corpus: Corpus) -> None:
    exchanges = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    path = pytester.path / "cassettes" / f"{NAMED}.json"
    goldens.write(path, exchanges)
    cassette = json.loads(path.read_text(encoding="utf-8"))
    for interaction in cassette["interactions"]:
        answer = json.loads(interaction["response"]["body"]["string"])
        answer |= {"stop_reason": ATTACK, "model": ATTACK, ATTACK: ATTACK}
        for block in answer["content"]:
            block |= {"type": ATTACK} if block["type"] == "text" else {"name": ATTACK, "id": ATTACK}
        interaction["response"]["body"]["string"] = json.dumps(answer)
    path.write_text(json.dumps(cassette), encoding="utf-8")
    (path.parent / f"damaged {NAMED}.json").write_text(f'{{"interactions": [{{"{ATTACK}', encoding="utf-8")
    for more in ("-v", "-rA"):
        harmless_output(
            pytester.runpytest_inprocess(
                "-p", "no:hypothesispytest", "toolcall::recorded", "--toolcall-cassettes=cassettes", more
            )
        )


CHILD = f"""
import json
import os
import sys

ATTACK = {ATTACK!r}
asked = {{}}
for line in sys.stdin:
    told = json.loads(line)
    os.write(2, ATTACK.encode())
    answer = {{"seq": told["seq"]}}
    if told["op"] == "hello":
        answer |= {{"name": ATTACK, "version": ATTACK, "protocol": 1}}
    elif told["op"] == "open":
        asked["case"] = told.get("case", "")
    elif told["op"] == "close":
        pass
    elif asked["case"].endswith("one"):
        answer |= {{"failed": ATTACK, "traceback": ATTACK}}
    elif asked["case"].endswith("two"):
        os.write(2, ATTACK.encode())
        os._exit(3)
    else:
        print(ATTACK)
        answer |= {{ATTACK: 1}}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="exec: needs pipes that can be polled")
def test_a_child(project: Any) -> None:
    project.write_module("child", CHILD)
    result = project.run("toolcall::", "-v", spec=f"exec:{sys.executable} child.py")
    assert harmless_output(result).count("FAILED") >= 3


GATEWAY = f"""
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

ATTACK = {ATTACK!r}
print(ATTACK, file=sys.stderr, flush=True)
if sys.argv[1] == "dies":
    sys.exit(3)


class Gateway(BaseHTTPRequestHandler):
    def do_GET(self):
        self.say(200, "{{}}")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        print(ATTACK, flush=True)
        if "one" in body["text"]:
            os._exit(3)
        self.say(500 if "two" in body["text"] else 200, json.dumps({{"error": {{"message": ATTACK}}, "text": ATTACK}}))

    def say(self, status, text):
        self.send_response(status, "pwned \\x9b31m")
        self.send_header("content-type", "application/json; x=\\x9b31m\\x7f")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(sys.argv[2])), Gateway).serve_forever()
"""


@pytest.mark.skipif(os.name != "posix", reason="process groups")
@pytest.mark.parametrize("fault", ["serves", "dies"])
def test_a_gateway(project: Any, fault: str) -> None:
    project.write_module("gateway", GATEWAY)
    command = [sys.executable, "-u", "gateway.py", fault, "{port}", "{upstream}"]
    spec = gateway_project.write(project, name=ATTACK, version=ATTACK, command=command)
    items = [f"toolcall::{case}::request::alpha-to-beta" for case in ("box/one", "box/two", "crate/deep")]
    result = project.run(*items, "-v", "--toolcall-artifacts=bodies", spec=spec)
    assert harmless_output(result).count("FAILED") == (3 if fault == "serves" else 0)


SUITE = f"""
import logging

from toolcall_conformance.suite import ConformanceSuite

ATTACK = {ATTACK!r}


class Session:
    def request(self, body):
        print(ATTACK)
        logging.getLogger(ATTACK).error(ATTACK)
        raise ValueError(ATTACK)


class Unsupported(Exception):
    pass


class T:
    name = ATTACK

    def open(self, route):
        if route.upstream == "gemini":
            raise Unsupported(ATTACK)
        return Session()


class TestMine(ConformanceSuite):
    translator = T()
    cases = ("shell/seed",)
    checks = ("request",)
    routes = ("anthropic-to-openai_chat",)


class TestNone(TestMine):
    routes = ("anthropic-to-gemini",)
"""


def test_a_suite_of_the_user_s_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_suite_hostile=SUITE)
    harmless_output(pytester.runpytest_inprocess("-p", "no:hypothesispytest", "-rA", "-v"))


LOGGING = f"""
import logging
import os

import good

ATTACK = {ATTACK!r}


class Session(good.Session):
    def request(self, body):
        try:
            raise ValueError(ATTACK)
        except ValueError:
            logging.getLogger(ATTACK).exception(ATTACK, stack_info=True)
        if "one" in body["text"] and os.environ["PYTEST_CURRENT_TEST"].startswith("toolcall"):
            raise KeyboardInterrupt(ATTACK)
        return super().request(body)


class T(good.T):
    def open(self, route):
        return Session(route)
"""


def test_live_logs_and_interrupts(project: Any) -> None:
    project.write_module("logs", LOGGING)
    arguments = ("toolcall::crate/deep", "toolcall::box/one::request::alpha-to-beta", "--toolcall-translator=logs:T")
    live = ("-o", "log_cli=true", "--log-file=run.log", "--color=no")
    text = harmless_output(project.pytester.runpytest_inprocess(*arguments, *live, no_reraise_ctrlc=True))
    assert "live log call" in text
    assert re.search("KeyboardInterrupt: .*pwned", text)
    harmless((project.path / "run.log").read_text(encoding="utf-8"))
