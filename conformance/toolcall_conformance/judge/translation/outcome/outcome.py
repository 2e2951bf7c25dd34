"""The reason that a reply ended, and its token counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, OneOf, Words, one_of
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Call, Finish, Hosted, Media, Reading, Text
from toolcall_conformance.judge.translation.calls.call_arguments import is_call_cut_off
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.wire_words import (
    finish_place,
    finish_words,
    first_words,
    notation_hint,
    usage_pointer,
)
from toolcall_conformance.library import Corpus

UNFINISHED = "unfinished-reply"
"""The circumstance that a reply is no whole answer."""


def compare_finish(pair: Pair) -> Iterator[Finding]:
    """Compare the reason that a reply ended, in the target's words. ``tools`` follows from the output's calls."""
    source, output = pair.source.finish, pair.output.finish
    if _became_empty_success(pair):
        yield _empty_success_finding(pair)
        return
    if source is None or source.reason == "other" or _waits_for_client(pair.corpus, pair.source):
        _record_reason(pair)
        return  # an unknown word demands nothing of a translation, and for waiting other formats have none
    lost = [call for call in pair.source.calls if call.name and call.ordinal not in pair.call_pairs]
    if any(not is_call_cut_off(pair, call) for call in lost):
        _record_reason(pair)
        return  # a cascade: the lost call is reported already
    got = output.reason if output is not None else None
    words = _parameters(pair.corpus)
    accepted = [source.reason, *words["always"].get(source.reason, ())]
    if source.reason == "end" and pair.source.calls:  # they were answered before, which no other format can express
        accepted.append("tools")
    if source.reason != "tools" and pair.corpus.expresses(pair.output.format, f"finish-{source.reason}") != "native":
        accepted = [source.reason, *words["next_best"].get(source.reason, ()), *accepted[1:]]
    if pair.output.calls:
        barred = pair.target["finish_not_beside_calls"]
        accepted = [reason for reason in accepted if reason == source.reason or reason not in barred]
    if _promises_calls(pair.corpus, pair.source):
        accepted = [*words["without_calls"][source.reason], source.reason]
    where = output.pointer if output is not None else ""
    if got not in accepted:
        rule = words["rules"].get(source.reason)
        if rule is not None and f"finish-{source.reason}" in pair.declared and got != "tools":
            _record_reason(pair)
            return  # nothing is hidden: the reply has content, and the translator declares the loss
        want, there = _want_and_got(pair, (accepted, source.reason, got), where, _raw_reason(output))
        yield pair.finding(
            rule or "translation/finish-reason",
            where or finish_place(pair)[0],
            _finish_message(pair, source, output),
            want=want,
            got=there,
            source=source.pointer,
            under=("refusal-in-words",) if got == "end" and _refuses_in_words(pair, source) else (),
            subject="" if where else finish_place(pair)[1],
        )
    elif _is_word_for_forced_call(pair, output) and not pair.is_choice_forced and not _is_word_unchanged(pair):
        yield pair.finding(
            "translation/finish-beside-calls",
            where,
            f"the reply has calls and ended normally, but its word is {output.raw if output else None!r}",
            want=finish_words(pair, ["tools"], where),
            got=_raw_reason(output),
            source=source.pointer,
            under=("request-unknown",) if pair.is_choice_forced is None else (),
        )
    else:
        _record_reason(pair)


def _want_and_got(
    pair: Pair, reasons: tuple[list[str], str, str | None], where: str, output_word: Any
) -> tuple[Any, Any]:
    """Return want and got of a finding, worded so that they differ.

    ``reasons`` are the accepted ones, the source's, and the one that the output is read as having.
    """
    accepted, want_reason, got = reasons
    want = _wanted_words(pair, accepted, where)
    if isinstance(want, OneOf):  # the word there means something else together with calls
        want = one_of((word for word in want.values if not equal(word, output_word)), MISSING)
    if want is MISSING and where:  # another place expresses it
        want = Words(f"{first_words(pair, accepted)} at {finish_place(pair)[0]}")
    if equal(want, output_word):  # other members say what the word means
        return f"{want}, {_conditions_of(pair, want_reason)}", f"{output_word}, {_conditions_of(pair, got)}"
    return want, output_word


def _record_reason(pair: Pair) -> None:
    """Record that a reply ended for a reason that is only close to the source's."""
    source, output = pair.source.finish, pair.output.finish
    if source is not None and output is not None and source.reason != output.reason:
        pair.accept("finish-next-best", output.pointer, source.pointer, source.reason, output.reason)


