"""`toolcall-conformance mutate`: one fault, made again by its name."""

from __future__ import annotations

import pytest

from toolcall_conformance.cli import main

KILLED = "shell/seed::request::anthropic-to-gemini::01::drop@/contents/0"
BY_DESIGN = "errors/upstream-invalid-key::error::gemini-to-anthropic::01::drop@/headers/content-type"


@pytest.mark.parametrize(
    ("name", "says"),
    [(KILLED, "killed: drop of"), (BY_DESIGN, "survived: drop of")],
    ids=["killed", "by design"],
)
def test_a_fault_made_again_says_what_became_of_it(name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A survivor that the reviewed list names is no failure, and the list's reason is printed."""
    assert main(["mutate", "--again", name]) == 0
    output = capsys.readouterr().out
    assert says in output
    assert ("by design: Of an error's headers only the time to wait is compared" in output) == (name == BY_DESIGN)


def test_a_survivor_that_nobody_reviewed_is_a_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolcall_conformance.trust.matrix.reason", lambda *_: "")
    assert main(["mutate", "--again", BY_DESIGN]) == 1
    assert "by design" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("shell/seed", "is no fault; one is CASE::DIRECTION::ROUTE::NUMBER::OPERATOR@POINTER"),
        (KILLED.replace("drop", "duplicate").replace("/0", "/0/role"), "the operator changes nothing there"),
    ],
    ids=["a case", "an operator of lists at a member"],
)
def test_a_name_of_no_fault_is_a_mistake_of_the_users(name: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mutate", "--again", name]) == 4
    assert says in capsys.readouterr().err
