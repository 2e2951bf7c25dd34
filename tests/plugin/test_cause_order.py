"""Root causes: their order, their marks and their examples."""

from __future__ import annotations

from dataclasses import replace

from plugin.cause_items import causes, finding, item
from toolcall_conformance.reports.text.blocks import cause_blocks


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
