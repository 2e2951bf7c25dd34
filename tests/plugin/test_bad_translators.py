"""Whatever a translator does, the run ends with a sentence, the right exit code, and no traceback of ours."""

from __future__ import annotations

from typing import Any

import pytest

from every import every
from fault_run import FaultRun

ITEM = "toolcall::box/one::request::alpha-to-beta"


def assert_no_own_traceback(result: pytest.RunResult) -> None:
    text = result.stdout.str() + result.stderr.str()
    for ours in ("toolcall_conformance/", "INTERNALERROR"):
        assert ours not in text


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("good", "'good' names no Python object; write package.module:attribute"),
        ("good.py:T", "*names no Python object*(good:T perhaps)"),
        ("god:T", "'god:T': there is no module 'god' in * (which is on sys.path) nor *; did you mean 'good'[?]"),
        ("good:TT", "'good:TT': good (*good.py) has no attribute 'TT'; did you mean 'T'[?]"),
        ("good:Session", "'good:Session': calling it without arguments raised TypeError: *"),
        ("gateway:a.toml", "*a.toml is not there; write gateway:FILE.toml with a file that is"),
        (
            "no_open:T",
            "'no_open:T': the class has no method `open`; did you mean 'opne'[?] A translator has a method open*",
        ),
        ("no_open:VALUE", "'no_open:VALUE' is an object of type int without a method `open`. A translator *"),
        ("broken:T", "'broken:T': importing broken failed with ZeroDivisionError: division by zero at *broken.py:1; *"),
        ("syntax:T", "'syntax:T': importing syntax failed with SyntaxError: * at *syntax.py:1; *"),
        ("needs:T", "'needs:T': importing needs failed with ModuleNotFoundError: No module named 'not_installed' at *"),
        (
            "no_operation:T",
            "no_operation:T: the session that open returned for alpha-to-alpha has neither request nor *",
        ),
        (
            "returns_none:T",
            "returns_none:T: the session that open returned for alpha-to-alpha has neither request nor *",
        ),
    ],
)
def test_a_translator_that_cannot_be_reached_is_a_usage_error(project: Any, spec: str, sentence: str) -> None:
    project.write_module("no_open", "class T:\n    def opne(self, route): pass\nVALUE = 1\n")
    project.write_module("broken", "1 / 0\n")
    project.write_module("syntax", "def (:\n")
    project.write_module("needs", "import not_installed\n")
    project.write_module("no_operation", "class T:\n    def open(self, route): return object()\n")
    project.write_module("returns_none", "class T:\n    def open(self, route): return None\n")
    result = project.run("toolcall::", spec=spec)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert_no_own_traceback(result)
    assert "Traceback" not in result.stderr.str()


def test_no_translator_is_a_usage_error(project: Any) -> None:
    result = project.run("toolcall::", spec=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: toolcall:: needs a translator to judge: --toolcall-translator *"])


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_a_time_limit_that_is_none(project: Any, seconds: str) -> None:
    result = project.run("toolcall::", f"--toolcall-timeout={seconds}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --toolcall-timeout: * is not a time limit; give seconds above zero"])


# By the name of a fault: what a call does, and the finding that it is.
CALLS = [
    ("raises", "raise KeyError('oops')", "crashed", "request raised KeyError: 'oops'"),
    ("leaves", "raise SystemExit(3)", "crashed", "request raised SystemExit: 3"),
    ("skips", "__import__('pytest').skip('not today')", "crashed", "request raised Skipped: not today"),
    ("finds-no-name", "return f(body)\n            f = f", "crashed", "request raised UnboundLocalError: *"),
    (
        "calls-itself",
        "return self.request(body)",
        "crashed",
        "request raised RecursionError: maximum recursion depth exceeded*",
    ),
    (
        "none",
        "return None",
        "bad-output",
        "request returned None; return the translated body (is a `return` missing[?])",
    ),
    ("text", "return '{}'", "bad-output", "request returned a string; return the body as a dict, not its JSON text"),
    ("list", "return [body]", "bad-output", "request returned a list; a body is one JSON object (a dict)"),
    (
        "no-json",
        "return {'a': [float('nan')]}",
        "bad-output",
        "request returned NaN, which JSON does not have (at /a/0)",
    ),
    ("circle", "body['me'] = body; return body", "bad-output", "request returned a body that contains itself; *"),
    (
        "too-large",
        "return {'a': 'x' * 17_000_000}",
        "bad-output",
        "request returned a body of more than 16,777,216 bytes of JSON*",
    ),
    ("set", "return {'a': {1, 2}}", "bad-output", "request returned a set inside the body; make it plain JSON (at /a)"),
    ("loops", "while True: pass", "timed-out", "request did not return within 0.2 s"),
    ("sleeps", "__import__('time').sleep(60)", "timed-out", "request did not return within 0.2 s"),
]
WORDS = {"function": "def", "coroutine": "async def"}


