"""Text that is lost, moved, changed, doubled or put in another's mouth, and the system prompt."""

from __future__ import annotations

import copy
import html

from doubles import wire
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import Result, Text


def _beside_calls(draft: Draft) -> list[Text]:
    """Texts of the assistant that stand in a turn with calls."""
    if draft.format == RESPONSES:
        spoken = []
        for text in draft.texts_of("assistant"):
            follower = draft.messages[text.place + 1 : text.place + 2]
            if follower and follower[0].get("type") == "function_call":
                spoken.append(text)
        return spoken
    with_calls = [call.message for call in draft.calls]
    return [text for text in draft.texts_of("assistant") if any(text.message is message for message in with_calls)]


@broken("translation/text-lost")
def text_beside_call_lost(draft: Draft) -> None:
    """What the assistant said beside a call is gone from the history."""
    for text in need(_beside_calls(draft)):
        text.remove()


@broken("translation/text-lost", check="response")
def reply_text_beside_call_lost(draft: Draft) -> None:
    """What the model said beside a call is gone from the reply."""
    need(draft.calls and draft.texts)
    for text in draft.texts:
        text.remove()


@broken("translation/text-lost", check="response")
def reply_text_lost(draft: Draft) -> None:
    """A reply lost its text."""
    need(not draft.calls)
    for text in need(draft.texts):
        text.remove()


@broken("translation/text-lost")
def text_after_results_lost(draft: Draft) -> None:
    """The user's text that follows results is gone."""
    need(_after_results(draft)).remove()


def _after_results(draft: Draft) -> Text | None:
    """The user's text in the message of results, or in the message right behind."""
    for batch in draft.result_batches:
        last = batch[-1]
        for text in draft.texts_of("user"):
            if last.message is not None and text.message is last.message:
                return text
            if last.message is None and text.place == last.place + 1:
                return text
    return None


def _said(draft: Draft) -> list[Text]:
    """The user's texts, without those that the target needs and the source does not have."""
    texts = {text.text for text in wire.texts(draft.source_format, draft.source) if text.side == "user"}
    return [text for text in draft.texts_of("user") if text.text in texts]


@broken("translation/text-lost")
def first_user_text_lost(draft: Draft) -> None:
    """The user's first text is gone."""
    texts = _said(draft)
    need(texts if len(draft.messages) > 1 else [])[0].remove()


@broken("translation/text-lost")
def history_cut(draft: Draft) -> None:
    """Only the last exchange of a longer talk is sent."""
    need(draft.calls and draft.texts_of("assistant"))
    last = need(draft.texts_of("user"))[-1]
    before = draft.messages[: last.place]
    need([message for message in before if message.get("role") in ("assistant", "model", "user")])
    # Enough said before: at least one text of somebody goes.
    need([text for text in draft.texts if text.place < last.place])
    draft.messages[:] = [m for m in before if m.get("role") in ("system", "developer")] + draft.messages[last.place :]


@broken("translation/text-moved")
def text_between_call_and_result(draft: Draft) -> None:
    """The user's text that follows results stands between the calls and the results."""
    text = need(_after_results(draft))
    texts = [text.text for text in wire.texts(draft.source_format, draft.source) if text.side == "user"]
    need(text.text in texts)  # not instructions that may stand at this place in the source
    words = text.text
    text.remove()
    batch = draft.result_batches[0]
    entry = {"role": "user", "content": words}
    if draft.format == GEMINI:
        batch[0].holder.insert(0, {"text": words})
    elif draft.format == ANTHROPIC:
        batch[0].holder.insert(0, {"type": "text", "text": words})
    else:
        batch[0].holder.insert(batch[0].place, entry)


@broken("translation/text-moved", target=RESPONSES)
def question_behind_call(draft: Draft) -> None:
    """What the user asked stands between the call that answers it and its result."""
    first = need(draft.calls)[0].place
    message = draft.messages[first - 1] if first else {}
    need(message.get("role") == "user" and message.get("content"))
    need([item for item in draft.messages[first:] if item.get("type") == "function_call_output"])
    draft.messages[first - 1 : first + 1] = [draft.messages[first], message]


@broken("translation/text-moved")
def text_behind_results(draft: Draft) -> None:
    """What the assistant said beside a call stands behind the results."""
    text = need(_beside_calls(draft))[0]
    words = text.text
    if draft.format == RESPONSES:
        result = next(result for result in draft.results if result.place > text.place)
        entry = text.message
        draft.messages.insert(result.place + 1, copy.deepcopy(entry))
        text.remove()
        return
    batch = next(batch for batch in draft.batches if batch[0].message is text.message)
    answers = need(draft.results_of(batch))
    entry = (
        {"role": "model", "parts": [{"text": words}]}
        if draft.format == GEMINI
        else {"role": "assistant", "content": words}
    )
    if answers[-1].message is None:
        draft.messages.insert(answers[-1].place + 1, entry)
    else:
        at = next(index for index, message in enumerate(draft.messages) if message is answers[-1].message)
        draft.messages.insert(at + 1, entry)
    text.remove()


