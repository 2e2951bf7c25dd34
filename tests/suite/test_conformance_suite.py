"""``ConformanceSuite``: the rules as tests of the user's own, and snapshots of what his translator makes."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

MINE = """
from toolcall_reference import ReferenceTranslator


class Session:
    def __init__(self, session):
        self.session = session

    def request(self, body):
        return {request}

    def response(self, body):
        return {response}


class Translator:
    def open(self, route):
        return Session(ReferenceTranslator().open(route))
"""

TESTS = """
from toolcall_conformance.suite import ConformanceSuite


class TestMine(ConformanceSuite):
    translator = {translator}
    cases = ("shell/seed", "toolcall::parallel/seed")
    routes = ("anthropic-to-gemini", "openai_chat-to-anthropic")
    {more}
"""

names = (f"suite_{number}" for number in itertools.count())


class User:
    """A user's project with a translator and a test file."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        monkeypatch.syspath_prepend(pytester.path)

    def tests(self, *, translator: str = "'{module}:Translator'", more: str = "", **session: str) -> str:
        """Write both files; the name of the tests' module. Each time another, for Python keeps what it imported."""
        module = next(names)
        methods = {"request": "self.session.request(body)", "response": "self.session.response(body)", **session}
        mine = MINE
        for key, value in methods.items():
            mine = mine.replace("{" + key + "}", value)
        (self.pytester.path / f"{module}.py").write_text(mine, encoding="utf-8")
        text = TESTS.format(translator=translator.format(module=module), more=more)
        (self.pytester.path / "test_mine.py").write_text(text, encoding="utf-8")
        return module

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run it as a strict user does: every warning is an error."""
        quiet = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
        return self.pytester.runpytest_inprocess("-W", "error", *quiet, *arguments)

    def snapshots(self) -> dict[str, Any]:
        folder = Path(self.pytester.path) / "__snapshots__" / "test_mine"
        return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}


@pytest.fixture
def user(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> User:
    return User(pytester, monkeypatch)


@pytest.mark.parametrize("translator", ["'{module}:Translator'", "__import__('{module}').Translator"])
def test_snapshots_are_taken_kept_and_compared(user: User, translator: str) -> None:
    user.tests(translator=translator)
    user.run("--snapshot-update").assert_outcomes(passed=16)
    snapshots = user.snapshots()
    assert len(snapshots) == 8
    snapshot = snapshots["TestMine.test_output[shell.seed-request-anthropic-to-gemini].json"]
    assert list(snapshot) == ["01-request", "02-request"]
    assert snapshot["01-request"]["contents"][0]["role"] == "user"
    user.run().assert_outcomes(passed=16)
    # A change that no rule forbids.
    user.tests(translator=translator, request="{**self.session.request(body), 'labels': {'by': 'me'}}")
    done = user.run("-k", "shell and request and gemini and output")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*labels*"])
    assert user.snapshots() == snapshots
    user.run("--snapshot-update", "-k", "shell and request and gemini").assert_outcomes(passed=2)
    changed = {name for name, body in user.snapshots().items() if body != snapshots[name]}
    assert changed == {"TestMine.test_output[shell.seed-request-anthropic-to-gemini].json"}


def test_what_differs_from_run_to_run_is_numbered(user: User) -> None:
    now = "__import__('time').time_ns()"
    fresh = f"{{**self.session.response(body), 'id': 'fresh-' + str({now}), 'created': {now}}}"
    user.tests(response=fresh, more="checks = ('response',)")
    user.run("--snapshot-update", "-k", "output").assert_outcomes(passed=4)
    user.run("-k", "output").assert_outcomes(passed=4)
    snapshot = user.snapshots()["TestMine.test_output[shell.seed-response-openai_chat-to-anthropic].json"][
        "01-response"
    ]
    assert (snapshot["id"], snapshot["created"]) == ("<id 1>", "<time>")
    assert snapshot["choices"][0]["message"]["tool_calls"][0]["id"] == "call_123"  # the provider's own


def test_a_broken_rule_fails_in_the_words_of_the_plugin(user: User) -> None:
    user.tests(response="{**self.session.response(body), 'stop_reason': 'end_turn'}", more="test_output = None")
    done = user.run("-k", "anthropic-to-gemini and response")
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*shell/seed · response · anthropic → gemini*", "*translation/finish-reason*"])
    done.stdout.fnmatch_lines(
        ['*again pytest "test_mine.py::TestMine::test_rules[[]shell.seed-response-anthropic-to-gemini]"']
    )
    assert "Traceback" not in done.stdout.str()


LOOP = "checks = ('agent_loop', 'agent_loop-s*'); test_output = None"


def test_the_loop_and_its_variants(user: User) -> None:
    user.tests(more=LOOP)
    done = user.run("-v")
    names = {line.partition("[")[2].partition("]")[0] for line in done.outlines if " PASSED" in line}
    assert "shell.seed-agent_loop-anthropic-to-gemini" in names
    assert "parallel.seed-agent_loop-anthropic-to-gemini-swapped" in names
    assert not [name for name in names if "interleaved" in name and "streamed" not in name]


MENDED = "self.session.response(body)"
ENDS = "{**self.session.response(body), 'stop_reason': 'end_turn'}"
KNOWN = "".join(
    f"""
