"""Ids that are lost, renamed on one side, shared, or not legal in the target."""

from __future__ import annotations

import re

from doubles.bodies.results import words
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, WITH_IDS, broken, need, warning
from doubles.draft import Draft

ORPHAN = {
    ANTHROPIC: "anthropic/result-of-known-call",
    CHAT: "openai_chat/result-answers-call",
    RESPONSES: "openai_responses/result-has-call",
    GEMINI: "gemini/result-id-matches-call",
}
UNANSWERED = {
    ANTHROPIC: "anthropic/calls-answered",
    CHAT: "openai_chat/calls-answered",
    RESPONSES: "openai_responses/call-answered",
}


@broken(ORPHAN)
def id_renamed_on_results(draft: Draft) -> None:
    """The results have another id than their calls."""
    need(all(call.id for call in draft.calls))
    for result in need([result for result in draft.results if result.id is not None]):
        result.id = "r" + result.id[1:]


@broken({each: ORPHAN[each] for each in UNANSWERED}, never=tuple(UNANSWERED.values()))
def id_renamed_on_calls(draft: Draft) -> None:
    """The calls have another id than their results."""
    for call in need([call for call in draft.calls if call.id is not None]):
        call.id = "c" + call.id[1:]


@broken(
    {ANTHROPIC: "anthropic/call-shape", CHAT: "openai_chat/call-id", RESPONSES: "openai_responses/call-complete"},
    check="response",
    fault="reply-id-missing",
    title="The calls of a reply have no id, so that no result can answer them",
)
@broken({ANTHROPIC: "anthropic/call-shape", CHAT: "openai_chat/call-id", RESPONSES: "openai_responses/call-complete"})
def id_missing_on_calls(draft: Draft) -> None:
    """The calls of the history have no id."""
    for call in need(draft.calls):
        call.drop_id()


@broken(
    {
        ANTHROPIC: "anthropic/result-shape",
        CHAT: "openai_chat/result-call-id",
        RESPONSES: "openai_responses/result-names-call",
    }
)
def id_missing_on_results(draft: Draft) -> None:
    """The results do not say which call they answer."""
    for result in need(draft.results):
        result.drop_id()


@broken("translation/ids-injective", target=WITH_IDS)
def ids_collapsed(draft: Draft) -> None:
    """Parallel calls share one id."""
    batch = need([batch for batch in draft.batches if len(batch) > 1])[0]
    for handle in [*batch, *draft.results_of(batch)]:
        handle.id = batch[0].id


def told_apart(draft: Draft) -> bool:
    """Whether the provider gives no two calls one id; some vendors give all the blank one."""
    ids = [call.id for call in Draft(draft.source, draft.source_format).calls if call.id is not None]
    return len(set(ids)) == len(ids)


@broken("translation/ids-injective", target=WITH_IDS, check="response")
def reply_ids_collapsed(draft: Draft) -> None:
    """Parallel calls of a reply share one id."""
    need(len(draft.calls) > 1 and told_apart(draft))
    for call in draft.calls:
        call.id = draft.calls[0].id


@broken("translation/ids-injective", target=WITH_IDS, check="response")
def ids_from_names(draft: Draft) -> None:
    """The ids are made of the tools' names, so that two calls of one tool share one."""
    names = [call.name for call in draft.calls]
    need(len(set(names)) < len(names) and told_apart(draft))
    for call in draft.calls:
        call.id = f"call_{call.name}"


@broken("translation/ids-injective", target=(CHAT, RESPONSES), cases=("grep/long-ids", "ids/cut-alike"))
def long_ids_cut(draft: Draft) -> None:
    """Ids that are too long are cut, so that two calls share one."""
    ids = [call.id for call in draft.calls]
    sources = [call.id for call in Draft(draft.source, draft.source_format).calls]
    limit = 40 if draft.format == CHAT else 64
    need(ids and all(sources) and len({source[:limit] for source in sources}) < len(ids))
    id_map = dict(zip(ids, sources, strict=True))
    for handle in [*draft.calls, *draft.results]:
        handle.id = id_map[handle.id][:limit]


@broken(("translation/ids-injective", "anthropic/call-ids-unique"), cases=("ids/cleaned-alike",))
def ids_cleaned(draft: Draft) -> None:
    """What a provider does not take in ids becomes an underscore, so that calls share one."""
    ids = [call.id for call in need(draft.calls)]
    clean = [re.sub(r"[^a-zA-Z0-9_-]", "_", call.id) for call in Draft(draft.source, draft.source_format).calls]
    need(len(set(clean)) < len(ids))
    id_map = dict(zip(ids, clean, strict=True))
    for handle in [*draft.calls, *draft.results]:
        handle.id = id_map[handle.id]


@broken("openai_chat/call-id", check="response")
def reply_ids_empty(draft: Draft) -> None:
    """The calls of a reply have empty ids."""
    for call in need(draft.calls):
        call.id = ""


@broken("anthropic/call-id", cases=("shell/foreign-ids",))
def foreign_id_passed_on(draft: Draft) -> None:
    """Ids with dots and colons are passed on to a provider that does not take them."""
    _as_in_source(draft)


@broken("openai_responses/call-id-length", cases=("grep/long-ids",))
def long_id_passed_on(draft: Draft) -> None:
    """Ids that are too long for the provider are passed on."""
    _as_in_source(draft)


def _as_in_source(draft: Draft) -> None:
    ids = [call.id for call in need(draft.calls)]
    sources = [call.id for call in Draft(draft.source, draft.source_format).calls]
    need(all(sources) and sources != ids)
    id_map = dict(zip(ids, sources, strict=True))
    for handle in [*draft.calls, *draft.results]:
        handle.id = id_map[handle.id]


@broken("openai_responses/result-has-call")
def item_id_as_call_id(draft: Draft) -> None:
    """Results name the item id of their call instead of its call_id."""
    id_map = {}
    for number, call in enumerate(need(draft.calls)):
        id_map[call.id] = call.entry["id"] = f"fc_68f0c1d2e3a4b5c6d7e8f9{number:02}"
    for result in need(draft.results):
        result.id = id_map[result.id]


@broken(("openai_responses/item-id-prefix", "openai_responses/item-id-is-not-call-id"))
def call_id_as_item_id(draft: Draft) -> None:
    """The item id of a call is a copy of its call_id."""
    for call in need([call for call in draft.calls if not call.id.startswith("fc")]):
        call.entry["id"] = call.id


@broken(("translation/results-linked", "translation/ids-injective"), target=WITH_IDS)
def ids_shifted(draft: Draft) -> None:
    """Results carry the id of the call before theirs."""
    batch = need([batch for batch in draft.result_batches if len(batch) > 1])[0]
    need(len({words(result) for result in batch}) == len(batch))
    ids = [result.id for result in batch]
    for result, other in zip(batch, [ids[-1], *ids[:-1]], strict=True):
        result.id = other


@warning("translation/ids-kept", target=WITH_IDS)
def ids_replaced(draft: Draft) -> None:
    """Ids that are legal here were replaced, the same way on calls and results."""
    source = Draft(draft.source, draft.source_format)
    ids = [call.id for call in need(draft.calls)]
    need(len(set(ids)) == len(ids) and set(ids) <= {call.id for call in source.calls})
    draft.rename_ids({old: f"call_{number:04}" for number, old in enumerate(ids)})
