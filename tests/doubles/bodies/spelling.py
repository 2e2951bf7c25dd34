"""Ids, arguments, texts and results in other spellings that say the same."""

from __future__ import annotations

import json
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, TEXT_ARGUMENTS, WITH_IDS, harmless, need
from doubles.draft import Draft
from doubles.wire import Result

IDS = "translation/ids-kept"


def _renamed(draft: Draft, pattern: str) -> None:
    ids = [call.id for call in need(draft.calls)]
    need(all(ids) and len(set(ids)) == len(ids))
    draft.rename_ids({old: pattern.format(number) for number, old in enumerate(ids, 1)})


@harmless(
    warns=IDS,
    beside=(
        *("translation/ids-injective", "translation/results-linked"),
        *("translation/call-lost", "translation/call-invented", "translation/result-duplicated"),
    ),
)
def ids_of_its_own(draft: Draft) -> None:
    """Calls have other legal ids, the same on call and result."""
    _renamed(draft, "tc_{:02}_Vd3kQxT9mLrZ8uWb")


@harmless(
    target=WITH_IDS, warns=IDS, beside=("translation/call-name", "translation/arguments", "translation/calls-split")
)
def ids_of_each_other(draft: Draft) -> None:
    """Calls have each other's ids, and so have their results."""
    need(draft.source_format != draft.format)  # there the provider's own ids say which call is which
    need(draft.tools)  # calls of free text alone may differ in nothing that is spelt alike in both formats
    ids = [call.id for call in need(draft.calls)]
    need(all(ids) and len(set(ids)) == len(ids) > 1)
    signatures = {(call.name, str(call.raw)) for call in draft.calls}
    need(len(signatures) == len(ids))  # else only the ids say which call is which
    draft.rename_ids(dict(zip(ids, [*ids[1:], ids[0]], strict=True)))


@harmless(target=WITH_IDS, warns=IDS, beside="translation/ids-injective")
def ids_short(draft: Draft) -> None:
    """Calls have very short ids."""
    _renamed(draft, "{}")


@harmless(check="response", warns=IDS, beside="translation/ids-injective")
def reply_ids_of_its_own(draft: Draft) -> None:
    """The calls of a reply have other ids."""
    _renamed(draft, "call_{:02}Vd3kQxT9mLrZ8uWbYc5HnP")


@harmless(
    target=GEMINI, beside=("gemini/result-answers-call", "gemini/result-id-matches-call", "translation/results-linked")
)
def ids_dropped(draft: Draft) -> None:
    """Calls and results have no ids; the results stand in the order of the calls."""
    need(not draft.captions)  # they name the ids
    for handle in need([*draft.calls, *draft.results]):
        handle.drop_id()


@harmless(target=GEMINI, check="response", beside="translation/ids-injective")
def reply_ids_dropped(draft: Draft) -> None:
    """The calls of a reply have no ids, as with older models."""
    for call in need([call for call in draft.calls if call.id]):
        call.drop_id()


@harmless(beside="translation/arguments")
def arguments_in_other_order(draft: Draft) -> None:
    """The keys of arguments stand in another order."""
    for call in need([call for call in draft.calls if len(call.arguments) > 1]):
        call.arguments = dict(reversed(call.arguments.items()))


@harmless(
    target=TEXT_ARGUMENTS,
    check="response",
    beside="translation/arguments",
    fault="reply-arguments-indented",
    title="The JSON text of a reply's arguments is indented",
)
@harmless(target=TEXT_ARGUMENTS, beside="translation/arguments")
def arguments_indented(draft: Draft) -> None:
    """The JSON text of arguments is indented, with line breaks around."""
    for call in need(draft.calls):
        call.raw = "\n" + json.dumps(call.arguments, indent=2, ensure_ascii=False) + "\n"


@harmless(target=TEXT_ARGUMENTS, beside="translation/arguments")
def arguments_in_ascii(draft: Draft) -> None:
    r"""Characters beyond ASCII are spelt \uXXXX, slashes \/."""
    for call in need(draft.calls):
        call.raw = json.dumps(call.arguments).replace("/", "\\/")


