"""The benchmark of bodies measures what translators make, and says whose outputs the judge refuses."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Body, Route
from toolcall_reference import ReferenceTranslator

ROUTE = "anthropic-to-openai_chat"


@pytest.fixture(scope="module")
def benchmark() -> Iterator[ModuleType]:
    """The script, which finds its neighbours where it is started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        yield importlib.import_module("bodies")
        for name in ("bodies", "converters", "long_history"):
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def bodies_by_load(benchmark: ModuleType) -> dict[str, Any]:
    bodies_by_load: dict[str, Any] = benchmark.bodies(40)
    return bodies_by_load


class Silent:
    """Says nothing of what was called."""

    def open(self, route: Route) -> Silent:
        self._session = ReferenceTranslator().open(route)
        return self

    def request(self, body: Body) -> Body:
        output = self._session.request(body)
        output.pop("tools", None)
        return output


def test_bodies(bodies_by_load: dict[str, Any]) -> None:
    assert len(bodies_by_load["long"]["anthropic"]["messages"]) == 41
    ids = {block["id"] for block in _blocks(bodies_by_load["long"]["anthropic"]) if block["type"] == "tool_use"}
    assert len(ids) == 10


def _blocks(body: Body) -> Iterator[Body]:
    for message in body["messages"]:
        yield from message["content"] if isinstance(message["content"], list) else ()


def test_table(benchmark: ModuleType, bodies_by_load: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "ROUND", 0)
    monkeypatch.setitem(benchmark.SPECS, "silent", f"{__name__}:Silent")
    measurements = {name: benchmark.measure_translator(name, bodies_by_load, 1e-6) for name in ("reference", "silent")}
    for measurement in measurements.values():
        for load in benchmark.LOADS:
            measurement[load] = dict.fromkeys(
                measurement[load], 0.001 if measurement is measurements["reference"] else 0.002
            )
    passed = benchmark.routes_without_must(measurements, bodies_by_load)
    assert len(passed["reference"]) == 36
    lines = list(benchmark.table(measurements, passed))
    row = next(line for line in lines if line.startswith(ROUTE))
    assert row.split() == [ROUTE, "1,000", "(1.00)", "500", "(2.00)", "!"]
    assert any("–" in line for line in lines if line.startswith(ROUTE)), "it does not do replies"
    memory = lines[lines.index("peak of Python's allocations for one long request, in KB") + 1].split()
    assert all(int(peak) > 5 for peak in memory[1:])
