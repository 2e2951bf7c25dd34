"""Verdicts and what they are to pytest: pass, warn, fail, refused, blocked, not applicable, error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.any_python

EXTRA = "    def request(self, body):\n        return {**super().request(body), 'extra': 1}"
REFUSES = "    def request(self, body):\n        raise Refused('too large for me')"
CRASHES = "    def request(self, body):\n        raise KeyError('oops')"


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    """Verdicts by the end of the node id."""
    return {item["nodeid"].split("::", 2)[2]: item["verdict"] for item in report["items"]}


def test_warn_passes_and_fails_under_strict(project: Any) -> None:
    spec = project.write_translator(EXTRA)
    project.run("toolcall::box/one", spec=spec).assert_outcomes(passed=8)
    result = project.run("toolcall::box/one", "-v", "--toolcall-strict", spec=spec)
    result.assert_outcomes(passed=4, failed=4)
    result.stdout.fnmatch_lines(["  translation/extra  *SHOULD", '*again pytest*--toolcall-strict "toolcall::*"'])
    report = project.run_report("toolcall::box/one", spec=spec)
    assert report["counts"]["warned"] == 4
    assert set(verdicts(report).values()) == {"pass", "warn"}


def test_warn_is_said_with_v(project: Any) -> None:
    project.run("toolcall::box/one::request", "-v", spec=project.write_translator(EXTRA)).stdout.fnmatch_lines(
        ["toolcall::box/one::request::alpha-to-beta WARN*"]
    )


def test_a_refusal_fails(project: Any) -> None:
    result = project.run("toolcall::box/one", "-v", spec=project.write_translator(REFUSES))
    result.assert_outcomes(failed=4, skipped=4)
    result.stdout.fnmatch_lines(
        ["  translation/refused  *MUST", "    what  request refused this input: too large for me"]
    )
    report = project.run_report("toolcall::box/one", spec="mine:T")
    assert verdicts(report)["request::alpha-to-beta"] == "refused"
    assert verdicts(report)["response::alpha-to-beta"] == "blocked"


def test_a_refusal_passes_where_the_case_allows_it(project: Any, add_case: Callable[..., Path]) -> None:
    add_case("box/large", may_refuse=["request"])
    result = project.run("toolcall::box/large::request", spec=project.write_translator(REFUSES))
    result.assert_outcomes(passed=4)


def test_a_failed_request_blocks_the_reply(project: Any) -> None:
    result = project.run("toolcall::box/one", "-rs", spec=project.write_translator(CRASHES))
    result.assert_outcomes(failed=4, skipped=4)
    result.stdout.fnmatch_lines(["SKIPPED * blocked: 01-request: request raised KeyError: 'oops'"])
    assert "plugin.py" not in result.stdout.str()
    assert "nodes.py" not in result.stdout.str()


def test_nothing_but_blocked_items_is_nothing_judged(project: Any) -> None:
    result = project.run("toolcall::box/one::response", spec=project.write_translator(CRASHES))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: nothing was judged*"])


def test_later_exchanges_are_played_and_named(project: Any) -> None:
    spec = project.write_translator(
        "    def request(self, body):\n"
        "        return {'text': 'lost'} if body['text'].endswith('2') else super().request(body)"
    )
    result = project.run("toolcall::crate/deep::request::alpha-to-beta", spec=spec)
    result.stdout.fnmatch_lines(["    in    02-request", '    want  "crate/deep request 2"', '    got   "lost"'])


def test_a_session_with_its_own_history_plays_the_first_exchange_only(project: Any) -> None:
    spec = project.write_translator(
        "    history = 'own'\n"
        "    def request(self, body):\n"
        "        return {'text': 'lost'} if body['text'].endswith('2') else super().request(body)"
    )
    project.run("toolcall::crate/deep", spec=spec).assert_outcomes(passed=8)


def test_each_item_has_a_session_of_its_own(project: Any) -> None:
    spec = project.write_translator(
        "    calls = 0\n"
        "    def request(self, body):\n"
        "        self.calls += 1\n"
        "        assert self.calls <= 2\n"
        "        return super().request(body)"
    )
    project.run("toolcall::", spec=spec).assert_outcomes(passed=24)


def test_an_undeclared_route_is_not_collected_but_counted(project: Any) -> None:
    project.write_module(
        "mine",
        "from good import Session\n"
        "class Unsupported(Exception): pass\n"
        "class NotThisOne(Unsupported): pass\n"
        "class T:\n"
        "    def open(self, route):\n"
        "        if route.upstream == 'beta': raise NotThisOne('no beta yet')\n"
        "        if route.client == 'beta': raise NotImplementedError\n"
        "        return Session(route)\n",
    )
    result = project.run("toolcall::", spec="mine:T")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(
        ["passed, of all *", "alpha → alpha *3/3 *3/3", "6 passed, 18 not applicable: 3 of 4 routes are not yours"]
    )
    result = project.run("toolcall::box/one::request::alpha-to-beta", spec="mine:T")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reason = "supports none of the selected items: no beta yet (alpha → beta)"
    result.stdout.fnmatch_lines([f"toolcall: nothing was judged: *{reason}"])


def test_errors_of_a_translator_without_errors_are_counted_but_not_collected(project: Any, add_case: Any) -> None:
    for name in ("alpha", "beta"):
        folder = add_case("box/fails") if name == "alpha" else project.corpus / "scenarios/box/fails"
        (folder / name / "01-response.json").unlink()
        (folder / name / "01-error.json").write_text('{"status": 500, "headers": {}, "body": {}}', encoding="utf-8")
    result = project.run("toolcall::box")
    result.assert_outcomes(passed=20)
    result.stdout.fnmatch_lines(
        [
            "passed, of all request response",
            "alpha → alpha *3/3 *2/2",
            "20 passed, 4 not applicable: they need what you*",
        ]
    )
    result = project.run("toolcall::box/fails::response")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: nothing was judged: the good one supports none of the selected items*"])


def test_a_translator_with_one_operation_has_one_check(project: Any) -> None:
    project.write_module(
        "mine",
        "import good\nclass S:\n    def __init__(self, r): self.response = good.Session(r).response\n"
        "class T:\n    def open(self, route): return S(route)\n",
    )
    project.run("toolcall::box/one", spec="mine:T").assert_outcomes(passed=4)
    report = project.run_report("toolcall::box/one", spec="mine:T")
    assert report["counts"]["not_applicable"] == 4
    assert len({name.split("::")[2] for name in report["not_applicable"]}) == 1
    assert len(set(report["not_applicable"])) == 4


def test_an_operation_that_is_unsupported_is_not_applicable(project: Any) -> None:
    spec = project.write_translator(
        "    def response(self, body):\n        raise Unsupported('replies pass unchanged')"
    )
    project.run("toolcall::box/one", spec=spec).assert_outcomes(passed=4)


def test_an_operation_that_is_unsupported_now_and_then_was_declared(project: Any) -> None:
    spec = project.write_translator(
        "    def request(self, body):\n"
        "        if 'two' in body['text']: raise Unsupported('not two')\n"
        "        return super().request(body)"
    )
    result = project.run("toolcall::box/two::request", "-v", spec=spec)
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*request is not supported for this input (not two), though the session has it*"])


def test_a_fault_of_the_judge_is_a_setup_error_and_not_the_translators(project: Any) -> None:
    spec = project.write_translator("    def request(self, body):\n        return {'explode': 1}")
    result = project.run("toolcall::box/one::request", spec=spec)
    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(
        [
            "*ERROR at setup of toolcall::box/one::request::*",
            "toolcall-conformance itself failed on this item: ZeroDivisionError*",
        ]
    )
    assert "Traceback" not in result.stdout.str()
    full = project.run("toolcall::box/one::request", "--full-trace", spec=spec)
    full.stdout.fnmatch_lines(["*ZeroDivisionError*"])
    report = project.run_report("toolcall::box/one::request", spec=spec)
    assert report["counts"]["error"] == 4


def test_an_error_of_the_client_s_is_a_refusal(project: Any) -> None:
    """One of a library's own class, with its line; a slip with the same words is a crash."""
    raising = "    def request(self, body):\n        raise type(%s)('no such role')"
    kinds = {
        "refused": "'BadRequestError', (Exception,), {'status_code': 400}",
        "crashed": "'InternalError', (Exception,), {'status_code': 500}",
    }
    for rule, kind in kinds.items():
        report = project.run_report("toolcall::box/one::request", spec=project.write_translator(raising % kind))
        findings = [finding for item in report["items"] for finding in item["findings"]]
        assert {finding["rule"] for finding in findings} == {f"translation/{rule}"}
        assert {item["verdict"] for item in report["items"]} == {"refused" if rule == "refused" else "fail"}
        assert all(finding["message"].endswith("Error: no such role") for finding in findings)
        assert all(finding["code"].partition(":")[0].endswith(".py") for finding in findings)
