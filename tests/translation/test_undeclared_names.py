"""Calls of tools that no request declares, by names that the target does not take: one made of them will do.

Gemini takes dots and colons in names, Chat neither (https://platform.openai.com/docs/api-reference/chat/create).
"""

from __future__ import annotations

from typing import Any

import pytest

from corpus_judge import judge

ARCHIVE, DRAFTS = "ward.roster:list_in_archive", "ward.roster:list_in_drafts"


def gemini_request(*names: str) -> dict[str, Any]:
    calls = [{"functionCall": {"name": name, "args": {"n": at}}} for at, name in enumerate(names)]
    answers = [{"functionResponse": {"name": name, "response": {"output": "3"}}} for name in names]
    turns = [
        {"role": "user", "parts": [{"text": "Who?"}]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": answers},
    ]
    return {"contents": turns, "model": "gemini-2.5-flash"}


def chat_request(*names: str) -> dict[str, Any]:
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": name, "arguments": f'{{"n": {at}}}'}}
        for at, name in enumerate(names)
    ]
    answers = [{"role": "tool", "tool_call_id": f"c{at}", "content": "3"} for at in range(len(names))]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Who?"}, message, *answers]}


@pytest.mark.parametrize(
    ("source", "output", "wants"),
    [
        ([ARCHIVE], ["ward_roster_list_in_archive"], []),
        ([ARCHIVE], ["ward_roster_list_4f02f6bc"], []),
        ([ARCHIVE, DRAFTS], ["ward_roster_list_1", "ward_roster_list_2"], []),
        ([ARCHIVE, ARCHIVE], ["ward_roster_list", "ward_roster_list"], []),
        ([ARCHIVE], ["look"], ["ward_roster_list_in_archive"]),
        ([ARCHIVE, DRAFTS], ["ward_roster_list", "ward_roster_list"], ["ward_roster_list_in_drafts"]),
        ([ARCHIVE, ARCHIVE], ["ward_roster_list_1", "ward_roster_list_2"], ["ward_roster_list_1"]),
        (["roster_of_ward"], ["roster_of_w"], ["roster_of_ward"]),
        (["ward.a", "ward:a"], ["look", "find"], ["ward_a", "ward_a_2"]),
    ],
    ids=["spelt", "cut", "told-apart", "one-twice", "another", "two-in-one", "one-in-two", "legal", "both-another"],
)
def test_a_name_is_one_made_of_the_source_s(source: list[str], output: list[str], wants: list[str]) -> None:
    findings = judge(gemini_request(*source), chat_request(*output), client="gemini", upstream="openai_chat").findings
    names = [finding for finding in findings if finding.rule == "translation/call-name"]
    assert [finding.want for finding in names] == wants
    repaired = [*output]
    for finding in names:
        repaired[int(finding.pointer.split("/")[4])] = finding.want
    again = judge(gemini_request(*source), chat_request(*repaired), client="gemini", upstream="openai_chat").findings
    assert not [finding for finding in again if finding.is_must], "what is wanted must pass"
