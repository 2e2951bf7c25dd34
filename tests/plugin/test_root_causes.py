"""Root causes: which findings are one, which are not, and which comes first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finding_causes import name_finding_causes
from toolcall_conformance import load_corpus
from toolcall_conformance.judge.consequences import Consequence, ConsequenceTable, Where
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.text.blocks import cause_blocks

HARM = Harm.of(load_corpus())


def finding(rule: str, place: str = "/a", difference: str = "value", **more: Any) -> dict[str, Any]:
    """A finding on a body of Chat with what a test says of it."""
    plain = {"rule": rule, "level": "MUST", "pointer": place, "message": "it is wrong", "element": "call"}
    plain |= {"subject": "", "body": "01-request", "format": "openai_chat", **more}
    words = (rule, plain["element"], plain["format"], place or "-", difference or "-")
    return {**plain, "signature": " ".join(words)}


def item(
    name: str, *findings: dict[str, Any], size: int = 0, table: ConsequenceTable = HARM.consequences
) -> ItemRecord:
    """``shell/a request anthropic gemini`` with findings, which follow from each other by the ``table``."""
    case, check, client, upstream, *variant = name.split()
    nodeid = f"toolcall::{case}::{check}::{'-'.join([client, 'to', upstream, *variant])}"
    variants = variant[0] if variant else None
    records = name_finding_causes(findings, table, way_back=check == "round_trip")
    return ItemRecord(nodeid, case, check, client, upstream, variants, "fail", "failed", findings=records, size=size)


def causes(*items: ItemRecord) -> list[RootCause]:
    return find_root_causes(items, HARM)


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


def read_wrongly(target: str, case: str = "shell/a", source: str = "gemini", pointer: str = "/x/0") -> ItemRecord:
    """An item in which the same thing of a source is lost, in a body of a target format."""
    lost = finding("translation/arguments", f"/{target}", format=target, source_pointer=pointer)
    return item(f"{case} request {source} {target}", lost)


def test_a_fault_of_the_reader_is_one_cause_in_all_formats() -> None:
    (root,) = causes(*map(read_wrongly, ("anthropic", "openai_chat", "openai_responses")))
    assert root.formats == ["anthropic", "openai_chat", "openai_responses"]


@pytest.mark.parametrize("other", [{"case": "shell/b"}, {"source": "anthropic"}, {"pointer": "/y/0"}])
def test_other_cases_sources_and_places_are_other_causes(other: dict[str, str]) -> None:
    passing = [
        item(f"{case} request gemini {target}")
        for case, target in [("shell/b", "openai_responses"), ("shell/a", "openai_chat"), ("shell/c", "anthropic")]
    ]
    assert len(causes(read_wrongly("openai_responses"), read_wrongly("openai_chat", **other), *passing)) == 2


def lost_item(source: str, target: str, case: str = "shell/a", **more: Any) -> ItemRecord:
    """An item that lost what is at a place of its source, each format's body telling it in its own way."""
    difference = {"openai_chat": "lost", "openai_responses": "value"}.get(target, "type")
    place = "/x/3/parametersJsonSchema/properties/a"
    plain = {"element": "media", "source_pointer": place, "got": {"$absent": True}, **more}
    lost = finding("translation/media-lost", f"/{target}", format=target, difference=difference, **plain)
    return item(f"{case} request {source} {target}", lost)


def test_what_one_format_loses_toward_all_others_is_one_cause_in_whatever_cases() -> None:
    items = [
        lost_item("gemini", "openai_chat"),
        lost_item("gemini", "openai_responses", "shell/b", source_pointer="/x/0/parametersJsonSchema"),
        lost_item("gemini", "anthropic", "shell/c"),
    ]
    (root,) = causes(*items)
    assert root.formats == ["anthropic", "openai_chat", "openai_responses"]
    # Two of three show it: any of the three may be at fault.
    assert len(causes(*items[:2], item("shell/c request gemini anthropic"))) == 2


def test_what_all_sources_lose_toward_one_format_goes_with_its_writer() -> None:
    sources = ("gemini", "openai_responses")
    written = [lost_item(source, "anthropic", source_pointer=f"/{source}/0") for source in sources]
    read = lost_item("gemini", "openai_chat", source_pointer="/gemini/0")
    assert [len(root.occurrences) for root in causes(*written, read)] == [2, 1]
    # Of Gemini alone it is lost toward both formats: its reader loses it.
    alone = causes(written[0], read, item("shell/a request openai_responses anthropic"))
    assert [len(root.occurrences) for root in alone] == [2]


