"""Many causes of one body are joined without comparing each with each."""

from __future__ import annotations

from typing import Any

import pytest

from reports.report_items import CORPUS, finding, item
from toolcall_conformance.reports.causes import joins
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm

COUNT = 300


def _unknown(form: str, **more: Any) -> list[dict[str, Any]]:
    return [
        finding(place=f"/k{at}", format=form, signature=f"translation/call-lost call {form} /k{at} lost", **more)
        for at in range(COUNT)
    ]


@pytest.mark.parametrize(
    "items",
    [
        [item("box/one", *_unknown("gemini"))],
        [
            item("box/one", *_unknown("gemini"), route=("anthropic", "gemini")),
            item("box/two", *_unknown("openai_chat"), route=("anthropic", "openai_chat")),
        ],
        [
            item("box/one", *_unknown("gemini"), route=("anthropic", "gemini")),
            item("box/one", *_unknown("openai_chat"), route=("anthropic", "openai_chat")),
        ],
    ],
    ids=["one body", "two cases", "two formats"],
)
def test_work_is_linear(items: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    is_one = joins._differ_in_format

    def count_comparison(root: Any, *others: Any) -> bool:
        compared.append(root)
        return is_one(root, *others)

    monkeypatch.setattr(joins, "_differ_in_format", count_comparison)
    roots = find_root_causes(items, Harm.of(CORPUS))
    assert len(compared) <= 4 * COUNT
    formats = {each for root in roots for each in root.formats}
    assert len(roots) == (COUNT if formats == {"gemini"} or items[0].case == items[-1].case else 2 * COUNT)


def test_what_was_joined_is_found_under_both_formats() -> None:
    """The third format joins the two that are one by then."""
    items = [
        item(
            "box/one",
            finding(format=form, signature=f"translation/call-lost call {form} /a lost"),
            route=("gemini", form),
        )
        for form in ("anthropic", "openai_chat", "openai_responses")
    ]
    (root,) = find_root_causes(items, Harm.of(CORPUS))
    assert root.formats == ["anthropic", "openai_chat", "openai_responses"]