def _wanted_words(pair: Pair, accepted: list[str], where: str) -> Any:
    """Return the words that the place may have. A format may express the best reason elsewhere: that comes first.

    A refusal in Responses is a part of a message that is completed.
    """
    want = finish_words(pair, accepted, where)
    best = accepted[0]
    element = f"finish-{best}"
    if best in pair.wire_words["finish"] or pair.corpus.expresses(pair.output.format, element) != "native":
        return want
    words = Words(pair.corpus.expression(pair.output.format, element)["as"])
    return one_of((words, *(want.values if isinstance(want, OneOf) else (want,))), MISSING)


def _raw_reason(finish: Finish | None) -> Any:
    return MISSING if finish is None else finish.raw


def _conditions_of(pair: Pair, reason: str | None) -> str:
    """Describe the other members that make a word mean a reason."""
    if reason in ("tools", "end"):
        return "with calls" if reason == "tools" else "without calls"
    places = [*pair.wire_words["finish"].get(reason, {}).items()]
    others = [f"{place} {' or '.join(map(repr, words))}" for place, words in places[1:]]
    return f"with {' and '.join(others)}" if others else "without the reason"


def _finish_message(pair: Pair, source: Finish, output: Finish | None) -> str:
    """Return how the reply ended, in the words of both bodies, with a hint for the right word."""
    calls = " and has calls" if pair.source.calls else ""
    message = f"the reply ended with {source.raw!r}{calls}, the translation {_describe_end(pair, output)}"
    hint = notation_hint(pair, f"finish-{source.reason}")
    return f"{message}; {hint}" if hint else message


def _describe_end(pair: Pair, output: Finish | None) -> str:
    """Describe a body's end: the word with which it ends, or that it does not say why."""
    if output is None or output.raw is None:
        return "does not say why it ended"
    ends = (word for places in pair.wire_words["finish"].values() for words in places.values() for word in words)
    is_ending = output.reason != "other" or not output.is_known or any(equal(output.raw, word) for word in ends)
    return f"ends with {output.raw!r}" if is_ending else f"has not ended: it says {output.raw!r}"


def _refuses_in_words(pair: Pair, source: Finish) -> bool:
    """Whether the provider's own word is that of a reply that ended well, and its text is the refusal."""
    ends: Mapping[str, list[Any]] = pair.corpus.format(pair.source.format)["wire_words"]["finish"]["end"]
    return source.reason == "refusal" and source.raw in next(iter(ends.values()))


def _is_word_for_forced_call(pair: Pair, finish: Finish | None) -> bool:
    """Whether the provider uses the word with calls only if the request forced one function."""
    return finish is not None and finish.reason == "tools" and finish.raw in pair.target["finish_tools_forced"]


def _is_word_unchanged(pair: Pair) -> bool:
    """Whether the source has the same word in the same format, as some compatible servers do."""
    source, output = pair.source.finish, pair.output.finish
    same = pair.source.format == pair.output.format
    return same and source is not None and output is not None and source.raw == output.raw


def is_unfinished(corpus: Corpus, reading: Reading) -> bool:
    """Whether a reply is no whole answer: it failed, was withheld or cut, paused, or waits for its client."""
    end = reading.finish
    return (end is not None and end.is_known and end.reason not in _parameters(corpus)["whole"]) or _waits_for_client(
        corpus, reading
    )


def _promises_calls(corpus: Corpus, reading: Reading) -> bool:
    """Whether a reply says that it ended for its calls, and none has a name: no client can run another."""
    end = reading.finish
    usable = any(call.name for call in reading.calls)
    return end is not None and end.reason in _parameters(corpus)["without_calls"] and not usable


def _waits_for_client(corpus: Corpus, reading: Reading) -> bool:
    """Whether a step of the provider's own waits for the client's approval."""
    waiting = corpus.own_tools(reading.format).waiting_steps
    return any(step.type in waiting for turn in reading.turns for step in turn.items if isinstance(step, Hosted))


