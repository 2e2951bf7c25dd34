"""What is exported to ``corpus/verdicts/`` is up to date and true."""

from __future__ import annotations

import json
from typing import Any

import pytest

from doubles.catalogue import Double, doubles
from doubles.export import path_of, root, text_of, verdict
from doubles.places import Place, apply, places
from toolcall_conformance.findings import Level
from toolcall_conformance.judge import judge

AGAIN = "write it anew: cd tests && PYTHONPATH=.:../conformance:../reference_impl python -m doubles.export"
FILES = sorted(root().glob("*/*.json"))


def test_every_double_is_there_and_nothing_else() -> None:
    assert set(FILES) == {path_of(double) for double in doubles()}, AGAIN


@pytest.mark.parametrize("double", [pytest.param(double, id=double.name) for double in doubles()])
def test_it_is_what_the_double_makes(double: Double) -> None:
    path = path_of(double)
    assert path.exists(), AGAIN
    text = path.read_text(encoding="utf-8")
    place = _place(double, json.loads(text))
    assert text == text_of(verdict(double, place, apply(double, place))), AGAIN


def _place(double: Double, content: dict[str, Any]) -> Place:
    source = content["client" if double.check == "request" else "upstream"]
    for place in places(double.check, source, double.target):
        if (place.case, place.number) == (content["case"], content["exchange"]):
            return place
    raise AssertionError(f"{path_of(double)}: its place is gone; {AGAIN}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_judge_agrees_with_the_file_alone(path: Any) -> None:
    """As a judge in another language would use it: nothing but the file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    found = judge(
        content["source"],
        content["output"],
        client=content["client"],
        upstream=content["upstream"],
        direction=content["direction"],
        client_model=content["client_model"],
        upstream_model=content["upstream_model"],
        request=content.get("request"),
    )
    must = {finding.rule for finding in found if finding.level is Level.MUST}
    should = {finding.rule for finding in found if finding.level is Level.SHOULD}
    if content["expect"]:
        assert must & set(content["expect"])
        return
    assert not must
    if path.parent.name == "warnings":
        assert should & set(content["may_warn"])
    else:
        assert should <= set(content["may_warn"])
