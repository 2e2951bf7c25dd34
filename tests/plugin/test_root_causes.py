"""Root causes: which findings are one, which are not, and which comes first."""

from __future__ import annotations

from typing import Any

import pytest

from plugin.cause_items import HARM, causes, finding, item
from toolcall_conformance.judge.consequences import Consequence, ConsequenceTable, Where


def test_one_signature_is_one_cause_in_all_checks() -> None:
    same = finding("translation/arguments")
    (root,) = causes(
        item("shell/a request anthropic openai_chat", same), item("shell/b agent_loop gemini openai_chat", same)
    )
    assert root.to_json() | {"example": ""} == {
        "rule": "translation/arguments",
        "other_rules": [],
        "level": "MUST",
        "element": "call",
        "formats": ["openai_chat"],
        "place": "/a",
        "checks": {"request": 1, "agent_loop": 1},
        "routes": ["anthropic-to-openai_chat", "gemini-to-openai_chat"],
        "cases": 2,
        "items": 2,
        "also_in_the_loop": 0,
        "known": False,
        "example": "",
    }


@pytest.mark.parametrize(
    "other",
    [
        finding("translation/call-name"),
        finding("translation/arguments", "/b"),
        finding("translation/arguments", "/a", "lost"),
        finding("translation/arguments", element="result"),
        finding("translation/arguments", format="gemini"),
    ],
)
def test_another_signature_is_another_cause(other: dict[str, Any]) -> None:
    items = [
        item("shell/a request anthropic openai_chat", finding("translation/arguments")),
        item("shell/b request anthropic openai_chat", other),
    ]
    assert len(causes(*items)) == 2


@pytest.mark.parametrize(
    ("loop", "also"),
    [
        ("shell/a agent_loop anthropic openai_chat fresh", 1),
        ("shell/a round_trip anthropic openai_chat", 1),
        ("shell/a round_trip openai_chat anthropic", 1),
        # Another case or route may have another cause.
        ("shell/b agent_loop anthropic openai_chat", 0),
        ("shell/a agent_loop openai_chat anthropic", 0),
    ],
)
def test_what_a_request_shows_is_also_in_the_loop(loop: str, also: int) -> None:
    """A loop's body may be in the other format, and the fault at another place of it."""
    roots = causes(
        item("shell/a request anthropic openai_chat", finding("translation/arguments")),
        item(loop, finding("translation/arguments", "/b", format="anthropic", body="02-request")),
    )
    assert len(roots) == 2 - also
    assert sum(root.loop_item_count for root in roots) == also


def test_a_graver_fault_of_the_loop_is_its_own() -> None:
    roots = causes(
        item("shell/a request anthropic openai_chat", finding("translation/arguments", level="SHOULD")),
        item("shell/a agent_loop anthropic openai_chat", finding("translation/arguments", "/b")),
    )
    assert [(root.level, root.loop_item_count) for root in roots] == [("MUST", 0), ("SHOULD", 0)]


def test_why_a_reply_ended_is_reported_once() -> None:
    finish = {"element": "finish", "format": "anthropic", "body": "01-response"}
    (root,) = causes(
        item(
            "shell/a response anthropic openai_chat",
            finding("anthropic/finish-agrees-with-calls", "/stop_reason", **finish),
            finding("translation/finish-reason", "/stop_reason", "tool_use≠end_turn", **finish),
        )
    )
    assert (root.rule, root.other_rules) == (
        "translation/finish-reason",
        {"anthropic/finish-agrees-with-calls": "finish"},
    )


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("tool_use≠end_turn", "max_tokens≠end_turn"), 1),  # one word for all
        (("tool_use≠end_turn", "max_tokens≠refusal"), 2),
    ],
)
def test_one_wrong_word_for_several_is_one_cause(words: tuple[str, ...], number: int) -> None:
    finish = {"element": "finish", "format": "anthropic"}
    items = [
        item(
            f"shell/{case} response anthropic gemini",
            finding("translation/finish-reason", "/stop_reason", stop_word, **finish),
        )
        for case, stop_word in enumerate(words)
    ]
    assert len(causes(*items)) == number


