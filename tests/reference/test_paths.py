"""What two translators in a row lose that one would keep: the counts only shrink."""

from __future__ import annotations

from typing import Any

import pytest

from reference.paths import a_case_of_each_family, count_losses, raised_losses, recorded_losses
from toolcall_conformance.library import load_corpus
from toolcall_reference import Session


def test_a_detour_loses_as_much_as_is_listed() -> None:
    """Run ``python tests reference.paths --write`` where less is lost, or a case is new."""
    counts, before = count_losses(a_case_of_each_family()), recorded_losses()
    assert not raised_losses(counts, before)
    assert counts == {case: before.get(case) for case in counts}


def test_the_list_names_the_cases_that_there_are() -> None:
    assert recorded_losses().keys() == load_corpus().cases.keys()


def test_a_loss_more_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a translator that forgets the instructions that came by way of Anthropic."""
    whole = Session.request

    def forgetful(self: Session, body: Any) -> Any:
        return {key: value for key, value in whole(self, body).items() if key != "system"}

    case = next(case for case in a_case_of_each_family() if "system" in case.exchanges("anthropic")[0].request)
    before = count_losses([case])
    monkeypatch.setattr(Session, "request", forgetful)
    increases = raised_losses(count_losses([case]), before)
    assert increases
    assert all(line.startswith(f"{case.id} request ") and " > anthropic > " in line for line in increases)