def test_losses_of_two_members_of_a_source_are_two_causes() -> None:
    tool, other, function = (
        lost_item("openai_chat", "anthropic", f"shell{place}", source_pointer=place)
        for place in ("/tools/0", "/tools/1", "/functions/0")
    )
    assert len(causes(tool, function)) == 2
    assert len(causes(tool, other)) == 1


def test_where_the_output_lacks_something_makes_no_cause() -> None:
    def lost_text_item(place: str, source: str) -> ItemRecord:
        absent = {"$absent": True}
        missing = finding("translation/text-lost", place, element="text", source_pointer=source, got=absent)
        return item(f"shell{place} request anthropic gemini", missing)

    assert (
        len(causes(lost_text_item("/a", "/messages/0/content"), lost_text_item("/b", "/messages/2/content/0/text")))
        == 1
    )
    assert len(causes(lost_text_item("/a", "/messages/0/content"), lost_text_item("/b", "/messages/0/name"))) == 2


def test_a_rule_that_formats_share_is_one_cause() -> None:
    def name_item(target: str, rule: str, place: str) -> ItemRecord:
        wrong = finding(f"{target}/{rule}", place, format=target, got="a.b")
        return item(f"mcp/a request gemini {target}", wrong)

    chat_item = name_item("openai_chat", "tool-name", "/tools/*/function/name")
    (root,) = causes(name_item("anthropic", "tool-name", "/tools/*/name"), chat_item)
    assert root.formats == ["anthropic", "openai_chat"]
    for other in (
        name_item("anthropic", "call-id", "/tools/*/name"),
        name_item("anthropic", "tool-name", "/tools/*/type"),
    ):
        assert len(causes(other, chat_item)) == 2


def test_a_client_misread_in_the_loop_is_one_cause_in_all_formats() -> None:
    def merged_calls_item(client: str, target: str) -> ItemRecord:
        wrong = finding("translation/calls-merged", f"/{target}", format=target, source_pointer=f"/of/{target}")
        return item(f"shell/a agent_loop {client} {target}", wrong)

    (root,) = causes(merged_calls_item("gemini", "anthropic"), merged_calls_item("gemini", "openai_chat"))
    assert root.formats == ["anthropic", "openai_chat"]
    # Where several clients show it, each upstream may lose it on its own way down.
    several = [
        merged_calls_item(client, target)
        for client in ("gemini", "openai_responses")
        for target in ("anthropic", "openai_chat")
    ]
    assert len(causes(*several)) == 2


def unreturned_state_items(client: str, target: str, variants: str) -> list[ItemRecord]:
    """The variants of a loop in which state does not come back."""
    wrong = finding("translation/state-returned", f"/{target}", "lost", format=target, element="opaque")
    return [item(f"shell/a agent_loop {client} {target} {variant}", wrong) for variant in variants]


def test_a_client_that_fails_alike_with_several_providers_is_one_cause() -> None:
    """One client fails in all variants, another in one of them: that is not the providers' doing."""
    roots = causes(
        *unreturned_state_items("gemini", "anthropic", "uvwx"),
        *unreturned_state_items("gemini", "openai_responses", "uvwx"),
        *unreturned_state_items("openai_chat", "anthropic", "u"),
        *unreturned_state_items("openai_chat", "openai_responses", "u"),
    )
    assert [({record.client for record in root.items}, root.formats) for root in roots] == [
        ({"gemini"}, ["anthropic", "openai_responses"]),
        ({"openai_chat"}, ["anthropic", "openai_responses"]),
    ]


def test_what_all_clients_show_alike_goes_with_the_provider() -> None:
    clients = ("gemini", "openai_chat")
    several = [
        each
        for c in clients
        for t in ("anthropic", "openai_responses")
        for each in unreturned_state_items(c, t, "uvwx")
    ]
    assert [root.formats for root in causes(*several)] == [["anthropic"], ["openai_responses"]]
    # Nor does a client that fails otherwise with each provider.
    other = [
        *unreturned_state_items("gemini", "anthropic", "uvwx"),
        *unreturned_state_items("openai_chat", "anthropic", "u"),
    ]
    assert len(causes(*other, *unreturned_state_items("gemini", "openai_responses", "yz"))) == 2