def _behind_calls(draft: Draft) -> None:
    """Put what the assistant said beside calls behind them."""
    text = need(_beside_calls(draft))[0]
    rows = draft.messages if draft.format == RESPONSES else need(text.blocks)
    entry = text.message if draft.format == RESPONSES else text.holder
    first = last = rows.index(entry)
    if draft.format != RESPONSES:
        last = len(rows) - 1
    while last + 1 < len(rows) and rows[last + 1].get("type") == "function_call":
        last += 1
    need(first < last and any(call.place > first for call in draft.calls if call.holder is rows))
    rows.insert(last, rows.pop(first))


@broken("translation/text-moved", target=ANTHROPIC, sources=(RESPONSES, GEMINI))
def text_behind_calls_refused(draft: Draft) -> None:
    """What the assistant said beside calls stands behind them, before the results."""
    _behind_calls(draft)


@warning(
    "translation/text-moved-in-turn",
    target=(RESPONSES, GEMINI),
    sources=(ANTHROPIC, RESPONSES, GEMINI),
    never="translation/text-moved",
)
def text_behind_calls(draft: Draft) -> None:
    """What the assistant said beside calls stands behind them, before the results."""
    _behind_calls(draft)


@warning(
    "translation/text-moved-in-turn",
    check="response",
    target=(ANTHROPIC, RESPONSES, GEMINI),
    sources=(ANTHROPIC, RESPONSES, GEMINI),
    never="translation/text-moved",
)
def reply_text_behind_calls(draft: Draft) -> None:
    """What a reply says before its calls stands behind them."""
    need(draft.calls)
    _behind_calls(draft)


@broken("translation/text-role")
def assistant_text_as_user(draft: Draft) -> None:
    """What the assistant said is put in the user's mouth."""
    for text in draft.texts_of("assistant"):
        if text.alone:
            text.message["role"] = "user"
            if draft.format == RESPONSES and isinstance(text.message["content"], list):
                text.message["content"] = text.text
            return
    need(False)


@broken("translation/text-role")
def user_text_as_assistant(draft: Draft) -> None:
    """What the user said is put in the assistant's mouth."""
    text = need([text for text in _said(draft) if text.alone])[-1]
    text.message["role"] = "model" if draft.format == GEMINI else "assistant"
    if draft.format == RESPONSES and isinstance(text.message["content"], list):
        text.message["content"] = text.text


