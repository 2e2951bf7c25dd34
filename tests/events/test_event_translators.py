"""Translators of events get the same findings from the check ``stream`` as translators of bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from events.translators import Async, AsyncCallbacks, Callbacks, Objects, Sync, constructors
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.stream import run
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import route_of
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS, cuts.Fineness(cuts=4, ends=3))
CASE = "write_file/unicode-arguments"
PAIRS = list(zip(CORPUS.formats, CORPUS.formats[1:] + CORPUS.formats[:1], strict=True))


@pytest.fixture(scope="module", autouse=True)
def _sdks() -> None:
    constructors()


class Translator:
    def __init__(self, session: Callable[[Route], Any]) -> None:
        self.open = session


def play(
    session: Callable[[Route], Any], client: str, upstream: str, variant: str = "", case: str = CASE
) -> ItemResult:
    driver = PythonDriver(Translator(session), "by events")
    try:
        return run(CORPUS.cases[case], route_of(CORPUS.cases[case], client, upstream), driver.open, HARNESS, variant)
    finally:
        driver.close()


@pytest.mark.parametrize("upstream", CORPUS.formats)
@pytest.mark.parametrize("client", CORPUS.formats)
def test_dicts_on_all_routes(client: str, upstream: str) -> None:
    result = play(Sync, client, upstream)
    assert result.findings == ()
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize("variant", ["", "recut", "cut"])
@pytest.mark.parametrize(("client", "upstream"), PAIRS)
@pytest.mark.parametrize("session", [Sync, Objects])
def test_dicts_and_objects_cut(session: Callable[[Route], Any], client: str, upstream: str, variant: str) -> None:
    """Each format once in, once out."""
    assert play(session, client, upstream, variant).findings == ()


@pytest.mark.parametrize("case", ["reasoning/seed", "parallel/three-tools"])
@pytest.mark.parametrize("client", CORPUS.formats)
def test_what_providers_sign_and_encrypt_goes_through_the_sdks(client: str, case: str) -> None:
    """Also where nothing is translated."""
    assert play(Objects, client, client, case=case).findings == ()


@pytest.mark.parametrize("variant", ["", "recut", "cut"])
@pytest.mark.parametrize("case", ["parallel/text-around", "parallel/three-tools"])
@pytest.mark.parametrize("session", [Callbacks, AsyncCallbacks, Async])
def test_by_callbacks(session: Callable[[Route], Any], case: str, variant: str) -> None:
    result = play(session, "anthropic", "openai_chat", variant, case)
    assert result.findings == ()
    assert result.verdict is Verdict.PASS
