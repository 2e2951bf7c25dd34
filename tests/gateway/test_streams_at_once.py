"""Two streams that are open at once through a gateway: one that mixes them, a sound one, and one that is serial."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.drivers.gateway.driver import GatewayDriver
from toolcall_conformance.drivers.habits import KnownQueueing
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
CHAT, ANTHROPIC = "openai_chat", "anthropic"
ROUTE = Route(CHAT, ANTHROPIC, CASE.model(CHAT), CASE.model(ANTHROPIC))


@contextmanager
def gateway(kind: str, folder: Path) -> Iterator[GatewayDriver]:
    command = json.dumps([sys.executable, "-u", str(Path(__file__).with_name("mixing_gateway.py")), kind, "{port}"])
    path = folder / "gateway.toml"
    path.write_text(
        f'name = "{kind}"\ncommand = {command}\n[ready]\npath = "/"\n'
        f"[client.{CHAT}]\n[upstream.{ANTHROPIC}]\n"
        'headers = {"x-upstream-url" = "{upstream}", "x-upstream-key" = "{upstream_key}"}\n',
        encoding="utf-8",
    )
    driver = GatewayDriver("gateway:gateway.toml", path, CORPUS.transports)
    try:
        yield driver
    finally:
        driver.close()


def run_concurrently(driver: GatewayDriver) -> ItemResult:
    try:
        return CHECKS["stream"](CASE, ROUTE, driver.open, HARNESS, "concurrent", None)
    finally:
        driver.end_item()


def test_a_gateway_that_mixes_them_is_caught(tmp_path: Path) -> None:
    with gateway("mixing", tmp_path) as driver:
        result = run_concurrently(driver)
    assert result.verdict is Verdict.FAIL
    assert "translation/arguments" in {finding.rule for finding in result.findings}
    assert all("while another stream is open" in finding.message for finding in result.findings)


def test_a_sound_gateway_passes(tmp_path: Path) -> None:
    with gateway("sound", tmp_path) as driver:
        result = run_concurrently(driver)
    assert (result.verdict, result.findings) == (Verdict.PASS, ())


def test_a_serial_gateway_is_named_and_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    seconds = KnownQueueing.patience_seconds

    def record_wait(self: KnownQueueing, usual: float, limit: float) -> float:
        waits.append(seconds(self, usual, limit))
        return waits[-1]

    monkeypatch.setattr(KnownQueueing, "patience_seconds", record_wait)
    with gateway("serial", tmp_path) as driver:
        results = [run_concurrently(driver), run_concurrently(driver), run_concurrently(driver)]
        alone = CHECKS["stream"](CASE, ROUTE, driver.open, HARNESS, "", None)
    assert {result.verdict for result in results} == {Verdict.NOT_APPLICABLE}
    assert all("serves one request at a time" in result.reason for result in results)
    assert len(waits) == 1, "only the first item waits"
    assert alone.verdict is Verdict.PASS
