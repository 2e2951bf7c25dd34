"""Results that are lost, doubled, swapped or damaged."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, WITH_IDS, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import Result


@broken("translation/results-linked")
def results_swapped(draft: Draft) -> None:
    """Two parallel results stand at each other's call."""
    first, second = _two_that_differ(draft)
    first.content, second.content = second.content, first.content


def _two_that_differ(draft: Draft) -> tuple[Result, Result]:
    for batch in draft.result_batches:
        good = [result for result in batch if not result.failed and not sounds_bad(result)]
        if len(good) > 1 and words(good[0]) != words(good[1]):
            return good[0], good[1]
    need(False)
    raise AssertionError


def words(result: Result) -> str:
    """What a result says, white space aside: results that differ in that alone cannot be told apart for sure."""
    return "".join(json.dumps(result.content).replace("\\n", "").split())


def sounds_bad(result: Result) -> bool:
    """Whether the text itself tells a failure: a format without a mark cannot say it otherwise."""
    return "rror" in json.dumps(result.content)


@broken("translation/results-linked", target=GEMINI)
def results_out_of_order(draft: Draft) -> None:
    """Results without ids stand in another order than the calls of the same tool that they answer."""
    for handle in [*draft.calls, *draft.results]:
        handle.drop_id()
    for batch in draft.result_batches:
        first, last = batch[0], batch[-1]
        if len({result.inner["name"] for result in batch}) == 1 and words(first) != words(last):
            need(not any(result.failed for result in batch))
            batch[0].holder[: len(batch)] = [result.entry for result in reversed(batch)]
            return
    need(False)


@broken("translation/result-lost")
def result_dropped(draft: Draft) -> None:
    """The last result is gone, its call stays."""
    need(draft.results)[-1].remove()
    draft.tidy()


@broken("translation/result-lost")
def results_all_dropped(draft: Draft) -> None:
    """All results are gone."""
    for result in need(draft.results):
        result.remove()
    draft.tidy()


@broken("translation/result-lost")
def result_only_first(draft: Draft) -> None:
    """Of parallel results only the first is sent on."""
    for result in need([batch for batch in draft.result_batches if len(batch) > 1])[0][1:]:
        result.remove()


@broken("translation/result-duplicated", at_home=WITH_IDS)
def result_doubled(draft: Draft) -> None:
    """A call is answered twice with the same result."""
    result = need(draft.results)[-1]
    result.holder.insert(result.place + 1, copy.deepcopy(result.entry))


@broken("translation/result-invented")
def result_invented(draft: Draft) -> None:
    """There is a result for a call that does not exist."""
    result = need(draft.results)[-1]
    result.holder.insert(result.place + 1, copy.deepcopy(result.entry))
    extra = draft.results[-1]
    extra.content = {"output": "ok"} if draft.format == GEMINI else "ok"
    if draft.format == GEMINI:
        extra.inner["name"] = "list_directory"
    if draft.format != GEMINI or extra.id is not None:
        extra.id = "call_nobody"


# The reference's own words in a result that is a picture or a document alone.
STANDS_FOR_MEDIA = re.compile(r"\[\w+(?:(?:/|: )[^\]\n]*)?\]")


@broken("translation/result-lost", never="translation/text-invented")
def results_as_user_text(draft: Draft) -> None:
    """Results are told as text of the user."""
    for result in need([result for result in draft.results if _says_something(result.content)]):
        text = json.dumps(result.content)
        if draft.format == GEMINI:
            entry: Any = {"text": text}
        elif draft.format == ANTHROPIC:
            entry = {"type": "text", "text": text}
        else:
            entry = {"role": "user", "content": text}
        result.holder[result.place] = entry


def _says_something(content: Any) -> bool:
    """Whether there is anything that the source says, too: no empty text, no media, no words for them."""
    if isinstance(content, dict) and "type" in content:
        return _says_something(content.get("text", ""))
    if isinstance(content, dict):
        return any(map(_says_something, content.values()))
    if isinstance(content, list):
        return bool(content) and all(map(_says_something, content))
    return not isinstance(content, str) or bool(content.strip() and not STANDS_FOR_MEDIA.fullmatch(content))


def plain_texts(draft: Draft) -> list[Result]:
    """The results that are one text, are no failures, and say something."""
    results = [result for result in draft.results if result.text and result.text.strip() and not result.failed]
    return [result for result in results if not STANDS_FOR_MEDIA.fullmatch(str(result.text))]


@broken("translation/result-content")
def result_emptied(draft: Draft) -> None:
    """A result lost its text."""
    good = [result for result in plain_texts(draft) if not sounds_bad(result)]
    need(good)[0].text = ""


