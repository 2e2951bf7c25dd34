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
    """The reason that a reply ended, in the target's words. ``tools`` follows from the calls of the output."""
    source, output = pair.source.finish, pair.output.finish
    if _silent(pair):
        yield _empty_success(pair)
        return
    if source is None or source.reason == "other" or _waits(pair.corpus, pair.source):
        _accept_reason(pair)
        return  # an unknown word demands nothing of a translation, and for waiting other formats have none
    lost = [call for call in pair.source.calls if call.name and call.ordinal not in pair.call_pairs]
    if any(not is_call_cut_off(pair, call) for call in lost):
        _accept_reason(pair)
        return  # a cascade: the lost call is reported already
    got = output.reason if output is not None else None
    words = _words(pair.corpus)
    accepted = [source.reason, *words["always"].get(source.reason, ())]
    if source.reason == "end" and pair.source.calls:  # they were answered before, which no other format can say
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
            _accept_reason(pair)
            return  # nothing is hidden: there is something to read, and the translator says what it lost
        want, there = _apart(pair, (accepted, source.reason, got), where, _raw(output))
        yield pair.finding(
            rule or "translation/finish-reason",
            where or finish_place(pair)[0],
            _said(pair, source, output),
            want=want,
            got=there,
            source=source.pointer,
            under=("refusal-in-words",) if got == "end" and _refuses_in_words(pair, source) else (),
            subject="" if where else finish_place(pair)[1],
        )
    elif _only_when_forced(pair, output) and not pair.is_choice_forced and not _kept(pair):
        yield pair.finding(
            "translation/finish-beside-calls",
            where,
            f"the reply has calls and ended normally, but its word is {output.raw if output else None!r}",
            want=finish_words(pair, ["tools"], where),
            got=_raw(output),
            source=source.pointer,
            under=("request-unknown",) if pair.is_choice_forced is None else (),
        )
    else:
        _accept_reason(pair)


def _apart(pair: Pair, reasons: tuple[list[str], str, str | None], where: str, there: Any) -> tuple[Any, Any]:
    """What may stand there for the accepted reasons, and what does for the one that is read; as the two differ."""
    accepted, want_reason, got = reasons
    want = _wanted(pair, accepted, where)
    if isinstance(want, OneOf):  # what stands there means something else beside calls
        want = one_of((word for word in want.values if not equal(word, there)), MISSING)
    if want is MISSING and where:  # it is said elsewhere
        want = Words(f"{first_words(pair, accepted)} at {finish_place(pair)[0]}")
    if equal(want, there):  # other members say what the word means
        return f"{want}, {_meant(pair, want_reason)}", f"{there}, {_meant(pair, got)}"
    return want, there


def _accept_reason(pair: Pair) -> None:
    """Record that a reply ended for a reason that is only near to the source's."""
    source, output = pair.source.finish, pair.output.finish
    if source is not None and output is not None and source.reason != output.reason:
        pair.accept("finish-next-best", output.pointer, source.pointer, source.reason, output.reason)


def _wanted(pair: Pair, accepted: list[str], where: str) -> Any:
    """What may stand there. A format may say the best reason otherwise than by a word at this place: that comes first.

    A refusal in Responses is a part of a message that is completed.
    """
    want = finish_words(pair, accepted, where)
    best = accepted[0]
    element = f"finish-{best}"
    if best in pair.wire_words["finish"] or pair.corpus.expresses(pair.output.format, element) != "native":
        return want
    words = Words(pair.corpus.expression(pair.output.format, element)["as"])
    return one_of((words, *(want.values if isinstance(want, OneOf) else (want,))), MISSING)


def _raw(finish: Finish | None) -> Any:
    return MISSING if finish is None else finish.raw


def _meant(pair: Pair, reason: str | None) -> str:
    """What makes a word say a reason that it says only beside other members."""
    if reason in ("tools", "end"):
        return "with calls" if reason == "tools" else "without calls"
    places = [*pair.wire_words["finish"].get(reason, {}).items()]
    others = [f"{place} {' or '.join(map(repr, words))}" for place, words in places[1:]]
    return f"with {' and '.join(others)}" if others else "without the reason"


def _said(pair: Pair, source: Finish, output: Finish | None) -> str:
    """How the reply ended, in the words of both bodies, and what the word would be."""
    calls = " and has calls" if pair.source.calls else ""
    message = f"the reply ended with {source.raw!r}{calls}, the translation {_how_it_ends(pair, output)}"
    hint = notation_hint(pair, f"finish-{source.reason}")
    return f"{message}; {hint}" if hint else message


def _how_it_ends(pair: Pair, output: Finish | None) -> str:
    """What a body says of its end: a word with which a reply of its format ends, or none such."""
    if output is None or output.raw is None:
        return "does not say why it ended"
    ends = (word for places in pair.wire_words["finish"].values() for words in places.values() for word in words)
    is_ending = output.reason != "other" or not output.is_known or any(equal(output.raw, word) for word in ends)
    return f"ends with {output.raw!r}" if is_ending else f"has not ended: it says {output.raw!r}"


def _refuses_in_words(pair: Pair, source: Finish) -> bool:
    """Whether the provider's own word is that of a reply that ended well, and the refusal is in what the reply says."""
    ends: Mapping[str, list[Any]] = pair.corpus.format(pair.source.format)["wire_words"]["finish"]["end"]
    return source.reason == "refusal" and source.raw in next(iter(ends.values()))