def test_the_most_harmful_cause_comes_first_then_the_most_frequent() -> None:
    wrong = {
        "crash": finding("translation/crashed", "", element="body"),
        "usage": finding("translation/usage", element="usage"),
        "call": finding("translation/call-lost"),
        "result": finding("translation/result-lost", element="result"),
        "mild": finding("translation/call-name", level="SHOULD"),
        "known": finding("translation/call-order", known="a reason"),
    }
    names = ["known", "mild", "mild", "usage", "usage", "usage", "call", "result", "result", "crash"]
    items = [item(f"shell/{n} request anthropic openai_chat", wrong[name]) for n, name in enumerate(names)]
    rules = [root.rule for root in causes(*items)]
    # Two results weigh more than a call, and no number of counters does.
    assert rules == [wrong[name]["rule"] for name in ("result", "call", "crash", "usage", "mild", "known")]
    counters = [item(f"shell/u{n} request gemini openai_chat", wrong["usage"]) for n in range(99)]
    assert [root.rule for root in causes(*items, *counters)] == rules


def test_causes_of_one_rule_are_marked_by_their_difference() -> None:
    here, there = (finding("translation/call-lost", place) for place in ("/a", "/b"))
    gemini = finding("translation/call-lost", "/c", format="gemini", source_pointer="/x")
    first = item("shell/a request anthropic openai_chat", here)
    second, third = (item(f"shell/b request anthropic {each['format']}", each) for each in (there, gemini))
    assert [root.mark for root in causes(first)] == [""]
    assert [root.mark for root in causes(first, second)] == ["/a", "/b"]
    assert [root.mark for root in causes(first, third)] == ["openai_chat", "gemini"]


def test_what_hides_other_faults_is_never_first() -> None:
    raised = finding("translation/crashed", "", element="body")
    items = [item(f"shell/{n} request anthropic openai_chat", raised) for n in range(9)]
    assert [root.rule for root in causes(*items)] == ["translation/crashed"]
    items.append(item("shell/z request anthropic openai_chat", finding("translation/usage", element="usage")))
    assert [root.rule for root in causes(*items)] == ["translation/usage", "translation/crashed"]
    items.append(item("shell/y request anthropic openai_chat", finding("translation/ids-kept", level="SHOULD")))
    assert [root.level for root in causes(*items)] == ["MUST", "MUST", "SHOULD"]


def test_the_example_is_the_simplest() -> None:
    same = finding("translation/arguments")
    known_fault = finding("translation/arguments", known="a reason")
    in_order = [
        item("shell/z request anthropic openai_chat", same, size=5),
        item("shell/a request anthropic openai_chat", same, size=9),
        item("shell/b request anthropic openai_chat", same, finding("translation/call-name"), size=1),
        item("shell/c stream anthropic openai_chat", same, size=1),
        item("shell/d agent_loop anthropic openai_chat", same, size=1),
        item("shell/e request anthropic openai_chat other", same, size=1),
        item("shell/f request anthropic openai_chat", known_fault, size=1),
    ]
    for number, simplest in enumerate(in_order):
        roots = causes(*reversed(in_order[number:]))
        root = next(root for root in roots if root.rule == same["rule"])
        assert root.example.item is simplest


def test_a_new_fault_is_never_hidden_by_a_known_one() -> None:
    same, known_fault = finding("translation/arguments"), finding("translation/arguments", known="a reason")
    loop = item("shell/a agent_loop anthropic openai_chat", same)
    roots = causes(item("shell/a request anthropic openai_chat", known_fault), loop)
    assert (roots[0].is_known, roots[0].items) == (False, [loop])
    finish = {"element": "finish", "format": "anthropic"}
    finish_fault = finding("translation/finish-reason", "/stop_reason", got="a", known="a reason", **finish)
    agrees = finding("anthropic/finish-agrees-with-calls", "/stop_reason", got="a", **finish)
    (root,) = [
        root for root in causes(item("shell/a response anthropic gemini", finish_fault, agrees)) if not root.is_known
    ]
    assert root.rule == agrees["rule"]
    general = finding("translation/stream-equals-reply", "", element="body", level="SHOULD")
    assert [root.is_known for root in causes(item("shell/a stream anthropic gemini", general, known_fault))] == [
        False,
        True,
    ]


def test_the_first_cause_of_a_body_says_what_the_client_did_with_it() -> None:
    findings = finding("translation/arguments", "/b", got="x"), finding("translation/text-lost", "/c", got="y")
    oracle_results = [{"body": "01-request", "client": "sdk 1", "accepted": False, "says": ["raised"]}]
    record = replace(item("shell/a request anthropic openai_chat", *findings), witness=oracle_results)
    first, second = (
        "\n".join("".join(piece.text for piece in line) for line in each)
        for each in cause_blocks(causes(record), {}, lambda *_: "run", [record])
    )
    assert "  sdk   sdk 1: raised" in first
    assert "sdk" not in second