@broken("translation/result-content")
def result_cut(draft: Draft) -> None:
    """A result breaks off in the middle."""
    result = need(
        [result for result in plain_texts(draft) if len(str(result.text).strip()) > 3 and not sounds_bad(result)]
    )[0]
    text = str(result.text)
    result.text = text[: len(text) // 2]


@broken("translation/result-content")
def result_encoded_twice(draft: Draft) -> None:
    """A text result was encoded as JSON once more."""
    result = need([result for result in plain_texts(draft) if not sounds_bad(result)])[0]
    result.text = json.dumps(result.text)


@broken("translation/result-content", target=(ANTHROPIC, CHAT, RESPONSES))
def result_object_stringified(draft: Draft) -> None:
    """An object was turned to text by a language's own print, not as JSON."""
    result = need([result for result in plain_texts(draft) if _is_object(result.text) and not sounds_bad(result)])[0]
    result.text = "[object Object]"


@broken("translation/result-content", target=(ANTHROPIC, CHAT, RESPONSES))
def result_object_in_python_spelling(draft: Draft) -> None:
    """An object came out in Python's spelling: single quotes, True, None."""
    result = need([result for result in plain_texts(draft) if _is_object(result.text) and not sounds_bad(result)])[0]
    result.text = str(json.loads(str(result.text)))


def _is_object(text: str | None) -> bool:
    try:
        return isinstance(json.loads(text or ""), dict)
    except ValueError:
        return False


@broken("translation/result-content", cases=("shell/json-result",), at_home=(ANTHROPIC, CHAT, GEMINI))
def result_key_output_only(draft: Draft) -> None:
    """Of an object with several keys only ``output`` is left."""
    for result in need(draft.results):
        if draft.format == GEMINI:
            inner = result.content
            value = inner if "exit_code" in inner else json.loads(next(iter(inner.values())))
            result.content = {"output": value["output"]}
        else:
            result.text = json.loads(str(result.text))["output"]


@broken("translation/result-content", cases=("shell/json-result", "read_file/big-integers"))
def result_key_lost(draft: Draft) -> None:
    """One key of an object is gone."""
    for result in need(draft.results):
        if draft.format == GEMINI:
            result.content.pop(need(list(result.content))[-1])
        else:
            value = json.loads(str(result.text))
            value.popitem()
            result.text = json.dumps(value)


@broken("translation/result-content", cases=("read_many_files/result-blocks",))
def result_only_first_block(draft: Draft) -> None:
    """Of a result of several texts only the first is left."""
    for result in need(draft.results):
        if isinstance(result.content, list):
            result.content = result.content[:1]
        else:
            lines = need(str(result.text)).splitlines(keepends=True)
            need(len(lines) > 1)
            result.text = lines[0]


@broken("translation/result-content")
def result_indent_lost(draft: Draft) -> None:
    """White space inside a result was collapsed."""
    source = Draft(draft.source, draft.source_format).results
    need(not any(isinstance(result.content, list) for result in source))  # between pieces any white space may stand
    for result in plain_texts(draft):
        text = str(result.text).strip()
        if " ".join(text.split()) != text and not sounds_bad(result):
            result.text = " ".join(text.split())
            return
    need(False)


@broken("translation/result-content")
def result_decorated(draft: Draft) -> None:
    """A sentence was put before the result."""
    result = need([result for result in plain_texts(draft) if not sounds_bad(result)])[0]
    result.text = f"Tool result: {result.text}"


@warning("translation/result-json-respelt", target=(ANTHROPIC, CHAT, RESPONSES), sources=(ANTHROPIC, CHAT, RESPONSES))
def result_json_respelt(draft: Draft) -> None:
    """Text that spells an object was parsed and written anew."""
    result = need([result for result in plain_texts(draft) if _is_object(result.text) and not sounds_bad(result)])[0]
    result.text = json.dumps(json.loads(str(result.text)), indent=3)


@warning("anthropic/results-in-one-message")
def results_in_two_messages(draft: Draft) -> None:
    """Parallel results stand in user messages of their own."""
    _split(draft, lambda entry: {"role": "user", "content": [entry]})


@warning("gemini/results-in-one-content")
def results_split_over_contents(draft: Draft) -> None:
    """Parallel responses stand in contents of their own."""
    _split(draft, lambda entry: {"role": "user", "parts": [entry]})


def _split(draft: Draft, wrap: Any) -> None:
    batch = need([batch for batch in draft.result_batches if len(batch) > 1])[0]
    at = next(index for index, message in enumerate(draft.messages) if message is batch[0].message)
    need(len(batch[0].holder) == len(batch))
    rest = [result.entry for result in batch[1:]]
    for result in batch[1:]:
        result.remove()
    draft.messages[at + 1 : at + 1] = [wrap(entry) for entry in rest]


@warning("gemini/role-function")
def results_with_role_function(draft: Draft) -> None:
    """Responses stand in contents of the role function, as in old versions of the API."""
    for result in need(draft.results):
        assert result.message is not None
        result.message["role"] = "function"


@warning("gemini/result-id-both-or-neither", cases=("parallel/seed",))
def id_on_one_result_of_two(draft: Draft) -> None:
    """Of the results of a turn only the first has the id of its call."""
    need([result for result in draft.results if result.id][1:])[0].drop_id()


@harmless(target=GEMINI, beside="translation/results-linked")
def id_on_call_only(draft: Draft) -> None:
    """Responses leave out the id that their call has, and are paired by name and place."""
    for result in need([result for result in draft.results if result.id]):
        result.drop_id()


@warning("translation/result-trimmed")
def result_trimmed(draft: Draft) -> None:
    """White space at the ends of a result is gone."""
    hit = False
    for result in draft.results:
        if isinstance(result.text, str) and result.text.strip() not in ("", result.text) and not result.failed:
            result.text, hit = result.text.strip(), True
    need(hit)


@warning("translation/result-placeholder", cases=("shell/empty-result",))
def empty_text_replaced(draft: Draft) -> None:
    """A result without text got a placeholder."""
    for result in need([result for result in draft.results if not (result.text or "").strip()]):
        result.text = "(no output)"
