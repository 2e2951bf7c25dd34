"""The benchmark of streams sees what it is there to see; its figures are not the business of tests."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from benchmarks.long_text import PIECE, peak
from toolcall_conformance.basics.contract import Route
from toolcall_reference import ReferenceTranslator

ROUTE = Route("anthropic", "openai_chat", "mine", "gpt", stream=True)
ASK = {"model": "mine", "max_tokens": 9, "messages": [{"role": "user", "content": "Go on"}], "stream": True}


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("streams_benchmark", Path(__file__).with_name("streams.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Holding:
    """Hands out everything at the end."""

    def open(self, _: Route) -> Holding:
        return self

    def request(self, body: dict[str, Any]) -> dict[str, Any]:
        return body

    def stream(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        yield from list(chunks)


def test_memory() -> None:
    assert peak(Holding(), ROUTE, ASK, 200) > peak(Holding(), ROUTE, ASK, 13) + 150 * PIECE
    peak(ReferenceTranslator(), ROUTE, ASK, 13, runs=1)
    assert peak(ReferenceTranslator(), ROUTE, ASK, 200) < peak(ReferenceTranslator(), ROUTE, ASK, 13) + 20 * PIECE


def test_text_that_gets_lost_is_no_small_memory() -> None:
    class Dropping(Holding):
        def stream(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
            yield from list(chunks)[:5]

    with pytest.raises(RuntimeError, match="of 52000 characters only"):
        peak(Dropping(), ROUTE, ASK, 13)


@pytest.mark.parametrize(("ratio", "status"), [(1.05, 0), (1.2, 1)])
def test_table(
    benchmark: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ratio: float,
    status: int,
) -> None:
    here = str(ROUTE)

    def figures(name: str, _: Any) -> dict[str, Any]:
        slow = 1 if name == benchmark.REFERENCE else 4
        return {
            "version": "1",
            "replies": {here: [1000, 0.1 * slow]},
            "text": {here: [1000, 0.2 * slow]},
            "first": {here: [[1, 9], [3, 9]] if slow == 1 else [True, False]},
            "memory": {here: {"short": 50_000, "long": 50_000 * ratio, "ratio": ratio}} if slow == 1 else {},
            "failed": [] if slow == 1 else [here],
        }

    monkeypatch.setattr(benchmark, "measure_translator", figures)
    assert benchmark.main(["--translators", "reference", "litellm"]) == status
    written = capsys.readouterr().out
    for text in ("10,000   (1.00)", "2,500   (4.00)", "1,250   (4.00)", "2, 3 of 9", "1 of 2 before the end"):
        assert text in written
    assert f"({ratio - 1:+.1%})" in written
    assert "Streams of litellm that raised" in written
