"""An isolated translator is judged as in this interpreter: every outcome crosses unchanged."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from miniature import TRANSPORTS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers import Driver, Opened, Produced, SpecError, load_driver
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS
from toolcall_conformance.drivers.isolated.messages import MessageError, outcome_of_json, outcome_to_json
from toolcall_conformance.drivers.loading import Isolation
from toolcall_conformance.drivers.streams import Source

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a child needs pipes that can be polled")

ZOO = Path(__file__).with_name("isolated_zoo.txt").read_text(encoding="utf-8")
BODY = {"text": "x", "numbers": [1, 1.5, 2**64], "none": None}


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Driver, Driver]]:
    """The driver in this interpreter, and that of a child."""
    here, path = tmp_path_factory.mktemp("zoo"), list(sys.path)
    (here / "zoo.py").write_text(ZOO, encoding="utf-8")
    both = [
        load_driver("zoo:T", directory=here, transports=lambda: TRANSPORTS, isolation=isolation)
        for isolation in (None, Isolation())
    ]
    yield both[0], both[1]
    for driver in both:
        driver.close()
    sys.path[:] = path
    del sys.modules["zoo"]


def outcomes_by_operation(driver: Driver, kind: str) -> dict[str, Any]:
    """What comes of each operation of a session."""
    opened = driver.open(Route("alpha", "alpha", kind, "alpha-1"))
    if not isinstance(opened, Opened):
        return {"open": opened}
    session = opened.session
    outcomes: dict[str, Any] = {
        "request": session.request(BODY),
        "response": session.response(BODY),
        "error": session.error({"status": 429, "headers": {"x": "y"}, "body": {"error": BODY}}),
        "whole": session.stream(Source((b"a", b"bc\xfe"))),
        "lost": session.stream(Source((b"a", b"b"), "lost", watched=True, reply=BODY)),
        "absent": session.call("absent", {}),
    }
    for name in FORMAT_OPERATIONS:
        arguments = (
            [[BODY], [BODY]] if name == "tool_results" else [BODY, BODY] if name in ("mcp_result", "otel") else [BODY]
        )
        outcomes[name] = session.call(name, *arguments)
    session.finish_exchange({"status": 200, "headers": {}, "body": {}})
    driver.end_item()
    return outcomes


def traits(driver: Driver, kind: str) -> Any:
    """What a session says of itself."""
    opened = driver.open(Route("alpha", "beta", kind, "beta-1"))
    assert isinstance(opened, Opened)
    session = opened.session
    return session.operations, session.own_history, dict(session.made_up), session.costly_pieces


@pytest.mark.parametrize("kind", ["plain", "own", "broken", "odd", "unsupported", "later", "refused", "raising"])
def test_each_outcome_is_the_same(drivers: tuple[Driver, Driver], kind: str) -> None:
    inside, isolated = drivers
    assert (isolated.name, isolated.version, isolated.spec) == (inside.name, inside.version, inside.spec)
    expected = outcomes_by_operation(inside, kind)
    outcomes = outcomes_by_operation(isolated, kind)
    assert {name: outcome_to_json(outcome) for name, outcome in outcomes.items()} == {
        name: outcome_to_json(outcome) for name, outcome in expected.items()
    }
    assert len(expected) == 1 or len(expected) == 6 + len(FORMAT_OPERATIONS)


@pytest.mark.parametrize("kind", ["plain", "own", "broken", "exchanging"])
def test_a_session_says_the_same_of_itself(drivers: tuple[Driver, Driver], kind: str) -> None:
    inside, isolated = drivers
    assert traits(isolated, kind) == traits(inside, kind)


def test_an_exchange_is_played_in_the_child(drivers: tuple[Driver, Driver]) -> None:
    exchanges = []
    for driver in drivers:
        opened = driver.open(Route("alpha", "beta", "exchanging", "beta-1"))
        assert isinstance(opened, Opened)
        exchanges.append([opened.session.request(BODY), opened.session.response({"text": "y"})])
        assert isinstance(opened.session.request(BODY), Produced)
        opened.session.finish_exchange({"status": 200, "headers": {}, "body": {}})
        driver.end_item()
    assert exchanges[1] == exchanges[0]
    assert exchanges[0][1] == Produced({"back": {"text": "y"}})


def test_the_zoo_has_something_to_say_in_every_field(drivers: tuple[Driver, Driver]) -> None:
    plain, broken = outcomes_by_operation(drivers[0], "plain"), outcomes_by_operation(drivers[0], "broken")
    assert plain["response"] == Produced({"a": [None, True]}, mutated=True, losses=("top-k", "seed"))
    assert plain["error"].value["headers"] == {"retry-after": "3", "x": "y"}
    assert [(piece.source_count, piece.is_after_end) for piece in plain["whole"].pieces] == [
        (0, False),
        (1, False),
        (2, False),
        (2, True),
    ]
    assert plain["otel"].value["test"].startswith("tests/drivers/test_isolated_driver.py::")
    assert "KeyError" in broken["response"].traceback
    assert broken["response"].sentence == "raised ValueError: outer second line"
    assert (broken["response"].refuses, broken["otel"].refuses) == (False, True)
    assert broken["whole"].raised is not None


STREAM: dict[str, Any] = {
    "kind": "Streamed",
    "pieces": [],
    "raised": None,
    "losses": [],
    "exact": True,
    "from_whole": False,
}


def test_what_was_never_ours_is_refused() -> None:
    good = outcome_to_json(Produced({"a": 1}, losses=("x",)))
    assert outcome_of_json(good, "request") == Produced({"a": 1}, losses=("x",))
    wrong: list[Any] = [
        None,
        3,
        {},
        {"kind": "Nothing"},
        {"kind": ["Produced"]},
        {**good, "more": 1},
        {**good, "losses": [1]},
        {**good, "mutated": 1},
        {**good, "flaws": [{"kind": 1, "sentence": "", "models": ["", ""]}]},
        {"kind": "TimedOut", "timeout": "1", "last_output": ""},
        {"kind": "Crashed", "sentence": 1, "traceback": ""},
        {
            "kind": "Streamed",
            "pieces": [["!", 1, True]],
            "raised": None,
            "losses": [],
            "exact": True,
            "from_whole": False,
        },
        {
            "kind": "Streamed",
            "pieces": [["", "1", True]],
            "raised": None,
            "losses": [],
            "exact": True,
            "from_whole": False,
        },
        {"kind": "Streamed", "pieces": [], "raised": good, "losses": [], "exact": True, "from_whole": False},
    ]
    for message in wrong:
        with pytest.raises(MessageError):
            outcome_of_json(message, "request")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nothing_of_that_name", r"importing spec_bad failed with ModuleNotFoundError"),
        ("import os\nos._exit(3)", r"its process, which imports and makes it, died with exit code 3"),
        ("import ctypes\nctypes.string_at(0)", r"was killed by signal 11 \(SIGSEGV\)(.|\n)*spec_bad.py.*line 2"),
        ("import ctypes\nctypes.PyDLL(None).sleep(60)", r"did not end within 0\.2 s(.|\n)*spec_bad.py.*line 2"),
        ("class T:\n    def __init__(self): self.all = bytearray(10**9)", r"raised MemoryError"),
    ],
)
def test_what_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, message: str) -> None:
    monkeypatch.setattr("toolcall_conformance.drivers.loading.LOAD_SECONDS", 0.2 if "sleep" in source else 30.0)
    (tmp_path / "spec_bad.py").write_text(source, encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        load_driver("spec_bad:T", directory=tmp_path, timeout=0.2, isolation=Isolation(600))