[[known]]
rule = "{rule}"
reason = "issue 12"
items = [
  "parallel/seed::response::anthropic-to-gemini",
  "shell/seed::response::anthropic-to-gemini",
]
"""
    for rule in ("anthropic/finish-agrees-with-calls", "translation/finish-reason")
)


def test_known_failures_are_expected(user: User) -> None:
    user.tests(response=ENDS, more="test_output = None; checks = ('response',); routes = ('anthropic-to-gemini',)")
    (user.pytester.path / "known.toml").write_text(KNOWN, encoding="utf-8")
    user.run().assert_outcomes(failed=2)
    done = user.run("--toolcall-known-failures=known.toml", "-rx")
    done.assert_outcomes(xfailed=2)
    done.stdout.fnmatch_lines(["XFAIL *translation/finish-reason: issue 12*"])
    user.run("--toolcall-known-failures=known.toml", "--runxfail").assert_outcomes(failed=2)


def test_a_known_failure_that_no_longer_comes_fails(user: User) -> None:
    user.tests(more="test_output = None; checks = ('response',); routes = ('anthropic-to-gemini',)")
    (user.pytester.path / "known.toml").write_text(KNOWN, encoding="utf-8")
    (user.pytester.path / "pyproject.toml").write_text("[tool.toolcall]\nknown-failures = 'known.toml'\n")
    done = user.run()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["*known.toml: translation/finish-reason no longer fails here; delete line 15"])
    done = user.run("--toolcall-known-failures-update")
    assert "TestMine: --toolcall-known-failures-update is for arguments that start with toolcall::" in str(done.stdout)


def test_what_differs_from_try_to_try_is_unstable(user: User) -> None:
    moody = "{**self.session.response(body), **({'stop_reason': 'end_turn'} if self.turn else {})}"
    module = user.tests(
        response=moody, more="test_output = None; checks = ('response',); routes = ('anthropic-to-gemini',)"
    )
    path = user.pytester.path / f"{module}.py"
    text = path.read_text(encoding="utf-8").replace(
        "self.session = ", "self.turn = next(TURN)\n        self.session = "
    )
    path.write_text("import itertools\nTURN = itertools.cycle([0, 1])\n" + text, encoding="utf-8")
    done = user.run("--toolcall-repeat=4", "-rx")
    done.assert_outcomes(xfailed=2)
    done.stdout.fnmatch_lines(
        ["XFAIL *unstable: pass 2 of 4 times, fail 2 of 4 times: *translation/finish-reason 2 of 4 *"]
    )


@pytest.mark.parametrize(
    ("translator", "more", "sentence"),
    [
        ("None", "", "TestMine: set the translator: translator = "),
        ("'nowhere:Translator'", "", "there is no module 'nowhere'"),
        ("'{module}:Translator'", "routes = ('anthropic-to-bard',)", "TestMine: there is no route 'anthropic-to-bard'"),
        (
            "'{module}:Translator'",
            "checks = ('agent_lop', 'request-swapped')",
            "TestMine: there is no check 'agent_lop', 'request-swapped'; there are adapter, adapter-swapped, ",
        ),
        (
            "'{module}:Translator'",
            "cases = 'shell'",
            'TestMine: cases must be a list of names: cases = ("shell/seed",)',
        ),
        ("'{module}:Translator'", "routes = None", "TestMine: routes must be a list of names"),
        ("'{module}:Translator'", "checks = (1,)", 'TestMine: checks must be a list of names: checks = ("request",)'),
        ("'{module}:Translator'", "cases = ('shel',)", "there is no case or family 'shel'; did you mean shell"),
        (
            "'{module}:Translator'",
            "checks = ('stream',)",
            ":Translator supports none of the selected items: no stream (anthropic → gemini, openai_chat → anthropic)",
        ),
        (
            "'{module}:Translator'",
            "checks = ('stream-cut',)",
            "there is nothing to test: no item of its cases is of the check stream-cut on anthropic-to-gemini or ",
        ),
    ],
)
def test_mistakes_are_reported(user: User, translator: str, more: str, sentence: str) -> None:
    user.tests(translator=translator, more=more)
    done = user.run()
    output = done.stdout.str() + done.stderr.str()
    assert done.ret != 0
    assert sentence in output
    assert "Traceback" not in output
    assert "_hookexec" not in output


def test_without_syrupy_the_rules_alone(user: User) -> None:
    user.tests()
    done = user.run("-p", "no:syrupy")
    assert "pip install 'toolcall-conformance[snapshots]', or set test_output = None" in done.stdout.str()
    user.tests(more="test_output = None")
    user.run("-p", "no:syrupy").assert_outcomes(passed=8)


def test_streams_are_kept_as_they_come_uncut(user: User) -> None:
    streams = "stream = lambda self, chunks: self.session.stream(chunks)"
    module = user.tests(more="cases = ('write_file/unicode-arguments',)")
    path = user.pytester.path / f"{module}.py"
    path.write_text(path.read_text(encoding="utf-8").replace("class Session:", f"class Session:\n    {streams}\n"))
    user.run("--snapshot-update", "-k", "output and stream").assert_outcomes(passed=2)
    snapshot = user.snapshots()["TestMine.test_output[write_file.unicode-arguments-stream-anthropic-to-gemini].json"]
    assert snapshot["01-response.sse"]["events"][0]["event"] == "message_start"


def test_an_item_is_played_once_and_then_forgotten(user: User) -> None:
    counting = "(print('PLAYED', body.get('model')), self.session.request(body))[1]"
    user.tests(request=counting, more="checks = ('request',)")
    user.pytester.makeconftest(
        """
        def pytest_sessionfinish(session):
            played_items = [item for item in session.items if item.callspec.params["toolcall_item"]._result is not None]
            print(f"HELD {len(played_items)} of {len(session.items)}")  # of both tests of the last item
        """
    )
    done = user.run("-s", "--snapshot-update")
    done.assert_outcomes(passed=8)
    done.stdout.fnmatch_lines(["*HELD 2 of 8*"])
    alone = user.run("-s", "-k", "rules")
    assert 0 < alone.stdout.str().count("PLAYED") == done.stdout.str().count("PLAYED")


DYING = "__import__('os')._exit(3) if 'PYTEST_CURRENT_TEST' in __import__('os').environ else self.session.request(body)"


def test_a_translator_in_a_process_of_its_own(user: User) -> None:
    user.tests(translator="__import__('{module}').Translator", more="test_output = None", request=DYING)
    result = user.run("--toolcall-isolated", "-k", "seed-request-anthropic")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*request died with exit code 3*"])


@pytest.mark.parametrize("translator", ["__import__('{module}').Translator()", "lambda: None"])
def test_another_process_cannot_find_an_object(user: User, translator: str) -> None:
    user.tests(translator=translator, more="test_output = None")
    result = user.run("--toolcall-isolated")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*TestMine: an isolated translator is made in another process, which cannot find*"])
