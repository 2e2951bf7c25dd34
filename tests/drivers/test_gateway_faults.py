"""Faults of a gateway fail their own item; the run continues, and nothing remains of them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

import pytest

from drivers import gateway_project
from drivers.gateway_project import free_port, leftovers, noted_lines, write
from every import every
from fault_run import FaultRun
from miniature import CONFTEST
from project import QUIET

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")

REQUEST, RESPONSE = "toolcall::box/two::request::alpha-to-beta", "toolcall::box/two::response::alpha-to-beta"
THEN = "toolcall::crate::request::alpha-to-beta"
WORDS = "these are my last words"


@pytest.fixture(autouse=True)
def temporary_folder(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A place for temporary files, in which nothing may be left."""
    folder = project.path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))


def no_traceback(result: pytest.RunResult) -> None:
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    assert "Traceback" not in text
    assert "toolcall_conformance/" not in text


BEFORE = [
    ("dies", "crashed", "request failed: the gateway died with exit code 3", WORDS),
    ("is-killed", "crashed", "request failed: the gateway was killed by signal 11", WORDS),
    ("is-garbage", "protocol-error", "request: the gateway broke off, or its answer is not HTTP (*)", WORDS),
    (
        "is-another-protocol",
        "protocol-error",
        "request: the gateway broke off, or its answer is not HTTP (*)",
        WORDS,
    ),
    (
        "closes",
        "protocol-error",
        "request: the gateway broke off, or its answer is not HTTP (ServerDisconnectedError: *)",
        WORDS,
    ),
    ("asks-no-upstream", "bad-output", "the gateway answered 200 without asking the upstream: from a cache", WORDS),
    ("is-a-page", "bad-output", "the gateway answered 200 without asking the upstream: <html>welcome</html>", WORDS),
    (
        "redirects",
        "protocol-error",
        "request: the gateway answered 307 and sends the client to /elsewhere; correct `path` of *",
        WORDS,
    ),
    ("answers-500", "crashed", "request answered 500 before it asked the upstream: not this one", WORDS),
    ("answers-502-in-words", "crashed", "request answered 502 before it asked the upstream: Bad Gateway", WORDS),
    ("answers-400", "refused", "request refused this input: answered 400: not this one", ""),
    ("answers-401", "refused", "request refused this input: answered 401: not this one", ""),
    (
        "answers-404",
        "refused",
        "the gateway answered 404 at POST http*/alpha: not this one, where other requests got through",
        "",
    ),
    (
        "another-api",
        "upstream-address",
        (
            "the upstream was asked at POST /alpha, which is the API of alpha; perhaps this translator does the "
            "route alpha-to-alpha; beta is POST /beta/{model}:ask"
        ),
        "",
    ),
    (
        "no-api",
        "upstream-address",
        "the upstream was asked at POST /v9/ask, which is no API of these formats; beta is POST /beta/{model}:ask",
        "",
    ),
    ("looks-around-and-errs", "upstream-address", "the upstream was asked at POST /v9/ask, *", ""),
    (
        "another-method",
        "upstream-address",
        "the upstream was asked at PUT /beta/beta-1:ask, which is no API of these formats; *",
        "",
    ),
    ("no-version", "upstream-headers", "the request to POST /beta/beta-1:ask has no header x-beta-version", ""),
    ("leaks-in-a-header", "client-key-kept", "the client's key reaches the upstream in the header x-also", ""),
    ("leaks-in-the-query", "client-key-kept", "the client's key reaches the upstream in the query", ""),
    ("leaks-in-the-body", "client-key-kept", "the client's key reaches the upstream in the body", ""),
    ("other-model", "model-of-route", "the path names the model another, the route beta-1", ""),
    ("sends-no-json", "bad-output", "the body sent to the upstream is not JSON: line 1 column 2: *", ""),
    ("sends-no-utf-8", "bad-output", "the body sent to the upstream is not JSON: not UTF-8: *", ""),
    ("sends-a-list", "bad-output", "to the upstream the translator returned a list; a body is one JSON object *", ""),
]