IN_SCHEMA = "/tools/*/functionDeclarations/*/parameters/**"


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        # Copied: what breaks other rules of the format is in the source, too.
        ({"source_pointer": "/tools/0/input_schema/a"}, {"source_pointer": "/tools/0/input_schema/b"}, 1),
        ({"source_pointer": "/tools/0/input_schema/a"}, {}, 2),
        ({}, {}, 2),
    ],
)
def test_a_copied_schema_is_one_cause(first: dict[str, Any], second: dict[str, Any], number: int) -> None:
    tool = {"element": "tool", "format": "openai_chat"}
    place = "/tools/*/function/parameters/**"
    items = [
        item("shell/a request anthropic openai_chat", finding("openai_chat/tool-schema-valid", place, **tool, **first)),
        item("shell/b request anthropic openai_chat", finding("openai_chat/tool-schema-root", place, **tool, **second)),
    ]
    assert len(causes(*items)) == number


def test_all_faults_of_geminis_language_of_schemas_are_one_cause() -> None:
    """`parametersJsonSchema` mends them all, and so does a whole conversion."""
    tool = {"element": "tool", "format": "gemini"}
    items = [
        item(f"shell/{number} request {source} gemini", finding(f"gemini/{rule}", IN_SCHEMA, level, **tool))
        for number, (source, rule, level) in enumerate(
            [("anthropic", "schema-keyword", "MUST"), ("openai_chat", "schema-type-given", "SHOULD")]
        )
    ]
    assert len(causes(*items)) == 1
    name = finding("gemini/name-charset", "/tools/*/functionDeclarations/*/name", **tool)
    assert len(causes(items[0], item("shell/9 request anthropic gemini", name))) == 2


def test_one_rule_at_several_places_of_schemas_is_one_cause() -> None:
    tool = {"element": "tool", "format": "gemini"}
    items = [
        item(f"shell/{word} request anthropic gemini", finding("gemini/schema-keyword", f"{IN_SCHEMA}/{word}", **tool))
        for word in ("const", "not")
    ]
    assert len(causes(*items)) == 1


def test_all_exceptions_are_one_cause_with_its_lines() -> None:
    raised = {"element": "body", "place": ""}
    items = [
        item(
            f"shell/{n} request anthropic gemini",
            finding("translation/crashed", difference=f"{n}", code=f"a.py:{n % 2}", **raised),
        )
        for n in range(3)
    ]
    (root,) = causes(*items)
    assert root.code_lines == {"a.py:0": 2, "a.py:1": 1}


def test_one_wrong_value_is_one_cause_whatever_rules_it_breaks() -> None:
    first, other = finding("openai_chat/call-id", got="x y"), finding("openai_chat/call-id-length", got="x y")
    elsewhere = item("shell/b request anthropic openai_chat", first)
    both = item("shell/a request anthropic openai_chat", first, other)
    (root,) = causes(both, elsewhere)
    assert (root.rule, [*root.other_rules]) == ("openai_chat/call-id", ["openai_chat/call-id-length"])
    # Each stands somewhere without the other.
    assert len(causes(both, elsewhere, item("shell/c request anthropic openai_chat", other))) == 2


def test_a_change_that_the_format_forbids_is_part_of_the_larger_cause() -> None:
    wrong = finding("openai_chat/result-text", "/x/*", element="result")
    forbidden = [{**wrong, "pointer": f"/x/{at}", "got": at} for at in range(3)]
    changed = finding("translation/result-content", "/x/1", element="result", got=1)
    items = [item(f"shell/{at} request anthropic openai_chat", each) for at, each in enumerate(forbidden)]
    items[1] = item("shell/1 request anthropic openai_chat", forbidden[1], changed)
    (root,) = causes(*items)
    assert root.rule == "openai_chat/result-text"
    assert "translation/result-content" in root.other_rules
    other = {**changed, "pointer": "/y/1"}
    assert len(causes(*items[:1], item("shell/1 request anthropic openai_chat", forbidden[1], other), items[2])) == 2