@broken("translation/text-changed")
def text_cut(draft: Draft) -> None:
    """A text breaks off in the middle."""
    text = need(draft.texts_of("user"))[-1]
    text.text = text.text[: len(text.text) // 2].rstrip() + " "


@broken("translation/text-changed", check="response")
def reply_text_cut(draft: Draft) -> None:
    """The text of a reply breaks off in the middle."""
    text = need(draft.texts)[-1]
    text.text = text.text[: len(text.text) // 2].rstrip() + " "


@broken("translation/text-changed")
def text_lower_case(draft: Draft) -> None:
    """A text came out in lower case."""
    text = need(draft.texts_of("user"))[0]
    text.text = text.text.lower()


@broken("translation/text-changed", check="response")
def reply_text_html_escaped(draft: Draft) -> None:
    """Quotes and angle brackets of a reply came out as HTML entities."""
    for text in need(draft.texts):
        text.text = html.escape(text.text)


@broken("translation/text-changed", check="response")
def reply_text_unicode_mangled(draft: Draft) -> None:
    """The UTF-8 of a reply's text was read as Latin-1."""
    for text in need(draft.texts):
        text.text = text.text.encode().decode("latin-1")


@broken("translation/text-changed")
def words_run_together(draft: Draft) -> None:
    """The blanks inside a text are gone."""
    text = need(draft.texts_of("user"))[0]
    text.text = text.text.replace(" ", "")


@broken("translation/text-duplicated")
def text_doubled(draft: Draft) -> None:
    """A text of the user stands there twice."""
    text = need(draft.texts_of("user"))[0]
    text.text = f"{text.text}\n{text.text}"


@broken("translation/text-duplicated", check="response")
def reply_text_doubled(draft: Draft) -> None:
    """The text of a reply stands there twice."""
    text = need(draft.texts)[0]
    text.text = text.text + text.text


@broken("translation/text-duplicated")
def system_doubled(draft: Draft) -> None:
    """The system prompt stands twice where it belongs."""
    draft.system = [*need(draft.system), *draft.system]
    need(len(draft.system[0].split()) > 3)


@broken("translation/system-prompt")
def system_lost(draft: Draft) -> None:
    """The system prompt is gone."""
    need(draft.system)
    draft.system = []


@broken("translation/system-prompt")
def system_as_user(draft: Draft) -> None:
    """The system prompt is put in the user's mouth."""
    words = "\n\n".join(need(draft.system))
    draft.system = []
    turn = (
        {"role": "user", "parts": [{"text": words}]} if draft.format == GEMINI else {"role": "user", "content": words}
    )
    draft.messages.insert(0, turn)


@broken("translation/system-prompt")
def system_before_user_text(draft: Draft) -> None:
    """The system prompt is written before the user's first text."""
    words = "\n\n".join(need(draft.system))
    draft.system = []
    text = need(draft.texts_of("user"))[0]
    text.text = f"{words}\n\n{text.text}"


@broken("translation/system-prompt")
def system_as_assistant(draft: Draft) -> None:
    """The system prompt is put in the assistant's mouth."""
    words = "\n\n".join(need(draft.system))
    draft.system = []
    turn = (
        {"role": "model", "parts": [{"text": words}]}
        if draft.format == GEMINI
        else {"role": "assistant", "content": words}
    )
    draft.messages.insert(0, turn)


@broken("translation/system-prompt", cases=("grep/system-blocks",))
def system_only_first_block(draft: Draft) -> None:
    """Of several system texts only the first is left."""
    texts = need(draft.system)
    if len(texts) == 1:
        texts = need(texts[0].split("\n\n"))
    need(len(texts) > 1)
    draft.system = texts[:1]


@broken("translation/system-prompt")
def system_cut(draft: Draft) -> None:
    """The system prompt breaks off in the middle."""
    texts = need(draft.system)
    draft.system = [*texts[:-1], texts[-1][: len(texts[-1]) // 2]]


@broken({ANTHROPIC: "anthropic/system-at-top", GEMINI: "gemini/system-place"})
def system_inside_messages(draft: Draft) -> None:
    """The system prompt stands among the messages, with a role of its own."""
    words = "\n\n".join(need(draft.system))
    draft.system = []
    turn = (
        {"role": "system", "parts": [{"text": words}]}
        if draft.format == GEMINI
        else {"role": "system", "content": words}
    )
    draft.messages.insert(0, turn)


@broken(
    {CHAT: "openai_chat/system-in-messages", RESPONSES: "openai_responses/system-place", GEMINI: "gemini/unknown-key"}
)
def system_beside_messages(draft: Draft) -> None:
    """The system prompt stands at the top as in Anthropic's Messages."""
    words = "\n\n".join(need(draft.system))
    draft.system = []
    draft.body["system"] = words


@warning("translation/text-trimmed", target=(CHAT, RESPONSES, GEMINI), check="response")
def reply_text_trimmed(draft: Draft) -> None:
    """White space at the ends of a reply's text is gone."""
    need(len(draft.texts) == 1)  # between several texts white space is free
    for text in need([text for text in draft.texts if text.text != text.text.strip()]):
        text.text = text.text.strip()


@warning("translation/system-prompt-trimmed", target=(CHAT, RESPONSES, GEMINI))
def system_trimmed(draft: Draft) -> None:
    """White space at the ends of the system prompt is gone."""
    texts = need(draft.system)
    need([text.strip() for text in texts] != texts)
    draft.system = [text.strip() for text in texts]


@warning("translation/text-invented", check="response")
def reply_text_invented(draft: Draft) -> None:
    """A reply with calls says something that the model did not say."""
    need(draft.calls and not draft.texts)
    words = "I will use a tool."
    if draft.format == ANTHROPIC:
        draft.body["content"].insert(0, {"type": "text", "text": words})
    elif draft.format == CHAT:
        draft.messages[0]["content"] = words
    elif draft.format == GEMINI:
        draft.messages[0]["parts"].insert(0, {"text": words})
    else:
        part = {"type": "output_text", "text": words, "annotations": [], "logprobs": []}
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        draft.body["output"].insert(0, item)


@warning("translation/system-added")
def system_added(draft: Draft) -> None:
    """A sentence was added to the system prompt."""
    texts = need(draft.system)
    draft.system = [*texts, "You can use tools."]


CITED = ("translation/search-source",)


@broken("translation/search-source", target=(CHAT, RESPONSES), sources=(ANTHROPIC,), cases=CITED)
def search_source_lost(draft: Draft) -> None:
    """A search result lost its title and its source; its text is there."""
    for result in need(draft.results):
        result.content = _cited(result)[2]


@harmless(target=CHAT, sources=(ANTHROPIC,), cases=CITED, beside="translation/search-source")
def search_source_behind(draft: Draft) -> None:
    """A search result has its title and its source behind its text."""
    for result in need(draft.results):
        title, source, content = _cited(result)
        result.content = f"{content}\n\nFrom: {title} <{source}>"


def _cited(result: Result) -> list[str]:
    """Title, source and text of a search result."""
    return str(result.text).split("\n", 2)