def _only_when_forced(pair: Pair, finish: Finish | None) -> bool:
    """Whether the word is one that the provider itself says beside calls only where the request forced one function."""
    return finish is not None and finish.reason == "tools" and finish.raw in pair.target["finish_tools_forced"]


def _kept(pair: Pair) -> bool:
    """Whether the source says the same word in the same format, as some compatible servers do."""
    source, output = pair.source.finish, pair.output.finish
    same = pair.source.format == pair.output.format
    return same and source is not None and output is not None and source.raw == output.raw


def is_unfinished(corpus: Corpus, reading: Reading) -> bool:
    """Whether a reply is no whole answer: it failed, was held back or cut, paused, or waits for its client."""
    end = reading.finish
    return (end is not None and end.is_known and end.reason not in _words(corpus)["whole"]) or _waits(corpus, reading)


def _promises_calls(corpus: Corpus, reading: Reading) -> bool:
    """Whether a reply ended, by its word, for its calls, and has none with a name: no client can run another."""
    end = reading.finish
    usable = any(call.name for call in reading.calls)
    return end is not None and end.reason in _words(corpus)["without_calls"] and not usable


def _waits(corpus: Corpus, reading: Reading) -> bool:
    """Whether a step of the provider's own waits for the client's word."""
    waiting = corpus.own_tools(reading.format).waiting_steps
    return any(step.type in waiting for turn in reading.turns for step in turn.items if isinstance(step, Hosted))


def may_fail(corpus: Corpus, reading: Reading) -> bool:
    """Whether an error may stand in place of a reply: it is no answer, and no part of one that must arrive."""
    if _promises_calls(corpus, reading):
        return True
    if not is_unfinished(corpus, reading):
        return False
    end, words = reading.finish, _words(corpus)
    if _waits(corpus, reading) or (end is not None and end.reason in words["as_error"]):
        return True
    return not _says_something(reading) and (end is None or end.reason not in words["never_error"])


def _silent(pair: Pair) -> bool:
    """Whether a reply that is no whole answer became one that ended well and says nothing."""
    end = pair.output.finish
    return (
        end is not None
        and end.reason in _words(pair.corpus)["whole"]
        and not (_says_something(pair.output) or _waits(pair.corpus, pair.output))
        and is_unfinished(pair.corpus, pair.source)
    )


def _says_something(reading: Reading) -> bool:
    """Whether a client can read, show or run anything of a reply. Thinking is no answer."""
    return any(isinstance(item, (Text, Call, Media)) for turn in reading.turns for item in turn.items)


def _empty_success(pair: Pair) -> Finding:
    source, output = pair.source.finish, pair.output.finish
    assert output is not None
    whole = source is None or source.reason in _words(pair.corpus)["whole"]
    source_state = "waits for its client" if whole else f"ended with {source.raw!r}" if source else ""
    return pair.finding(
        "translation/empty-success",
        output.pointer,
        f"the provider's reply {source_state}, and the client gets an empty reply that ended well",
        want=Words("an error")
        if whole or source is None
        else finish_words(pair, _may_be(pair, source.reason), output.pointer) or Words("an error"),
        got=output.raw,
        source=source.pointer if source is not None else None,
    )


def _may_be(pair: Pair, reason: str) -> list[str]:
    """The reasons that may stand for a reason, the best first, but for those of a whole answer."""
    words = _words(pair.corpus)
    whole = words["whole"]
    reasons = [reason, *words["always"].get(reason, ()), *words["next_best"].get(reason, ())]
    return [candidate for candidate in reasons if candidate not in whole]


def _words(corpus: Corpus) -> Mapping[str, Any]:
    return corpus.equivalence("finish-next-best").parameters


def _uncounted(pair: Pair, key: str) -> str:
    """Where the count must stand that is not there."""
    return f"the {key} tokens are missing; {pair.output.format} counts them at {pair.wire_words['usage'][key]}"


_LOST = {"input": "usage-lost", "output": "usage-lost", "cached": "usage-details"}
ESTIMATED = frozenset({"input", "output"})
"""What a translator may count itself where the provider does not: some formats demand it."""


def compare_usage(pair: Pair) -> Iterator[Finding]:
    """Token counts. A reading counts cached tokens as input and thinking as output, however its format counts.

    The tokens of thinking, and those that were written to a cache, may be omitted, but not changed.
    """
    for key in (*_LOST, "reasoning", "written"):
        want, got = pair.source.usage.get(key), pair.output.usage.get(key)
        if want is None and got and key not in ESTIMATED:
            yield pair.finding(
                "translation/usage-invented",
                usage_pointer(pair, pair.output, key),
                want=MISSING,
                got=got,
                subject=f"{key} tokens",
            )
        if want is None or max(want, 0) == (got or 0) or (pair.demand(f"usage-{key}") != "must" and not (want and got)):
            continue
        # Zero is no omission: who leaves thinking untold says nothing of it.
        rule = "usage" if got or (got == 0 and key not in _LOST) else _LOST.get(key)
        if rule is not None:
            yield pair.finding(
                f"translation/{rule}",
                usage_pointer(pair, pair.output, key),
                "" if rule == "usage" else _uncounted(pair, key),
                want=want,
                got=MISSING if got is None else got,
                source=usage_pointer(pair, pair.source, key),
                subject=f"{key} tokens",
            )
