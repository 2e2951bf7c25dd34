"""Causes of one rule say which way they are, and the split by check belongs to the number before it."""

from __future__ import annotations

from reports.report_items import CORPUS, finding, item, run
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.text.blocks import cause_block, consequence, extent_text
from toolcall_conformance.reports.text.markdown import cause_details
from toolcall_conformance.reports.text.outline import outlines

NAME = "translation/call-name"
UP = finding(NAME, element="name", body="02-request", signature=f"{NAME} name gemini /contents/* value")
DOWN = finding(NAME, element="name", body="01-response", signature=f"{NAME} name anthropic /content/* value")


def test_two_causes_of_one_rule_do_not_read_alike() -> None:
    items = [item("box/one", UP), item("box/two", DOWN, check="response")]
    roots = find_root_causes(items, Harm.of(CORPUS))
    assert sorted(root.direction for root in roots) == ["in replies", "in requests"]
    texts_by_way = {root.direction: consequence(root, CORPUS.rules) for root in roots}
    breach = "A call has another tool's name"
    assert all(text.startswith(f"{breach}, {way}. ") for way, text in texts_by_way.items()), texts_by_way


def test_causes_of_one_way_alone_say_nothing_of_it() -> None:
    other = {**UP, "signature": UP["signature"].replace("/contents", "/others")}
    roots = find_root_causes([item("box/one", UP, other)], Harm.of(CORPUS))
    assert [root.direction for root in roots] == ["", ""]


def test_the_split_is_of_the_number_before_it() -> None:
    items = [
        item("box/one", DOWN, check="response"),
        item("box/two", DOWN, check="stream"),
        item("w/one", DOWN, check="response"),
        *(item(case, DOWN, check="agent_loop") for case in ("box/one", "box/two", "w/one")),
    ]
    (root,) = find_root_causes(items, Harm.of(CORPUS))
    text = extent_text(root)
    assert text.startswith("3 items: response 2, stream 1; 3 more in whole conversations; "), text


def test_the_first_error_of_a_long_message_is_whole() -> None:
    """In a block on the terminal, and in Markdown."""
    error = "messages.3.content Input should be a valid string [type=string_type, input_value={'a': [1, 2, 3]}]"
    message = (
        f"request raised ValidationError: 5 validation errors for ChatCompletionRequest {error}" + " tools.0 x" * 60
    )
    refused = "translation/refused"
    failing = finding(
        refused, place="", element="body", body="01-request", message=message, got={"$absent": True},
        signature=f"{refused} body gemini - request_raised", code="/site/lib/models.py:12",
    )  # fmt: skip
    (root,) = find_root_causes([item("box/one", failing)], Harm.of(CORPUS))
    lines = ["".join(piece.text for piece in line) for line in cause_block(root, CORPUS.rules, lambda *_: "pytest", [])]
    text = " ".join(" ".join(lines).split())
    assert error in text, text
    assert "code /site/lib/models.py:12" in text
    assert "The translator refuses a body that the API takes." in text
    (outline,) = outlines([root], run([item("box/one", failing)]), CORPUS.rules)
    assert error in "\n".join(cause_details(outline, ""))
    assert outline.fix == CORPUS.rule(refused).fix