def may_become_error(corpus: Corpus, reading: Reading) -> bool:
    """Whether an error may replace a reply: it is no answer, and no part of one that must arrive."""
    if _promises_calls(corpus, reading):
        return True
    if not is_unfinished(corpus, reading):
        return False
    end, words = reading.finish, _parameters(corpus)
    if _waits_for_client(corpus, reading) or (end is not None and end.reason in words["as_error"]):
        return True
    return not _has_content(reading) and (end is None or end.reason not in words["never_error"])


def _became_empty_success(pair: Pair) -> bool:
    """Whether a reply that is no whole answer became one that ended well and is empty."""
    end = pair.output.finish
    return (
        end is not None
        and end.reason in _parameters(pair.corpus)["whole"]
        and not (_has_content(pair.output) or _waits_for_client(pair.corpus, pair.output))
        and is_unfinished(pair.corpus, pair.source)
    )


def _has_content(reading: Reading) -> bool:
    """Whether a client can read, show or run anything of a reply. Thinking is no answer."""
    return any(isinstance(item, (Text, Call, Media)) for turn in reading.turns for item in turn.items)


def _empty_success_finding(pair: Pair) -> Finding:
    """Return the finding for a reply that is no whole answer and became an empty one that ended well."""
    source, output = pair.source.finish, pair.output.finish
    assert output is not None
    whole = source is None or source.reason in _parameters(pair.corpus)["whole"]
    source_state = "waits for its client" if whole else f"ended with {source.raw!r}" if source else ""
    return pair.finding(
        "translation/empty-success",
        output.pointer,
        f"the provider's reply {source_state}, and the client gets an empty reply that ended well",
        want=Words("an error")
        if whole or source is None
        else finish_words(pair, _possible_reasons(pair, source.reason), output.pointer) or Words("an error"),
        got=output.raw,
        source=source.pointer if source is not None else None,
    )


def _possible_reasons(pair: Pair, reason: str) -> list[str]:
    """Return the reasons that may replace a reason, the best first, without those of a whole answer."""
    words = _parameters(pair.corpus)
    whole = words["whole"]
    reasons = [reason, *words["always"].get(reason, ()), *words["next_best"].get(reason, ())]
    return [candidate for candidate in reasons if candidate not in whole]


def _parameters(corpus: Corpus) -> Mapping[str, Any]:
    return corpus.equivalence("finish-next-best").parameters


def _missing_count_message(pair: Pair, key: str) -> str:
    """Return a message with the place of a missing count."""
    return f"the {key} tokens are missing; {pair.output.format} counts them at {pair.wire_words['usage'][key]}"


_LOSS_RULE_BY_COUNT = {"input": "usage-lost", "output": "usage-lost", "cached": "usage-details"}
ESTIMATED_COUNTS = frozenset({"input", "output"})
"""The counts that a translator may estimate where the provider has none: some formats require them."""


def compare_usage(pair: Pair) -> Iterator[Finding]:
    """Compare token counts. Readings count cached tokens as input and thinking as output in every format.

    The tokens of thinking, and those that were written to a cache, may be omitted, but not changed.
    """
    for key in (*_LOSS_RULE_BY_COUNT, "reasoning", "written"):
        want, got = pair.source.usage.get(key), pair.output.usage.get(key)
        if want is None and got and key not in ESTIMATED_COUNTS:
            yield pair.finding(
                "translation/usage-invented",
                usage_pointer(pair, pair.output, key),
                want=MISSING,
                got=got,
                subject=f"{key} tokens",
            )
        if want is None or max(want, 0) == (got or 0) or (pair.demand(f"usage-{key}") != "must" and not (want and got)):
            continue
        # Zero is no omission: a reply that does not count thinking has no count of it.
        rule = "usage" if got or (got == 0 and key not in _LOSS_RULE_BY_COUNT) else _LOSS_RULE_BY_COUNT.get(key)
        if rule is not None:
            yield pair.finding(
                f"translation/{rule}",
                usage_pointer(pair, pair.output, key),
                "" if rule == "usage" else _missing_count_message(pair, key),
                want=want,
                got=MISSING if got is None else got,
                source=usage_pointer(pair, pair.source, key),
                subject=f"{key} tokens",
            )
