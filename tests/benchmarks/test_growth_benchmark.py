"""The benchmark of growth fits exponents, marks what is steep, and finds its lines; its figures are not tested."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import growth
from benchmarks.growth_lines import lines


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_exponent(power: float) -> None:
    sizes = growth.sizes_up_to(4000)
    assert sizes == [500, 1000, 2000, 4000]
    assert growth.exponent(sizes, [3 * size**power for size in sizes]) == pytest.approx(power)


def test_every_line_has_work(tmp_path: Path) -> None:
    """Of streams and routes one each: they differ in their names alone. Runs of pytest are left to the command."""
    names = {line.name.partition(",")[0]: line for line in lines() if not line.name.startswith("failing")}
    assert len({line.name for line in lines(faults=True)}) == len(list(lines(faults=True)))
    for at, line in enumerate(names.values()):
        folder = tmp_path / str(at)
        folder.mkdir()
        assert line.make(2, folder)() is not None


@pytest.mark.parametrize(("power", "status"), [(1, 0), (2, 1)])
def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], power: int, status: int) -> None:
    def figures(_name: str, sizes: list[int], _rounds: int) -> dict[str, Any]:
        return {"seconds": [size**power / 1e6 for size in sizes], "megabytes": [50, 51]}

    monkeypatch.setattr(growth, "_measure_in_subprocess", figures)
    assert growth.main(["--only", "tools, gemini", "--most", "800"]) == status
    [_, row] = capsys.readouterr().out.splitlines()
    assert "100…800" in row
    assert f" {power}.00 " in row
    assert row.endswith("!") == bool(status)


@pytest.mark.parametrize("over", [{"seconds": [1, 5.1]}, {"megabytes": [50, 301]}])
def test_limits_of_time_and_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], over: dict[str, Any]
) -> None:
    figures = {"seconds": [1, 4], "megabytes": [50, 299]}
    monkeypatch.setattr(growth, "sizes_up_to", lambda most: [most >> 2, most])
    for measurement, status in ((figures, 0), (figures | over, 1)):
        monkeypatch.setattr(growth, "_measure_in_subprocess", lambda *_, measurement=measurement: measurement)
        assert growth.main(["--only", "tools, gemini"]) == status
        assert capsys.readouterr().out.rstrip().endswith("!") == bool(status)


@pytest.mark.parametrize(("last", "anew"), [(2.9, False), (3.1, True)])
def test_a_fault_near_a_limit_is_measured_again(monkeypatch: pytest.MonkeyPatch, last: float, *, anew: bool) -> None:
    requests: list[tuple[int, int]] = []

    def figures(_name: str, sizes: list[int], rounds: int) -> dict[str, Any]:
        requests.append((len(sizes), rounds))
        return {"seconds": [last * size / sizes[-1] for size in sizes], "megabytes": [50, 51]}

    monkeypatch.setattr(growth, "_measure_in_subprocess", figures)
    assert growth.main(["--faults", "--only", "tools, gemini to openai_chat, nulls"]) == 0
    assert requests == [(2, 1), (4, 2)][: 1 + anew]


@pytest.mark.timing
def test_a_line_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(growth, "MAX_MEGABYTES", 1e6)  # a child's peak is at first that of the tests' own process
    assert growth.main(["--only", "known failures, items", "--most", "16", "--limit", "9"]) == 0
    [_, row] = capsys.readouterr().out.splitlines()
    assert int(row.split()[-1].partition("…")[0]) > 10, "megabytes"


def test_words_that_no_line_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert growth.main(["--only", "nothing like it"]) == 2
    assert "no line contains nothing like it" in capsys.readouterr().err