@pytest.mark.parametrize("got", [{"got": {"a": 1}}, {"got": []}, {"got": {"$absent": True}}, {}])
def test_two_faults_of_one_object_stay_two(got: dict[str, Any]) -> None:
    findings = finding("openai_chat/call-id", **got), finding("openai_chat/call-id-length", **got)
    assert len(causes(item("shell/a request anthropic openai_chat", *findings))) == 2


def test_what_mixed_up_events_bring_is_no_cause_of_its_own() -> None:
    stream = {"format": "anthropic", "body": "01-response.sse"}
    mixed = finding("anthropic/stream-block-index", "/events/4/data/index", element="body", **stream)
    lost = finding("translation/arguments", "/content/1/input", **(stream | {"body": "01-response.sse, assembled"}))
    both = item("shell/a stream anthropic gemini", mixed, lost)
    (root,) = causes(both)
    assert (root.rule, root.other_rules) == ("anthropic/stream-block-index", {"translation/arguments": "call"})
    assert root.harm == HARM.weight("translation/arguments", "call")
    # Arguments that go where the events are right have another cause.
    assert len(causes(both, item("shell/b stream anthropic gemini", lost))) == 2
    # An end that is missing does not mix up calls.
    missing_end = finding("anthropic/stream-end", "/events/9", element="finish", **stream)
    assert len(causes(item("shell/a stream anthropic gemini", missing_end, lost))) == 2