NAMES = "fault, rule, sentence, words"


def fault_id(fault: str, *_: str) -> str:
    return fault


def faults(project: Any, rows: Iterable[tuple[str, ...]], *options: str, reply: bool, **more: Any) -> FaultRun:
    """A run with all faults of the rows: the gateway goes on, and leaves nothing."""
    # The request of a reply is played before: what the gateway does to the reply is no matter there.
    checks = ("request", "response") if reply else ("request",)
    run = FaultRun(project, write(project, **more), [row[0] for row in rows], *options, checks=checks)
    no_traceback(run.result)
    assert leftovers(project) == []
    return run


@pytest.fixture
def way_up(project: Any) -> FaultRun:
    run = faults(project, BEFORE, "--toolcall-strict", reply=False)
    assert len(noted_lines(project, "pids")) == 3  # started again for those that had ended: dies, is-killed
    return run


@every(NAMES, BEFORE, id=fault_id)
def test_a_fault_on_the_way_up(way_up: FaultRun, fault: str, rule: str, sentence: str, words: str) -> None:
    way_up.expect(fault, rule, _literal(sentence), words)


AFTER = [
    ("dies-after", "crashed", "response failed: the gateway died with exit code 3", WORDS),
    ("is-garbage-after", "protocol-error", "response: the gateway broke off, or its answer is not HTTP (*", WORDS),
    ("closes-after", "protocol-error", "response: the gateway broke off, *(ServerDisconnectedError: *", WORDS),
    ("half-a-body", "protocol-error", "response: the gateway broke off, *(ClientPayloadError: *", WORDS),
    ("half-a-chunk", "protocol-error", "response: the gateway broke off, *(ClientPayloadError: *", WORDS),
    ("garbage-for-a-chunk", "protocol-error", "response: the gateway broke off, *(ClientPayloadError: *", WORDS),
    ("no-gzip", "protocol-error", "response: the gateway broke off, *(ClientPayloadError: *", WORDS),
    (
        "is-a-page-after",
        "bad-output",
        "the gateway answered 200 with text/html, which is not JSON (line 1 *): '<html>welcome</html>'",
        WORDS,
    ),
    (
        "is-empty-after",
        "bad-output",
        "the gateway answered 200 with application/json, which is not JSON (*): ''",
        WORDS,
    ),
    (
        "no-utf-8",
        "bad-output",
        "the gateway answered 200 with application/json, which is not JSON (not UTF-8: *",
        WORDS,
    ),
    ("two-keys", "bad-output", "the gateway answered 200 with *, which is not JSON (the key 'text' occurs twice *", ""),
    ("is-a-list", "bad-output", "the gateway returned a list; a body is one JSON object (a dict)", ""),
    ("a-gigabyte", "bad-output", "the gateway answered more than 1,000 bytes (`max_bytes` in gateway.toml)", WORDS),
    (
        "answers-500-after",
        "crashed",
        "response answered 500 though the upstream answered 200: cannot read that",
        WORDS,
    ),
    (
        "answers-400-after",
        "crashed",
        "response answered 400 though the upstream answered 200: cannot read that",
        WORDS,
    ),
]


@pytest.fixture
def way_down(project: Any) -> FaultRun:
    run = faults(project, AFTER, reply=True, max_bytes=1000)
    assert len(noted_lines(project, "pids")) == 3  # one that dies behind its reply does so in both items
    return run


@every(NAMES, AFTER, id=fault_id)
def test_a_fault_on_the_way_down(way_down: FaultRun, fault: str, rule: str, sentence: str, words: str) -> None:
    way_down.expect(fault, rule, _literal(sentence), words)


