"""With a proxy in the environment, libraries, children and gateways still reach the scripted provider."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers.fused_library import library
from drivers.gateway_project import write
from toolcall_conformance.drivers.child.process import ChildProcess
from toolcall_conformance.drivers.gateway.loopback import no_proxy_variables

# Nothing listens there: who asks the proxy fails.
PROXY = "http://127.0.0.1:9"
SHOWN = "import os; print(os.environ['no_proxy'], os.environ['NO_PROXY'], flush=True)"


@pytest.fixture(autouse=True)
def proxy_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, PROXY)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "")
    yield
    for name in ("no_proxy", "NO_PROXY"):  # what the run set, too
        os.environ.pop(name, None)


def test_a_library_in_this_process(project: Any) -> None:
    project.run("toolcall::", spec=library(project)).assert_outcomes(passed=24)


def test_a_gateway(project: Any) -> None:
    project.run("toolcall::box/two", spec=write(project)).assert_outcomes(passed=8)


def test_a_child(tmp_path: Path) -> None:
    child = ChildProcess([sys.executable, "-c", SHOWN], directory=tmp_path, piped=True)
    assert child.stdout is not None
    assert child.stdout.readline().decode().split() == ["127.0.0.1,localhost,::1"] * 2
    child.stop()


@pytest.mark.parametrize(
    ("environment", "hosts"),
    [
        ({}, "127.0.0.1,localhost,::1"),
        ({"NO_PROXY": "internal.example, localhost"}, "internal.example,localhost,127.0.0.1,::1"),
        ({"no_proxy": "a.example", "NO_PROXY": "b.example"}, "a.example,127.0.0.1,localhost,::1"),
        ({"NO_PROXY": "*"}, None),
    ],
)
def test_what_users_exempt_stays(environment: dict[str, str], hosts: str | None) -> None:
    assert no_proxy_variables(environment).get("NO_PROXY") == hosts
