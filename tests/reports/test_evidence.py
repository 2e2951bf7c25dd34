"""Causes by evidence that findings share, whatever their rules: measured by patches of published translators.

Each test has the pair that one patch closes, and the pair beside it that needs two.
"""

from __future__ import annotations

from typing import Any

import pytest

from plugin.cause_items import causes, finding, item

ABSENT = {"$absent": True}


def lost(rule: str, source_pointer: str, **more: Any) -> dict[str, Any]:
    """A finding that something of a source is not in the output."""
    return finding(f"translation/{rule}", difference="lost", source_pointer=source_pointer, got=ABSENT, **more)


@pytest.mark.parametrize(
    ("place", "number"), [("/messages/3/content/1", 1), ("/messages/3/content/1/image_url", 1), ("/messages/4", 2)]
)
def test_a_part_that_was_copied_is_also_what_is_lost(place: str, number: int) -> None:
    copied = finding(
        "anthropic/block-type",
        "/messages/*/content/*/type",
        "-",
        element="history",
        format="anthropic",
        source_pointer="/messages/3/content/1",
    )
    request = "binary/a request openai_chat anthropic"
    media = lost("media-lost", place, element="media", format="anthropic", place="/messages/2")
    (first, *others) = causes(item(request, copied, media))
    assert 1 + len(others) == number
    assert first.rule == "anthropic/block-type"


@pytest.mark.parametrize(
    ("other", "number"),
    [({}, 1), ({"source_pointer": "/tools/1"}, 2), ({"element": "finish"}, 2), ({"level": "MUST"}, 1)],
)
def test_a_reader_loses_a_place_of_a_case_toward_whatever_format(other: dict[str, Any], number: int) -> None:
    items = [
        item("mcp/a request gemini anthropic", lost("schema-items", "/tools/0", element="tool", format="anthropic")),
        item(
            "mcp/a request gemini openai_chat",
            lost("schema-type", **{"source_pointer": "/tools/0", "element": "tool", **other}),
        ),
    ]
    assert len(causes(*items)) == number


def test_a_writer_at_fault_keeps_what_a_reader_loses_apart() -> None:
    written = [
        item(f"mcp/a request {source} anthropic", lost("schema-items", "/tools/0", element="tool", format="anthropic"))
        for source in ("gemini", "openai_chat")
    ]
    read = item(
        "mcp/a request gemini openai_responses",
        lost("schema-type", "/tools/0", element="tool", format="openai_responses"),
    )
    assert len(causes(*written, read)) == 2


@pytest.mark.parametrize(("wrong", "number"), [("toolu_grep", 1), ("call-grep", 2), ("toolu_x7", 2)])
def test_ids_made_of_the_name_in_one_way_are_one_cause(wrong: str, number: int) -> None:
    ids = {"element": "id", "format": "anthropic", "body": "01-response"}
    items = [
        item(
            "ids/a response anthropic gemini", finding("translation/ids-kept", got=wrong, subject="call 1, grep", **ids)
        ),
        item(
            "ids/b response anthropic gemini",
            finding("translation/ids-injective", got="toolu_read_file", subject="call 2, read_file", **ids),
        ),
    ]
    assert len(causes(*items)) == number


@pytest.mark.parametrize(("word", "number"), [("generation_config", 1), ("system_instruction", 2)])
def test_what_has_another_name_in_the_source_is_lost_with_it(word: str, number: int) -> None:
    items = [
        item(
            f"settings/{case} request gemini {target}",
            finding(
                f"translation/{rule}",
                f"/{case}",
                element="setting",
                format=target,
                message=f"it is gone; the source says it as `{name}`",
            ),
        )
        for case, target, rule, name in (
            ("a", "anthropic", "setting-lost", "generation_config"),
            ("b", "openai_chat", "setting-changed", word),
        )
    ]
    assert len(causes(*items)) == number


