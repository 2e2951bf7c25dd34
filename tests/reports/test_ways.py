"""Causes of one rule say which way they are, and the split by check belongs to the number before it."""

from __future__ import annotations

from reports.made import CORPUS, finding, item
from toolcall_conformance.reports.blocks import consequence, rest
from toolcall_conformance.reports.harm import Harm
from toolcall_conformance.reports.roots import root_causes

NAME = "translation/call-name"
UP = finding(NAME, element="name", body="02-request", signature=f"{NAME} name gemini /contents/* value")
DOWN = finding(NAME, element="name", body="01-response", signature=f"{NAME} name anthropic /content/* value")


def test_two_causes_of_one_rule_do_not_read_alike() -> None:
    items = [item("box/one", UP), item("box/two", DOWN, check="response")]
    roots = root_causes(items, Harm.of(CORPUS))
    assert sorted(root.way for root in roots) == ["in replies", "in requests"]
    said = {root.way: consequence(root, CORPUS.rules) for root in roots}
    breach = "A call has another tool's name"
    assert all(text.startswith(f"{breach}, {way}. ") for way, text in said.items()), said


def test_causes_of_one_way_alone_say_nothing_of_it() -> None:
    other = {**UP, "signature": UP["signature"].replace("/contents", "/others")}
    roots = root_causes([item("box/one", UP, other)], Harm.of(CORPUS))
    assert [root.way for root in roots] == ["", ""]


def test_the_split_is_of_the_number_before_it() -> None:
    items = [
        item("box/one", DOWN, check="response"),
        item("box/two", DOWN, check="stream"),
        item("w/one", DOWN, check="response"),
        *(item(case, DOWN, check="agent_loop") for case in ("box/one", "box/two", "w/one")),
    ]
    (root,) = root_causes(items, Harm.of(CORPUS))
    text = rest(root)
    assert text.startswith("3 items: response 2, stream 1; 3 more in whole conversations; "), text