SHORT = "--toolcall-timeout=0.6"
LATE = "response did not return within 0.6 s"
LATER = [
    ("hangs-after", LATE, WORDS),
    ("drips", LATE, "[1-9] bytes of its answer had arrived when the *; --toolcall-timeout *"),
    ("continues-for-ever", LATE, "0 bytes of its answer had arrived *"),
]


@pytest.fixture
def late(project: Any) -> FaultRun:
    run = faults(project, LATER, SHORT, reply=True)
    assert len(noted_lines(project, "pids")) == 1
    return run


@every("fault, sentence, words", LATER, id=fault_id)
def test_a_reply_that_is_late(late: FaultRun, fault: str, sentence: str, words: str) -> None:
    late.expect(fault, "timed-out", sentence, words)


def _literal(sentence: str) -> str:
    return sentence.replace("[", "[[]")


@pytest.mark.parametrize(
    ("fault", "tables", "starts"),
    [("hangs", "", 1), ("hangs-alone", "", 2), ("hangs", "[ready]", 2)],
    ids=["one call hangs", "no other call gets through", "one that only listens is not trusted"],
)
def test_a_gateway_that_hangs_is_started_again_only_if_it_must_be(
    project: Any, fault: str, tables: str, starts: int
) -> None:
    result = project.run("-v", REQUEST, THEN, SHORT, spec=write(project, fault, tables=tables))
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(
        ["  translation/timed-out  *        MUST", "    what  request did not return within 0.6 s", WORDS]
    )
    no_traceback(result)
    assert len(noted_lines(project, "pids")) == starts
    assert leftovers(project) == []


def test_a_gateway_that_does_not_start_again_fails_every_item_at_once(project: Any) -> None:
    spec = write(project, "starts-once")
    result = project.run("-v", REQUEST, "toolcall::crate::request", spec=spec)
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        [
            "    what  open failed: the gateway faulty died with exit code 1; the command and [[]ready] in *",
            "the database is locked",
            "    what  open failed: the gateway does not start any more (3 times in a row)",
        ]
    )
    assert len(noted_lines(project, "pids")) == 4
    assert leftovers(project) == []


@pytest.mark.parametrize(
    "fault", ["none", "banners", "ignores-sigterm", "leaves-a-grandchild", "looks-around-first", "ready-elsewhere"]
)
def test_what_is_no_fault_of_an_item(project: Any, fault: str) -> None:
    result = project.run("toolcall::box/two", spec=write(project, fault))
    result.assert_outcomes(passed=8)
    assert len(noted_lines(project, "pids")) == (2 if fault == "leaves-a-grandchild" else 1)
    assert leftovers(project) == []


def test_a_slow_start_is_no_slow_call(project: Any) -> None:
    result = project.run(THEN, "--toolcall-timeout=1", spec=write(project, "starts-slowly"))
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (
            "exits",
            "the gateway faulty died with exit code 1; the command and [[]ready] in *gateway.toml determine how it *",
        ),
        (
            "exits-with-0",
            "the gateway faulty died with exit code 0 before it was ready (it must stay in the foreground); *",
        ),
        (
            "never-ready",
            "the gateway faulty was not ready after 0.7 s (`seconds` of [[]ready]); *(GET *:*/ready: it answered 503)*",
        ),
        (
            "ready-elsewhere",
            "the gateway faulty *; *(GET *:*/ready: it answered 302, a redirect to 'http://127.0.0.1:9/login')*",
        ),
        (
            "never-listens",
            (
                "the gateway faulty was not ready after 0.7 s (`seconds` of [[]ready]); nothing listens on port *: see "
                "that the gateway takes its port from there; *; it printed last:"
            ),
        ),
    ],
)
def test_a_gateway_that_never_starts_is_a_usage_error(project: Any, fault: str, sentence: str) -> None:
    seconds = "60" if fault.startswith("exits") else "0.7"
    spec = write(project, fault, tables='[ready]\npath = "/ready"\nstatus = 200\nseconds = ' + seconds)
    result = project.run("toolcall::", spec=spec)
    assert result.duration < 15  # who died is not waited for
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    words = {"exits": "no licence found", "never-listens": "thinking about it"}.get(fault)
    if words:
        result.stderr.fnmatch_lines([words])
    no_traceback(result)
    assert leftovers(project) == []