@harmless(target=TEXT_ARGUMENTS, beside="translation/arguments")
def whole_numbers_with_point(draft: Draft) -> None:
    """The number 7 is spelt 7.0."""
    for call in need(draft.calls):
        call.arguments = {
            key: float(value) if type(value) is int and abs(value) < 2**53 else value
            for key, value in call.arguments.items()
        }


@harmless(
    target=GEMINI,
    check="response",
    beside=("gemini/call-args-object", "translation/arguments"),
    fault="reply-no-arguments-absent",
    title="A call of a reply without arguments leaves args out",
)
@harmless(target=GEMINI, beside="translation/arguments")
def no_arguments_absent(draft: Draft) -> None:
    """A call without arguments leaves args out."""
    for call in need([call for call in draft.calls if not call.arguments]):
        call.drop_arguments()


@harmless(target=TEXT_ARGUMENTS, check="response", beside="translation/arguments")
def no_arguments_spaced(draft: Draft) -> None:
    """A call without arguments says an object with a blank in it."""
    for call in need([call for call in draft.calls if not call.arguments]):
        call.raw = "{ }"


def _plain(draft: Draft) -> list[Result]:
    return [result for result in draft.results if isinstance(result.text, str) and not result.failed]


@harmless(beside=("translation/results-linked", "translation/result-lost", "translation/result-invented"))
def results_in_other_order(draft: Draft) -> None:
    """Parallel results stand in another order; ids pair them."""
    batch = need([batch for batch in draft.result_batches if len(batch) > 1])[0]
    need(all(result.id for result in batch) and len({result.id for result in batch}) == len(batch))
    start = batch[0].place
    batch[0].holder[start : start + len(batch)] = [result.entry for result in reversed(batch)]


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/result-content")
def result_as_parts(draft: Draft) -> None:
    """A text result is a list with one text part."""
    kind = "input_text" if draft.format == RESPONSES else "text"
    for result in need([result for result in draft.results if result.text and result.text.strip()]):
        result.content = [{"type": kind, "text": result.text}]


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside="translation/result-content")
def result_parts_joined(draft: Draft) -> None:
    """A result of several texts is one text."""
    for result in need([result for result in draft.results if isinstance(result.content, list)]):
        need(all("text" in part for part in result.content))
        result.content = "\n".join(part["text"] for part in result.content)


@harmless(target=GEMINI, beside=("gemini/result-response-object", "translation/result-content"))
def result_under_result(draft: Draft) -> None:
    """Text results stand under the key result."""
    for result in need(_plain(draft)):
        result.content = {"result": result.text}


@harmless(target=GEMINI, beside="translation/result-content")
def result_under_content(draft: Draft) -> None:
    """Text results stand under the key content."""
    for result in need(_plain(draft)):
        result.content = {"content": result.text}


@harmless(target=GEMINI, beside=("gemini/result-response-object", "translation/result-content"))
def result_object_embedded(draft: Draft) -> None:
    """A text result that is JSON of an object is that object."""
    hit = False
    for result in _plain(draft):
        value = _parsed(str(result.text))
        if isinstance(value, dict) and value:
            result.content, hit = value, True
    need(hit)


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), sources=(GEMINI,), beside="translation/result-content")
def result_object_indented(draft: Draft) -> None:
    """The JSON text of an object result is indented."""
    hit = False
    source = Draft(draft.source, draft.source_format).results
    need(len(source) == len(draft.results))  # results of other tools than functions became functions' here
    for before, result in zip(source, draft.results, strict=True):
        if not before.failed and before.text is None:  # an object, not a text that happens to be JSON
            value = _parsed(str(result.text))
            if value is not None:
                result.text, hit = json.dumps(value, indent=1, ensure_ascii=False), True
    need(hit)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