@pytest.mark.parametrize(
    ("place", "formats", "number"),
    [
        ("/tools/0/parameters_json_schema", ("anthropic", "openai_chat"), 1),
        ("/tools/0/parameters_json_schema", ("openai_responses",), 2),
        ("/tools/0/parameters_schema", ("anthropic", "openai_chat"), 2),
    ],
)
def test_a_reader_that_loses_both_notations_lacks_the_member(place: str, formats: tuple[str, ...], number: int) -> None:
    def dropped(case: str, target: str, pointer: str) -> Any:
        return item(
            f"schemas/{case} request gemini {target}",
            lost("schema-property-lost", pointer, element="tool", format=target, place=f"/{case}"),
        )

    camel = [dropped("a", target, "/tools/0/parametersJsonSchema") for target in ("anthropic", "openai_chat")]
    snake = [dropped("b", target, place) for target in formats]
    passing = [item("schemas/a request gemini openai_responses"), item("schemas/b request gemini gemini")]
    assert len(causes(*camel, *snake, *passing)) == number


def test_one_wrong_text_of_a_reader_is_one_cause_in_whatever_form() -> None:
    def emptied(case: str, target: str, difference: str, text: str = "") -> Any:
        wrong = finding(
            "translation/result-content", f"/{target}", difference, element="result", format=target, got=text
        )
        return item(f"shell/{case} request gemini {target}", wrong)

    one = emptied("a", "anthropic", "value")
    assert len(causes(one, emptied("b", "openai_chat", "type"))) == 1
    assert len(causes(one, emptied("b", "openai_chat", "type", "{}"))) == 2


def test_a_value_that_only_a_lost_list_of_values_forbids_is_of_that_loss() -> None:
    wide = finding(
        "translation/schema-widened",
        "/tools/*/a/**",
        element="tool",
        message='an invalid value is valid now: {"kind": ""}; `const` forbids it in the source',
    )
    const = lost("schema-enum", "/tools/0/input_schema/properties/kind/const", element="tool")
    request = "schemas/{} request anthropic openai_chat"
    assert len(causes(item(request.format("a"), wide), item(request.format("b"), const))) == 1
    rewritten = {
        **wide,
        "message": f"{wide['message']}; its place in the output has `anyOf`, its place in the source has none",
    }
    assert len(causes(item(request.format("a"), rewritten), item(request.format("b"), const))) == 2
    closed = {**wide, "message": wide["message"].replace("const", "additionalProperties")}
    assert len(causes(item(request.format("a"), closed), item(request.format("b"), const))) == 2


def test_a_union_that_is_gone_is_one_cause_with_all_that_its_branches_said() -> None:
    def gone(
        case: str, rule: str, note: str = "; its place in the source has `anyOf`, its place in the output has none"
    ) -> Any:
        wrong = finding(f"translation/{rule}", f"/{case}/**", element="tool", message=f"it is wrong{note}")
        return item(f"schemas/{case} request anthropic openai_chat", wrong)

    assert len(causes(gone("a", "schema-type"), gone("b", "schema-narrowed"))) == 1
    assert len(causes(gone("a", "schema-type"), gone("b", "schema-narrowed", ""))) == 2


def test_readers_that_fail_in_other_cases_are_other_causes() -> None:
    def dropped(case: str, upstream: str, target: str) -> Any:
        text = lost("text-lost", f"/{upstream}", element="text", format=target, body="01-response")
        return item(f"streaming/{case} stream {target} {upstream}", text)

    clients = ("anthropic", "openai_responses")
    read = [dropped("a", "gemini", client) for client in clients]
    other = [dropped("b", "openai_chat", client) for client in clients]
    passing = [item(f"streaming/a stream {client} openai_chat") for client in clients]
    assert len(causes(*read, *other, *passing)) == 2
    # Were they never played from the other, the writers may be at fault as well as the readers.
    assert len(causes(*read, *(dropped("a", "openai_chat", client) for client in clients))) == 1


@pytest.mark.parametrize(("counts", "number"), [((0, 2), 1), ((2, 0), 2)], ids=["calls too many", "calls too few"])
def test_a_broken_loop_goes_with_the_calls_that_break_it(counts: tuple[int, int], number: int) -> None:
    called = finding(
        "translation/server-call-as-client-call", "/b", "added", format="gemini", want=ABSENT, body="01-response"
    )
    want, got = counts
    broken = finding("translation/loop-broken", "", format="openai_chat", want=want, got=got, body="01-response")
    items = [
        item("web/a response gemini anthropic", called),
        item("web/b agent_loop openai_chat anthropic", broken),
    ]
    assert len(causes(*items)) == number