def test_a_port_that_the_gateway_cannot_know(project: Any) -> None:
    command = [sys.executable, "-u", str(gateway_project.SCRIPT), "none", str(free_port()), "{upstream}"]
    result = project.run("toolcall::", spec=write(project, command=command, tables="[ready]\nseconds = 0.7"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: *; nothing listens on port *, and the gateway cannot know it: write {port} in `command`, *"]
    )
    assert leftovers(project) == []


@pytest.mark.parametrize(
    ("fault", "options", "is_reported"),
    [("starts-very-slowly", (), True), ("starts-very-slowly", ("-q",), False), ("none", (), False)],
)
def test_a_slow_start_is_reported(project: Any, fault: str, options: tuple[str, ...], is_reported: bool) -> None:
    result = project.run(THEN, *options, spec=write(project, fault))
    assert ("toolcall: waiting for the gateway faulty (GET http://127.0.0.1:" in result.stderr.str()) is is_reported


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (
            ["no-such-gateway"],
            "no-such-gateway cannot be started (No such file or directory); install it, or correct *",
        ),
        (["./gateway.toml"], "./gateway.toml cannot be started (Permission denied); *"),
        (["a\0b"], "*cannot be started (embedded null byte); *"),
    ],
)
def test_a_command_that_cannot_be_run(project: Any, command: list[str], sentence: str) -> None:
    result = project.run("toolcall::", spec=write(project, command=command))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *gateway.toml: {sentence}"])
    no_traceback(result)
    assert leftovers(project) == []


def test_an_error_of_ours_is_not_the_gateway_s(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolcall_conformance.drivers.library import exchanges

    def raise_zero_division(*_: Any) -> Any:
        raise ZeroDivisionError("our own fault")

    spec = write(project)
    monkeypatch.setattr(exchanges.ExchangeSession, "finish_exchange", raise_zero_division)
    result = project.run("toolcall::box/one", spec=spec)
    result.assert_outcomes(errors=4, passed=4)
    result.stdout.fnmatch_lines(["toolcall-conformance itself failed on this item: *our own fault*"])
    assert leftovers(project) == []


def test_a_port_that_is_taken(project: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = project.run("toolcall::box/one", spec=write(project, port=port))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            (
                f"ERROR: *gateway.toml: port {port} is in use, by another program or by a gateway that a former "
                "run left running; stop it, or leave out `port` and write {port} in the command"
            )
        ]
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one who leaves the group is not found")
def test_a_child_that_leaves_the_group_with_the_port_is_ended(project: Any) -> None:
    port = free_port()
    result = project.run(THEN, spec=write(project, "leaves-the-port", port=port))
    result.assert_outcomes(passed=1)
    assert len(noted_lines(project, "escaped")) == 1
    assert leftovers(project) == []


def test_a_run_that_is_terminated_leaves_nothing(project: Any) -> None:
    """As a CI job or ``timeout`` does it: by SIGTERM, for which Python calls nothing by itself."""
    spec = write(project, "hangs-alone")
    project.pytester.makeconftest(CONFTEST)
    started = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-q", *QUIET, "--toolcall-timeout=60", "--toolcall-translator", spec, REQUEST],
        cwd=project.path,
        env={**os.environ, "TMPDIR": str(project.path / "tmp")},
        stdout=subprocess.DEVNULL,
    )
    end = time.monotonic() + 30
    while "/alpha box/two" not in noted_lines(project, "posts") and time.monotonic() < end:
        time.sleep(0.05)
    assert "/alpha box/two" in noted_lines(project, "posts")
    started.terminate()
    assert started.wait(20) == 128 + signal.SIGTERM
    assert leftovers(project) == []
