"""What a client's user sees of a reply, held against what was meant: in short phrases, the gravest first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Call, Reading, Text, Unreadable
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.trust.witnesses.model import ClientCall, ClientView, NotParsed

_SHOWN = 60
# How a reply that went wrong is best said to have ended is open, and so is whether words tell of it.
_WELL = ("end", "tools")
_OPEN_ENDS = ("error", "filter", "other", "pause")


def differences(sight: ClientView, expected: Reading, reading: Reading) -> list[str]:
    """How ``sight`` differs from ``expected``; ``reading`` is our reading of the body itself."""
    return [
        *_calls(list(sight.calls), expected.calls),
        *_ids(sight, expected),
        *_text(sight, expected),
        *_end(sight, expected, reading),
    ]


def may_fail(expected: Reading) -> bool:
    """Whether an error may replace the reply, since the reply went wrong itself."""
    return expected.finish is not None and expected.finish.reason in _OPEN_ENDS


def missing_token_counts(sight: ClientView, expected: Reading) -> list[str]:
    """The lack of token counts in a reply whose upstream gave them; a stream may do without."""
    return ["counts no tokens"] if not sight.tokens and any(expected.usage.values()) else []


def handed_over(handed: Iterable[ClientCall], sight: ClientView) -> list[str]:
    """How the calls that a client reported as done differ from those of the whole reply."""
    early, late = list(handed), [(number, call) for number, call in enumerate(sight.calls, 1) if call.is_reported]
    for number, call in list(late):
        for early_call in early:
            if early_call.name == call.name and _plain(early_call.arguments) == _plain(call.arguments):
                early.remove(early_call)
                late.remove((number, call))
                break
    says = []
    for number, call in late:
        before = next((early_call for early_call in early if early_call.name == call.name), None)
        if before is None:
            says.append(f"never reports that call {number} ({call.name}) is done")
        else:
            early.remove(before)
            old_arguments, new_arguments = _quote(_plain(before.arguments)), _quote(_plain(call.arguments))
            says.append(
                f"reports that call {number} ({call.name}) is done with the arguments {old_arguments}, "
                f"which then are {new_arguments}"
            )
    return says + [f"reports once more that a call of {early_call.name} is done" for early_call in early]


def summary(sight: ClientView) -> str:
    """What is seen, in a few words."""
    calls = f"{_count(len(sight.calls), 'call')}"
    if sight.calls:
        calls += f" ({', '.join(call.name for call in sight.calls)})"
    text = f"{pluralize(len(sight.text), 'character')} of text" if sight.text else "no text"
    tokens = f"{pluralize(sight.tokens, 'token')}" if sight.tokens else "no tokens counted"
    return f"{calls}, {text}, ended by {_quote(sight.ended)}, {tokens}"


def _calls(calls: list[ClientCall], expected: Sequence[Call]) -> Iterator[str]:
    pairs = _pairs(calls, expected)
    for number, call in enumerate(expected, 1):
        if not any(expected_call is call for expected_call, _ in pairs):
            yield f"lost call {number} ({call.name})"
    for number, sdk_call in enumerate(calls, 1):
        if not any(match is sdk_call for _, match in pairs):
            yield f"sees a call that nobody made: call {number} ({sdk_call.name})"
    for call, sdk_call in pairs:
        number = call.ordinal + 1
        if sdk_call.name != call.name:
            yield f"calls {_quote(sdk_call.name)} in place of {_quote(call.name)}"
        if not _same(sdk_call, call):
            yield f"call {number} ({sdk_call.name}) has {_arguments_text(sdk_call.arguments, call.arguments)}"


def _pairs(calls: list[ClientCall], expected: Sequence[Call]) -> list[tuple[Call, ClientCall]]:
    """Which call is which: the equal ones first, then those of one name, then what is left, in order."""
    pairs: list[tuple[Call, ClientCall]] = []
    left, free = list(expected), list(calls)
    for fits in (_equal, _namesakes, lambda _call, _sdk_call: True):
        for call in list(left):
            match = next((candidate for candidate in free if fits(call, candidate)), None)
            if match is not None:
                pairs.append((call, match))
                left.remove(call)
                free.remove(match)
    return pairs


def _equal(call: Call, sdk_call: ClientCall) -> bool:
    return _namesakes(call, sdk_call) and _same(sdk_call, call)


def _namesakes(call: Call, sdk_call: ClientCall) -> bool:
    return call.name == sdk_call.name


def _same(sdk_call: ClientCall, call: Call) -> bool:
    """Whether the arguments are the expected ones; an object may wrap free text, and what is no object."""
    arguments, expected = sdk_call.arguments, call.arguments
    if sdk_call.is_own_tool or call.kind == "builtin" or isinstance(expected, Unreadable):
        return True  # what nobody can read has no right form
    if isinstance(arguments, NotParsed):
        return False
    if equal(arguments, expected) or (arguments == {} and not expected):
        return True
    # Who declared free text looks for it where it stands.
    return not (call.kind == "custom" and sdk_call.free is False) and equal(_unwrap(arguments), _unwrap(expected))


def _unwrap(arguments: Any) -> Any:
    return next(iter(arguments.values())) if isinstance(arguments, dict) and len(arguments) == 1 else arguments


def _plain(arguments: Any) -> Any:
    return arguments.text if isinstance(arguments, NotParsed) else arguments


def _arguments_text(arguments: Any, expected: Any) -> str:
    if isinstance(arguments, NotParsed):
        return f"arguments that json.loads refuses ({arguments.problem}): {_quote(arguments.text)}"
    return f"the arguments {_quote(arguments)}, not {_quote(expected)}"


def _ids(sight: ClientView, expected: Reading) -> Iterator[str]:
    had = [call.id for call in expected.calls]
    ids = [call.id for call in sight.calls]
    for number, key in enumerate(ids, 1):
        if key == "" and all(had):
            yield f"call {number} has an empty id"
        elif key and key in ids[: number - 1] and len(set(had)) == len(had):
            yield f"calls {ids.index(key) + 1} and {number} have one id, {_quote(key)}"


def _text(sight: ClientView, expected: Reading) -> Iterator[str]:
    """A text that is lost, changed, repeated or invented; additional text does no harm."""
    texts = [item.text for turn in expected.turns for item in turn.items if isinstance(item, Text)]
    joined_text, client_text = "".join(texts), "".join(sight.text.split())
    if joined_text.strip() and _in_order(texts, client_text):
        if client_text.count("".join(joined_text.split())) > 1:
            yield f"shows the text {_quote(joined_text)} twice"
    elif not joined_text.strip() and (not client_text or may_fail(expected)):
        return
    elif not client_text:
        yield f"lost the text {_quote(joined_text)}"
    elif not joined_text.strip():
        yield f"shows a text that nobody wrote: {_quote(sight.text)}"
    else:
        yield f"shows the text {_quote(sight.text)}, not {_quote(joined_text)}"


def _in_order(texts: Iterable[str], client_text: str) -> bool:
    """Whether the whole has the texts in their order, whatever the white space."""
    at = 0
    for text in texts:
        plain = "".join(text.split())
        at = client_text.find(plain, at)
        if at < 0:
            return False
        at += len(plain)
    return True


def _end(sight: ClientView, expected: Reading, reading: Reading) -> Iterator[str]:
    """``reading`` tells what the word means that the client gives out; a word of another format is shown unchanged."""
    finish = expected.finish
    if finish is None or sight.ended == finish.raw:
        return
    means = reading.finish.reason if reading.finish is not None and reading.finish.raw == sight.ended else None
    if means != finish.reason and (means in _WELL or finish.reason not in _OPEN_ENDS):
        yield f"ends by {_quote(sight.ended)}, where the reply has {_quote(finish.raw)}"


def _quote(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    half = _SHOWN // 2
    return text if len(text) <= _SHOWN else f"{text[:half]} … {text[-half:]}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