def test_arguments_that_changed_on_the_way_down_go_with_the_reply() -> None:
    stream = finding(
        "anthropic/stream-block-index", "/events", element="body", format="anthropic", body="01-response.sse"
    )
    assembled = finding("translation/arguments", "/content", format="anthropic", body="01-response.sse, assembled")
    says = "the arguments of a call changed (on the way down, in 01-response: the client has it so)"
    loop = finding("translation/arguments", "/input", format="openai_responses", message=says)
    reply = item("streaming/a stream anthropic openai_responses", stream, assembled)
    later = "streaming/b agent_loop anthropic openai_responses"
    (cause,) = causes(reply, item(later, loop))
    assert cause.rule == "anthropic/stream-block-index"
    assert len(causes(reply, item(later, {**loop, "message": "the arguments of a call changed"}))) == 2


@pytest.mark.parametrize(
    ("want", "number"),
    [
        ({"type": "tool", "name": "grep"}, 1),
        ({"mode": "required", "names": ["grep", "shell"]}, 2),
        ({"type": "none"}, 2),
    ],
)
def test_one_forced_tool_is_another_fault_than_several_allowed_ones(want: dict[str, Any], number: int) -> None:
    def chosen(case: str, want: dict[str, Any]) -> Any:
        choice: dict[str, Any] = {
            "element": "choice",
            "format": "anthropic",
            "source_pointer": "/toolConfig",
            "want": want,
        }
        wrong = finding("translation/tool-choice", "/tool_choice", got={"type": "any"}, **choice)
        return item(f"grep/{case} request gemini anthropic", wrong)

    assert len(causes(chosen("a", {"mode": "ANY", "allowedFunctionNames": ["shell"]}), chosen("b", want))) == number


@pytest.mark.parametrize(("companion", "number"), [("stream-block-overlap", 2), ("stream-block-closed", 1)])
def test_a_block_that_was_still_open_is_another_fault_than_a_wrong_number(companion: str, number: int) -> None:
    body = {"element": "body", "format": "anthropic", "body": "01-response.sse"}
    index = finding("anthropic/stream-block-index", "/events/*/data/index", **body)
    other = finding(f"anthropic/{companion}", "/events/*/data", **body)
    items = [
        item("streaming/a stream anthropic gemini", index),
        item("streaming/b stream anthropic gemini", index, other),
    ]
    assert len(causes(*items)) == number


@pytest.mark.parametrize(("passing", "number"), [(5, 2), (4, 1)])
def test_a_format_s_own_rule_is_parted_by_reader_only_after_several_cases(passing: int, number: int) -> None:
    def wrong(case: str, upstream: str) -> Any:
        index = finding("openai_chat/stream-call-index", "/events", element="call", body="01-response.sse")
        return item(f"streaming/{case} stream openai_chat {upstream}", index)

    read = [wrong(str(case), "openai_responses") for case in range(5)]
    others = [item(f"streaming/{case} stream openai_chat gemini") for case in range(passing)]
    assert len(causes(*read, wrong("choices", "gemini"), *others)) == number


@pytest.mark.parametrize(("number", "causes_expected"), [(3, 1), (2, 2)])
def test_most_ids_of_a_cause_show_how_they_are_made(number: int, causes_expected: int) -> None:
    def ids(rule: str, wrong: str) -> dict[str, Any]:
        facts = {"element": "id", "format": "anthropic", "subject": "call 1, grep"}
        return finding(f"translation/{rule}", got=wrong, **facts)

    sent = [ids("ids-returned", "toolu_grep")] * number + [ids("ids-returned", "other")] * (4 - number)
    items = [item(f"ids/{at} request gemini anthropic", each) for at, each in enumerate(sent)]
    items.append(item("ids/b request gemini anthropic", ids("ids-kept", "toolu_grep")))
    assert len(causes(*items)) == causes_expected


def test_the_end_of_a_reply_with_calls_is_no_row_of_a_table_from_a_format_without_a_word_for_it() -> None:
    def ended(case: str, source: str, want: str) -> Any:
        finish = {"element": "finish", "format": "anthropic", "want": want, "got": "end_turn", "body": "01-response"}
        wrong = finding("translation/finish-reason", "/stop_reason", f"{want}≠end_turn", **finish)
        return item(f"finish/{case} response anthropic {source}", wrong)

    assert len(causes(ended("a", "gemini", "tool_use"), ended("b", "gemini", "refusal"))) == 2
    assert len(causes(ended("a", "openai_chat", "tool_use"), ended("b", "openai_chat", "refusal"))) == 1