def follows(where: str, first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether by a row with ``where`` the second finding of an item is reported with the first."""
    table = ConsequenceTable(
        (Consequence(("translation/call-lost",), frozenset(["openai_chat/calls-answered"]), Where(where)),)
    )
    lost = finding("translation/call-lost", **{"place": "/a", "difference": "lost", **first})
    unanswered = finding("openai_chat/calls-answered", **{"place": "/b", "difference": "lost", **second})
    roots = causes(item("shell/a stream anthropic openai_chat", lost, unanswered, table=table))
    return [(root.rule, [*root.other_rules]) for root in roots] == [(lost["rule"], [unanswered["rule"]])]


NOTHING: dict[str, Any] = {"got": {"$absent": True}}
APART: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("item", {"level": "SHOULD"}, {}),
    ("body", {}, {"body": "02-request"}),
    ("way_back", {}, {}),
    ("body", {"level": "SHOULD"}, {}),
    ("body", {"known": "a reason"}, {}),
    ("subject", {"subject": "call 1, shell"}, {"subject": "result of call 2, shell"}),
    ("subject", {}, {}),
    ("value", {"got": "a"}, {"got": "b"}),
    ("value", {"got": {"a": 1}}, {"got": {"a": 1}}),
    ("value", {}, {}),
    ("want", {"want": "length", **NOTHING}, {"want": {"$one_of": ["stop", "end"]}, **NOTHING}),
    ("want", {"want": "length", "got": "stop"}, {"want": "length", **NOTHING}),
    ("want", {"want": 1, **NOTHING}, {"want": 1, **NOTHING}),
    ("around", {"pointer": "/a/1"}, {"pointer": "/a/10"}),
    ("same", {"pointer": "/a"}, {"pointer": "/a/0"}),
    ("same", {"pointer": "/a"}, {"pointer": "/a", "difference": "type"}),
    ("reply", {"body": "01-response.sse"}, {"body": "01-response.sse"}),
    ("reply", {"body": "01-response.sse"}, {"body": "02-response.sse, assembled"}),
]
TOGETHER: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("item", {}, {"body": "02-request"}),
    ("body", {}, {}),
    ("body", {}, {"level": "SHOULD"}),
    ("body", {}, {"known": "a reason"}),
    ("subject", {"subject": "call 1, shell"}, {"subject": "result of call 1, shell; opened by event 2 of 9"}),
    ("value", {"got": "a.b"}, {"got": "a.b"}),
    ("want", {"want": "length", **NOTHING}, {"want": {"$one_of": ["stop", "length"]}, **NOTHING}),
    ("around", {"pointer": "/a/1"}, {"pointer": "/a/1/b"}),
    ("around", {"pointer": "/a/1/b"}, {"pointer": "/a"}),
    ("same", {"pointer": "/a"}, {"pointer": "/a"}),
    ("reply", {"body": "01-response.sse"}, {"body": "01-response.sse, assembled"}),
]


@pytest.mark.parametrize(("where", "first", "second"), TOGETHER)
def test_consequences_of_a_fault_are_reported_with_it(
    where: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert follows(where, first, second)


@pytest.mark.parametrize(("where", "first", "second"), APART)
def test_a_finding_at_another_place_is_a_fault_of_its_own(
    where: str, first: dict[str, Any], second: dict[str, Any]
) -> None:
    assert not follows(where, first, second)


def test_a_consequence_has_its_own_count_where_it_occurs_alone() -> None:
    lost, linked = finding("translation/ids-injective"), finding("translation/results-linked", "/b")
    other = finding("anthropic/result-once", "/c")
    both = item("shell/a request anthropic openai_chat", other, linked, lost)
    loop = item("shell/a agent_loop anthropic openai_chat", linked)
    (root,) = causes(both, loop)
    # What follows from what follows is told with the first; so is the loop that shows it alone.
    assert (root.rule, sorted(root.other_rules), root.loop_item_count) == (
        lost["rule"],
        [other["rule"], linked["rule"]],
        1,
    )
    alone = item("shell/b request anthropic openai_chat", linked)
    assert [(root.rule, len(root.items)) for root in causes(both, alone)] == [(lost["rule"], 1), (linked["rule"], 1)]


def test_what_only_a_round_trip_shows_is_a_cause_of_its_own() -> None:
    """The body between is read in another way than what a client sends; then it is lost as a whole."""
    tool = finding("translation/tool-lost", "", "lost", element="tool")
    setting = finding("translation/setting-lost", "", "lost", element="setting")
    alone = item("shell/a request openai_chat gemini", tool)
    back = item("shell/b round_trip openai_chat gemini", setting, tool)
    roots = causes(alone, back)
    assert [(root.rule, [*root.other_rules], root.items) for root in roots] == [
        (tool["rule"], [], [alone]),
        (tool["rule"], [setting["rule"]], [back]),
    ]
    # In a loop a setting has another way to get lost.
    loop = item("shell/a agent_loop openai_chat gemini", setting)
    assert [root.items for root in causes(alone, loop)] == [[alone], [loop]]
    # What a request shows is its repetition.
    (root,) = causes(alone, item("shell/a round_trip openai_chat gemini", tool))
    assert root.loop_item_count == 1


def test_one_wrong_name_at_two_places_is_one_cause() -> None:
    tool, call = (finding("anthropic/tool-name", place, format="anthropic", got="a.b") for place in ("/t", "/c"))
    (root,) = causes(item("mcp/a request gemini anthropic", tool, call))
    assert (root.place, root.other_rules) == ("/t", {})
    elsewhere = finding("anthropic/tool-name", "/c", format="anthropic", got="c.d")
    assert len(causes(item("mcp/a request gemini anthropic", tool, elsewhere))) == 2


def test_the_depth_in_a_schema_makes_no_cause() -> None:
    deep, flat = (finding("translation/schema-type", f"/parameters{place}/type") for place in ("/**", ""))
    (root,) = causes(item("shell/a request anthropic openai_chat", deep, flat))
    assert root.place == "/parameters/**/type"
    apart = [item(f"shell/{n} request anthropic openai_chat", fault) for n, fault in enumerate((deep, flat))]
    assert len(causes(*apart)) == 2


def test_a_general_rule_counts_only_where_no_other_says_it_exactly() -> None:
    general = finding("translation/stream-equals-reply", "", element="body", level="SHOULD")
    exact = finding("translation/text-changed")
    assert [root.rule for root in causes(item("shell/a stream anthropic gemini", general, exact))] == [exact["rule"]]
    assert (
        len(causes(item("shell/a stream anthropic gemini", general), item("shell/b stream gemini gemini", exact))) == 2
    )
    mild = finding("translation/text-changed", level="NOTE")
    assert len(causes(item("shell/a stream anthropic gemini", general, mild))) == 2