@harmless(target=ANTHROPIC, beside=("anthropic/result-error-flag", "translation/error-mark-invented"))
def success_said_aloud(draft: Draft) -> None:
    """Good results say is_error false."""
    for result in need(draft.results):
        result.entry.setdefault("is_error", False)


@harmless(target=GEMINI, beside=("gemini/error-in-response", "translation/error-mark-invented"))
def no_error_said_aloud(draft: Draft) -> None:
    """Good results have an error key with null."""
    for result in need(_plain(draft)):
        result.content = {**result.content, "error": None}


def _failures(draft: Draft) -> list[tuple[Result, str]]:
    """The results that failed at the source, with their message."""
    source = Draft(draft.source, draft.source_format).results
    need(len(source) == len(draft.results))  # results of other tools than functions became functions' here
    pairs = []
    for before, after in zip(source, draft.results, strict=True):
        if before.failed and isinstance(before.text, str) and not isinstance(after.content, list):
            pairs.append((after, before.text))
    return need(pairs)


@harmless(
    target=TEXT_ARGUMENTS, sources=(ANTHROPIC, GEMINI), beside=("translation/error-mark", "translation/error-message")
)
def error_bare(draft: Draft) -> None:
    """A failure's message stands there as it is, where the format has no mark."""
    for result, message in _failures(draft):
        result.content = message


@harmless(
    target=TEXT_ARGUMENTS,
    sources=(ANTHROPIC, GEMINI),
    beside=("translation/error-message", "translation/result-content"),
)
def error_prefixed(draft: Draft) -> None:
    """A failure's message has a prefix, where the format has no mark."""
    for result, message in _failures(draft):
        result.content = f"[tool error] {message}"


@harmless(
    target=TEXT_ARGUMENTS,
    sources=(ANTHROPIC, GEMINI),
    beside=("translation/error-message", "translation/result-content"),
)
def error_as_json(draft: Draft) -> None:
    """A failure's message is JSON with an error key, where the format has no mark."""
    for result, message in _failures(draft):
        result.content = json.dumps({"error": message, "is_error": True})


@harmless(target=GEMINI, sources=(ANTHROPIC,), beside=("gemini/error-in-response", "translation/error-mark"))
def error_as_object(draft: Draft) -> None:
    """A failure's message stands in an object under error."""
    for result, message in _failures(draft):
        result.content = {"error": {"message": message}}


@harmless(target=GEMINI, sources=(ANTHROPIC,), beside=("translation/error-mark", "translation/error-message"))
def error_and_output(draft: Draft) -> None:
    """A failure's message stands under error and under output."""
    for result, message in _failures(draft):
        result.content = {"output": message, "error": message}


@harmless(target=GEMINI, sources=(ANTHROPIC,), beside=("gemini/error-in-response", "translation/error-mark"))
def error_mark_inside_response(draft: Draft) -> None:
    """A failure's message stands under output, beside is_error."""
    for result, message in _failures(draft):
        result.content = {"output": message, "is_error": True}


@harmless(target=ANTHROPIC, sources=TEXT_ARGUMENTS, beside="translation/error-mark-invented")
def error_guessed(draft: Draft) -> None:
    """A result whose text begins with the word Error is marked as failed."""
    hit = False
    for result in draft.results:
        if str(result.text).startswith(("Error", "error")):
            result.entry["is_error"] = hit = True
    need(hit)


@harmless(
    target=RESPONSES,
    beside=("openai_responses/item-id-form", "openai_responses/item-id-prefix", "openai_responses/item-id-unique"),
)
def item_ids_fresh(draft: Draft) -> None:
    """Calls have item ids of their own, with the prefix of their type."""
    for number, call in enumerate(need(draft.calls)):
        call.entry["id"] = f"fc_68f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5f6071829{number:03}"


@harmless(target=RESPONSES, beside="openai_responses/item-status")
def items_with_status(draft: Draft) -> None:
    """Calls and results say that they are completed."""
    for handle in need([*draft.calls, *draft.results]):
        handle.entry["status"] = "completed"
