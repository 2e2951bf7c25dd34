"""What is exported to ``corpus/verdicts/`` is up to date and true."""

from __future__ import annotations

import json
from typing import Any

import pytest

from doubles.catalogue import Double, doubles
from doubles.export import content_of, exported_sessions, path_of, root, text_of, verdict
from doubles.places import Place, apply, places
from doubles.sessions.model import SessionDouble, session_doubles
from judging import judge, judge_history
from toolcall_conformance.findings import Finding, Level

AGAIN = "write it anew: cd tests && PYTHONPATH=.:../conformance:../reference_impl python -m doubles.export"
FILES = sorted(path for path in root().glob("*/*/*.json") if not path.parts[-3].startswith("stream-"))


def test_every_double_is_there_and_nothing_else() -> None:
    assert set(FILES) == {path_of(double) for double in [*doubles(), *exported_sessions()]}, AGAIN


@pytest.mark.parametrize("double", [pytest.param(double, id=double.name) for double in doubles()])
def test_it_is_what_the_double_makes(double: Double) -> None:
    path = path_of(double)
    assert path.exists(), AGAIN
    text = path.read_text(encoding="utf-8")
    place = _place(double, json.loads(text))
    assert text == text_of(verdict(double, place, apply(double, place))), AGAIN


@pytest.mark.parametrize("double", [pytest.param(double, id=double.name) for double in session_doubles()])
def test_it_is_what_the_session_makes(double: SessionDouble) -> None:
    if double not in exported_sessions():
        pytest.skip("its fault stands in no request")
    assert path_of(double).read_text(encoding="utf-8") == content_of(double), AGAIN


def _place(double: Double, content: dict[str, Any]) -> Place:
    source = content["client" if double.check == "request" else "upstream"]
    for place in places(double.check, source, double.target):
        if (place.case, place.number) == (content["case"], content["exchange"]):
            return place
    raise AssertionError(f"{path_of(double)}: its place is gone; {AGAIN}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_the_judge_agrees_with_the_file_alone(path: Any) -> None:
    """As a judge in another language would use it: nothing but the file."""
    content = json.loads(path.read_text(encoding="utf-8"))
    found = _judged(content)
    must = {finding.rule for finding in found if finding.level is Level.MUST}
    should = {finding.rule for finding in found if finding.level is Level.SHOULD}
    if content["expect"]:
        assert must & set(content["expect"])
        return
    assert not must
    if content["kind"] == "warning":
        assert should & set(content["may_warn"])
    else:
        assert should <= set(content["may_warn"])


def _judged(content: dict[str, Any]) -> tuple[Finding, ...]:
    ends = {"client": content["client"], "upstream": content["upstream"]}
    if content["direction"] == "loop":
        asked, model, stored = content["request"], content["upstream_model"], content["variant"].endswith("stored")
        return judge_history(
            content["source"], content["output"], request=asked, upstream_model=model, stored=stored, **ends
        ).findings
    return judge(
        content["source"],
        content["output"],
        direction=content["direction"],
        client_model=content["client_model"],
        upstream_model=content["upstream_model"],
        request=content.get("request"),
        **ends,
    ).findings
