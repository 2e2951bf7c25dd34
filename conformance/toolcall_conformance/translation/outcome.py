"""The reason that a reply ended, and its token counts."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.findings import Finding
from toolcall_conformance.reading import Finish
from toolcall_conformance.translation.pair import Pair


def compare_finish(pair: Pair) -> Iterator[Finding]:
    """The reason that a reply ended, in the target's words. ``tools`` follows from the calls of the output."""
    source, output = pair.source.finish, pair.output.finish
    if source is None or source.reason == "other":
        return  # an unknown word demands nothing of a translation
    if any(call.ordinal not in pair.calls for call in pair.source.calls):
        return  # a cascade: the lost call is reported already
    got = output.reason if output is not None else None
    known = pair.corpus.equivalence("finish-next-best").parameters
    accepted = {source.reason, *known["always"].get(source.reason, ())}
    if source.reason != "tools" and pair.corpus.expresses(pair.output.format, f"finish-{source.reason}") != "native":
        accepted.update(known["next_best"].get(source.reason, ()))
    where = output.pointer if output is not None else ""
    if got not in accepted:
        yield pair.finding(
            "translation/failed-reply-reason" if source.reason == "error" else "translation/finish-reason",
            where,
            f"the reply ended with {source.reason!r}, the translation says {got!r}",
            want=source.reason,
            got=output.raw if output is not None else None,
            source=source.pointer,
        )
    elif _only_when_forced(pair, output) and not pair.forced:
        yield pair.finding(
            "translation/finish-reason",
            where,
            f"the reply has calls and ended normally, but says {output.raw if output else None!r}",
            want="tools",
            got=output.raw if output else None,
            source=source.pointer,
            under=("request-unknown",) if pair.forced is None else (),
        )


def _only_when_forced(pair: Pair, finish: Finish | None) -> bool:
    """Whether the word is one that the provider itself says beside calls only where the request forced one function."""
    return finish is not None and finish.reason == "tools" and finish.raw in pair.target["finish_tools_forced"]


def compare_usage(pair: Pair) -> Iterator[Finding]:
    """Token counts. A reading counts cached tokens as input and thinking as output, however its format counts."""
    for key in ("input", "output"):
        want, got = pair.source.usage.get(key), pair.output.usage.get(key)
        if want is not None and want != got and pair.demand(f"usage-{key}") == "must":
            yield pair.finding("translation/usage", "", want=want, got=got, subject=f"{key} tokens")
    # The tokens of thinking may be omitted, but not changed.
    want, got = pair.source.usage.get("reasoning"), pair.output.usage.get("reasoning")
    if want and got and want != got:
        yield pair.finding("translation/usage", "", want=want, got=got, subject="reasoning tokens")
