"""Root causes across formats: faults of a reader, of a writer, and of a client."""

from __future__ import annotations

from typing import Any

import pytest

from plugin.cause_items import causes, finding, item
from toolcall_conformance.reports.item_record import ItemRecord


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
