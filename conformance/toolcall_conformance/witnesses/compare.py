"""What a client's user sees of a reply, held against what was meant: in short phrases, the gravest first."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toolcall_conformance.jsonvalue import equal
from toolcall_conformance.reading import Call, Reading, Text, Unreadable
from toolcall_conformance.showing import many
from toolcall_conformance.witnesses.model import NotParsed, SeenCall, Sight

_SHOWN = 60
# How a reply that went wrong is best said to have ended is open, and so is whether words tell of it.
_WELL = ("end", "tools")
_OPEN_ENDS = ("error", "filter", "other", "pause")


def differences(seen: Sight, meant: Reading, own: Reading) -> list[str]:
    """How ``seen`` differs from ``meant``; ``own`` is our reading of the body itself."""
    return [*_calls(list(seen.calls), meant.calls), *_ids(seen, meant), *_text(seen, meant), *_end(seen, meant, own)]


def may_fail(meant: Reading) -> bool:
    """Whether an error may stand in the place of the reply, since it went wrong itself."""
    return meant.finish is not None and meant.finish.reason in _OPEN_ENDS


def uncounted(seen: Sight, meant: Reading) -> list[str]:
    """The lack of token counts in a reply whose upstream gave them; a stream may do without."""
    return ["counts no tokens"] if not seen.tokens and any(meant.usage.values()) else []


def handed_over(handed: Iterable[SeenCall], seen: Sight) -> list[str]:
    """How the calls that a client told its user to be done differ from those that the reply has in the end."""
    early, late = list(handed), [(number, call) for number, call in enumerate(seen.calls, 1) if call.told]
    for number, call in list(late):
        for told in early:
            if told.name == call.name and _plain(told.arguments) == _plain(call.arguments):
                early.remove(told)
                late.remove((number, call))
                break
    says = []
    for number, call in late:
        before = next((told for told in early if told.name == call.name), None)
        if before is None:
            says.append(f"never reports that call {number} ({call.name}) is done")
        else:
            early.remove(before)
            was, becomes = _shown(_plain(before.arguments)), _shown(_plain(call.arguments))
            says.append(
                f"reports that call {number} ({call.name}) is done with the arguments {was}, which then are {becomes}"
            )
    return says + [f"reports once more that a call of {told.name} is done" for told in early]


def summary(seen: Sight) -> str:
    """What is seen, in a few words."""
    calls = f"{_count(len(seen.calls), 'call')}"
    if seen.calls:
        calls += f" ({', '.join(call.name for call in seen.calls)})"
    text = f"{many(len(seen.text), 'character')} of text" if seen.text else "no text"
    tokens = f"{many(seen.tokens, 'token')}" if seen.tokens else "no tokens counted"
    return f"{calls}, {text}, ended by {_shown(seen.ended)}, {tokens}"


def _calls(seen: list[SeenCall], meant: Sequence[Call]) -> Iterator[str]:
    pairs = _paired(seen, meant)
    for number, call in enumerate(meant, 1):
        if not any(one is call for one, _ in pairs):
            yield f"lost call {number} ({call.name})"
    for number, found in enumerate(seen, 1):
        if not any(one is found for _, one in pairs):
            yield f"sees a call that nobody made: call {number} ({found.name})"
    for call, found in pairs:
        number = call.ordinal + 1
        if found.name != call.name:
            yield f"calls {_shown(found.name)} in place of {_shown(call.name)}"
        if not _same(found, call):
            yield f"call {number} ({found.name}) has {_told(found.arguments, call.arguments)}"


def _paired(seen: list[SeenCall], meant: Sequence[Call]) -> list[tuple[Call, SeenCall]]:
    """Which call is which: the equal ones first, then those of one name, then what is left, in order."""
    pairs: list[tuple[Call, SeenCall]] = []
    left, free = list(meant), list(seen)
    for fits in (_equal, _namesakes, lambda _call, _found: True):
        for call in list(left):
            found = next((one for one in free if fits(call, one)), None)
            if found is not None:
                pairs.append((call, found))
                left.remove(call)
                free.remove(found)
    return pairs


def _equal(call: Call, found: SeenCall) -> bool:
    return _namesakes(call, found) and _same(found, call)


def _namesakes(call: Call, found: SeenCall) -> bool:
    return call.name == found.name


def _same(found: SeenCall, call: Call) -> bool:
    """Whether the arguments are those that were meant; free text, and what is no object, may stand in an object."""
    seen, meant = found.arguments, call.arguments
    if found.own or call.kind == "builtin" or isinstance(meant, Unreadable):
        return True  # what nobody can read has no right form
    if isinstance(seen, NotParsed):
        return False
    if equal(seen, meant) or (seen == {} and not meant):
        return True
    # Who declared free text looks for it where it stands.
    return not (call.kind == "custom" and found.free is False) and equal(_unwrapped(seen), _unwrapped(meant))


def _unwrapped(arguments: Any) -> Any:
    return next(iter(arguments.values())) if isinstance(arguments, dict) and len(arguments) == 1 else arguments


def _plain(arguments: Any) -> Any:
    return arguments.text if isinstance(arguments, NotParsed) else arguments


def _told(seen: Any, meant: Any) -> str:
    if isinstance(seen, NotParsed):
        return f"arguments that json.loads refuses ({seen.problem}): {_shown(seen.text)}"
    return f"the arguments {_shown(seen)}, not {_shown(meant)}"


def _ids(seen: Sight, meant: Reading) -> Iterator[str]:
    had = [call.id for call in meant.calls]
    ids = [call.id for call in seen.calls]
    for number, key in enumerate(ids, 1):
        if key == "" and all(had):
            yield f"call {number} has an empty id"
        elif key and key in ids[: number - 1] and len(set(had)) == len(had):
            yield f"calls {ids.index(key) + 1} and {number} have one id, {_shown(key)}"


def _text(seen: Sight, meant: Reading) -> Iterator[str]:
    """A text that is lost, changed, said twice or invented; what is told beside it is nobody's harm."""
    texts = [item.text for turn in meant.turns for item in turn.items if isinstance(item, Text)]
    said, whole = "".join(texts), "".join(seen.text.split())
    if said.strip() and _in_order(texts, whole):
        if whole.count("".join(said.split())) > 1:
            yield f"shows the text {_shown(said)} twice"
    elif not said.strip() and (not whole or may_fail(meant)):
        return
    elif not whole:
        yield f"lost the text {_shown(said)}"
    elif not said.strip():
        yield f"shows a text that nobody wrote: {_shown(seen.text)}"
    else:
        yield f"shows the text {_shown(seen.text)}, not {_shown(said)}"


def _in_order(texts: Iterable[str], whole: str) -> bool:
    """Whether the texts stand in the whole, one behind the other, whatever the white space."""
    at = 0
    for text in texts:
        plain = "".join(text.split())
        at = whole.find(plain, at)
        if at < 0:
            return False
        at += len(plain)
    return True


def _end(seen: Sight, meant: Reading, own: Reading) -> Iterator[str]:
    """``own`` tells what the word means that the client gives out; a word of another format is shown as it stands."""
    finish = meant.finish
    if finish is None or seen.ended == finish.raw:
        return
    means = own.finish.reason if own.finish is not None and own.finish.raw == seen.ended else None
    if means != finish.reason and (means in _WELL or finish.reason not in _OPEN_ENDS):
        yield f"ends by {_shown(seen.ended)}, where the reply has {_shown(finish.raw)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    half = _SHOWN // 2
    return text if len(text) <= _SHOWN else f"{text[:half]} … {text[-half:]}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
