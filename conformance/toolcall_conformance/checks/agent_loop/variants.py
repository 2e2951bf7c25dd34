"""The variants of the agent loop, and which of them a case has on a route."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_conformance import formats
from toolcall_conformance.checks.conversation.client import ClientHabit
from toolcall_conformance.library import Case, Corpus


@dataclass(frozen=True, slots=True)
class LoopVariant:
    """One way to play a conversation.

    ``fresh``: every exchange in a session of its own, as by another replica. ``streamed``: replies come as streams.
    """

    habit: ClientHabit = field(default_factory=ClientHabit)
    fresh: bool = False
    interleaved: bool = False
    streamed: bool = False


VARIANTS = {
    "": LoopVariant(),
    "stripping": LoopVariant(ClientHabit(echo=False)),
    "swapped": LoopVariant(ClientHabit(swap=True)),
    "fresh": LoopVariant(fresh=True),
    "interleaved": LoopVariant(interleaved=True),
    "stored": LoopVariant(ClientHabit(stored=True)),
    "streamed": LoopVariant(streamed=True),
    "streamed-interleaved": LoopVariant(interleaved=True, streamed=True),
    "streamed-stored": LoopVariant(ClientHabit(stored=True), streamed=True),
    "referring": LoopVariant(ClientHabit(referring=True)),
    "streamed-referring": LoopVariant(ClientHabit(referring=True), streamed=True),
}


def variants(corpus: Corpus, case: Case, client: str, upstream: str) -> tuple[str, ...]:
    """The variants that a case has on a route.

    Empty without a second exchange, or for a format without an ideal client here. Variants that try a translator's
    memory are only for cases that need one, swapped results only if ids link them, stored conversations only if the
    client's API has them, streamed ones only if each reply that the conversation continues from has its stream.
    """
    if client not in formats.names() or len(case.exchanges(client)) < 2:
        return ()
    ids = case.scenario["ids"].get(client, {}).values()
    # An empty id is none; if the scenario has no ids, none are known.
    linked = not corpus.format(client)["positional_pairing"] or (len(ids) > 0 and all(ids))
    keeper = formats.get(client).conversation_state
    keeps = keeper is not None and keeper.is_stored(case.exchanges(client)[0].request)
    stored, referring = (keeps and feature in case.features for feature in ("stored-state", "item-references"))
    streams = formats.get(client).stream is not None and has_reply_streams(case, client, upstream)
    streamed = streams and not case.features.isdisjoint(corpus.streamed)
    needs_memory = not case.features.isdisjoint(corpus.needing_memory)
    fitting = {
        "stripping": needs_memory,
        "fresh": needs_memory,
        "interleaved": needs_memory,
        "swapped": "parallel-calls" in case.features and linked,
        "stored": stored,
        "streamed": streamed,
        "streamed-interleaved": streamed and needs_memory,
        "streamed-stored": streams and stored,
        "referring": referring,
        "streamed-referring": streams and referring,
    }
    return tuple(name for name in VARIANTS if fitting.get(name, True))


def can_play_beside(case: Case, client: str, upstream: str, *, streamed: bool) -> bool:
    """Whether a case can be played interleaved with another: without calls there would be nothing to mix up."""
    fits = {client, upstream} <= set(case.formats) and "no-call" not in case.features
    return fits and (not streamed or has_reply_streams(case, client, upstream))


def has_reply_streams(case: Case, client: str, upstream: str) -> bool:
    """Whether the corpus has the stream of each reply that the conversation continues from."""
    return case.streams(client, upstream) and all(
        exchange.stream_path is not None for exchange in case.exchanges(upstream)[:-1]
    )
