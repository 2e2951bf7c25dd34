"""Translations of bodies that are illegal themselves: what is passed on, and what is broken elsewhere."""

from __future__ import annotations

import json

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.illegal import ODD_ARGUMENTS, ODD_NAME

CUT = '{"path": "README'
NAMES = {ANTHROPIC: "anthropic/tool-name", RESPONSES: "openai_responses/tool-name", GEMINI: "gemini/name-charset"}


@broken(NAMES, sources=(CHAT,), cases=(ODD_NAME,))
def another_name_broken(draft: Draft) -> None:
    """The illegal name of one tool is mended, and the legal name of another is broken."""
    draft.tools[1].inner["name"] = "read file"


@harmless(target=tuple(NAMES), sources=(CHAT,), cases=(ODD_NAME,), beside=NAMES)
def illegal_name_passed_on(draft: Draft) -> None:
    """The illegal name of a tool stays as the source has it."""
    draft.tools[0].inner["name"] = "search files"


@broken("openai_responses/arguments-json", sources=(CHAT,), cases=(ODD_ARGUMENTS,))
@broken(
    "openai_responses/arguments-json",
    check="response",
    sources=(CHAT,),
    cases=(ODD_ARGUMENTS,),
    fault="reply-other-arguments-cut",
    title="In a reply with arguments that break off those of the other call break off, too",
)
def other_arguments_cut(draft: Draft) -> None:
    """Beside arguments that break off in the source, those of the other call break off, too."""
    draft.calls[0].raw = '{"path": "set'


@harmless(target=RESPONSES, sources=(CHAT,), cases=(ODD_ARGUMENTS,), beside="openai_responses/arguments-json")
@harmless(
    target=RESPONSES,
    check="response",
    sources=(CHAT,),
    cases=(ODD_ARGUMENTS,),
    fault="reply-cut-arguments-kept",
    title="Arguments of a reply that break off in the source are wrapped in an object of JSON text",
    beside="openai_responses/arguments-json",
)
def cut_arguments_kept(draft: Draft) -> None:
    """Arguments that break off in the source are the same text, or inside an object."""
    call = draft.calls[1]
    call.raw = CUT if need(call.raw).startswith('{"_raw') else json.dumps({"text": CUT})


@harmless(
    target=(ANTHROPIC, GEMINI),
    sources=(CHAT,),
    cases=(ODD_ARGUMENTS,),
    beside={ANTHROPIC: "anthropic/call-input-object", GEMINI: "gemini/call-args-object"},
)
def cut_arguments_under_another_key(draft: Draft) -> None:
    """Arguments that break off in the source stand as a text under a key that nobody agreed on."""
    draft.calls[1].raw = {"unparsed": [CUT]}


@warning(
    "translation/unreadable-arguments",
    target=(ANTHROPIC, GEMINI),
    sources=(CHAT,),
    cases=(ODD_ARGUMENTS,),
    beside="translation/arguments",
)
def cut_arguments_emptied(draft: Draft) -> None:
    """Arguments that break off in the source are gone."""
    draft.calls[1].raw = {}