def is_late(row: tuple[str, ...]) -> bool:
    return row[2] == "timed-out"


@pytest.fixture(params=WORDS)
def runs(project: Any, request: pytest.FixtureRequest) -> dict[bool, FaultRun]:
    """Two runs in which these calls are made: of those that are late, with a short time limit, and of the others."""
    word = WORDS[request.param]
    session = [f"    {word} request(self, body):"]
    for name, body, *_ in CALLS:
        if word == "async def":
            body = body.replace("self.request(body)", "await self.request(body)")
        session.append(f"        if body.get('text', '').startswith('fault/{name} '):\n            {body}")
    spec = project.write_translator("\n".join([*session, "        return super().request(body)"]))
    # Only what is to run out of time gets little of it: a busy machine takes long to write 17 MB.
    faults = {}
    for late, limit in ((True, "--toolcall-timeout=0.2"), (False, "--toolcall-timeout=20")):
        names = [row[0] for row in CALLS if is_late(row) is late]
        faults[late] = FaultRun(project, spec, names, limit)
        assert faults[late].result.ret == pytest.ExitCode.TESTS_FAILED
        assert_no_own_traceback(faults[late].result)
    return faults


@every("row", CALLS, id=lambda row: row[0])
def test_a_call_that_brings_no_body_is_one_finding(runs: dict[bool, FaultRun], row: tuple[str, ...]) -> None:
    name, _, rule, sentence = row
    runs[is_late(row)].expect(name, rule, sentence, "")


def test_the_translators_own_traceback_is_shown(project: Any) -> None:
    project.write_module("helper", "def help():\n    raise KeyError('deep inside')\n")
    spec = project.write_translator(
        "    async def request(self, body):\n"
        "        import helper\n"
        "        try:\n"
        "            helper.help()\n"
        "        except KeyError as error:\n"
        "            raise ValueError('no good') from error"
    )
    result = project.run(ITEM, spec=spec)
    result.stdout.fnmatch_lines(
        [
            "*again pytest --toolcall-translator mine:T*",
            "",
            "Traceback (most recent call last):",
            "*mine.py*in request",
            "*helper.help()*",
            "*helper.py*in help",
            "KeyError: 'deep inside'",
            "*direct cause*",
            "ValueError: no good",
        ]
    )
    assert_no_own_traceback(result)
    assert "asyncio" not in result.stdout.str()


def test_a_mutated_input_is_a_should(project: Any) -> None:
    spec = project.write_translator(
        "    def request(self, body):\n        return super().request(body) | {'n': body.clear()}"
    )
    project.run(ITEM, spec=spec).assert_outcomes(passed=1)
    result = project.run(ITEM, "--toolcall-strict", spec=spec)
    result.stdout.fnmatch_lines(["  translation/input-mutated  *SHOULD"])
    project.run("toolcall::box/one::request", spec="good:T").assert_outcomes(passed=4)


def test_a_call_that_hangs_does_not_hold_up_collection(project: Any) -> None:
    spec = project.write_translator("    def request(self, body):\n        while True: pass")
    result = project.run(ITEM, "--toolcall-timeout=0.5", spec=spec)
    result.assert_outcomes(failed=1)
    assert result.duration < 5


def test_open_that_raises_fails_the_request_and_blocks_the_reply(project: Any) -> None:
    project.write_module("mine", "class T:\n    def open(self, route): raise KeyError('no config')\n")
    result = project.run("toolcall::box/one", "-v", spec="mine:T")
    result.assert_outcomes(failed=4, skipped=4)
    result.stdout.fnmatch_lines(["    what  open raised KeyError: 'no config'"])


def test_async_translators_work(project: Any) -> None:
    project.write_module(
        "mine",
        "import asyncio\n"
        "import good\n"
        "class S:\n"
        "    def __init__(self, route): self.sync, self.lock = good.Session(route), asyncio.Lock()\n"
        "    async def request(self, body):\n"
        "        async with self.lock: await asyncio.sleep(0)\n"
        "        return self.sync.request(body)\n"
        "    async def response(self, body):\n"
        "        async with self.lock: await asyncio.sleep(0)\n"
        "        return self.sync.response(body)\n"
        "class T:\n"
        "    async def open(self, route):\n"
        "        await asyncio.sleep(0)\n"
        "        return S(route)\n",
    )
    project.run("toolcall::", spec="mine:T").assert_outcomes(passed=24)


@pytest.mark.parametrize("spec", ["good:T", "ways:INSTANCE", "ways:factory", "ways:nested.T"])
def test_class_instance_and_factory(project: Any, spec: str) -> None:
    project.write_module(
        "ways",
        "import good\nINSTANCE = good.T()\ndef factory(): return good.T()\nclass nested:\n    T = good.T\n",
    )
    project.run("toolcall::", spec=spec).assert_outcomes(passed=24)
