"""One streamed exchange with a translator: its request, the upstream's stream, and what the client gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.checks.base import Failed, Harness, OpenSession
from toolcall_conformance.checks.golden_replies import rename_calls_in_stream
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Opened,
    Outcome,
    Produced,
    SessionDriver,
    Source,
    Streamed,
    StreamOutcome,
)
from toolcall_conformance.library import Exchange
from toolcall_conformance.reading import Opaque, Reading
from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.streaming import cuts, parse


@dataclass(frozen=True)
class Heard:
    """What a client hears: the stream that came, what it amounts to, and how it is read."""

    format: str
    came: Streamed

    @cached_property
    def stream(self) -> dict[str, Any]:
        return parse(self.came.data)

    @cached_property
    def assembled(self) -> Assembled:
        return formats.assembled(self.format, self.stream)

    @cached_property
    def said(self) -> dict[str, Any]:
        """What the client is told, whatever the ids are and however the words are cut; equal for equal replies."""
        return {**told(self.reading), "end": self.assembled.end}

    def carried(self, source: bytes) -> list[str]:
        """The provider's own state as it stands in ``source``, too: what is sealed anew each time differs each time."""
        held = source.decode("utf-8", "replace")
        items = (item for turn in self.reading.turns for item in turn.items)
        return [item.value for item in items if isinstance(item, Opaque) and item.value and item.value in held]

    @cached_property
    def reading(self) -> Reading:
        return formats.read(self.format, "response", self.assembled.body)


def told(reading: Reading) -> dict[str, Any]:
    """A reply without its ids, as JSON: its words, its calls with arguments, its finish reason."""
    return {
        "text": "".join(str(getattr(item, "text", "")) for turn in reading.turns for item in turn.items),
        "calls": [[call.name, call.arguments] for call in reading.calls],
        "finish": reading.finish.reason if reading.finish is not None else None,
    }


@dataclass(frozen=True, slots=True)
class Blocked:
    """The exchange did not get as far as its stream; ``operation`` failed."""

    operation: str
    failed: Failed


@dataclass(frozen=True)
class Setting:
    """An exchange that is played again and again, each time in a session of its own and with another source.

    ``stream`` is what the upstream sends, with its calls under the names that the translator declared; ``name`` is that
    of its file. ``names`` has the declared names by the golden ones. ``costly_pieces``: each piece of a stream is a
    message to another process. ``begun`` has the session that has made its request already, until it is played.
    """

    name: str
    route: Route
    open_session: OpenSession
    request: Any
    stream: bytes
    names: Mapping[str, str]
    sent: Any
    costly_pieces: bool
    begun: list[SessionDriver]

    def play(self, source: Source) -> Streamed | Failed | Blocked:
        """The upstream sends ``source``."""
        if self.begun:
            return self.begun.pop().stream(source)
        began = begin(self.open_session, self.route, self.request)
        return began if isinstance(began, Blocked) else began[0].stream(source)


def begin(open_session: OpenSession, route: Route, request: Any) -> tuple[SessionDriver, Any] | Blocked:
    """A new session after its first request, and what went upstream; None for one that has no requests."""
    opened = open_session(route)
    if not isinstance(opened, Opened):
        return Blocked("open", opened)
    if "request" not in opened.session.operations:
        return opened.session, None
    asked = opened.session.request(request)
    return (opened.session, asked.value) if isinstance(asked, Produced) else Blocked("request", asked)


def reply_streamed(
    session: SessionDriver, upstream: Exchange, route: Route, names: Mapping[str, str], harness: Harness | None
) -> Outcome:
    """The reply that the client puts together when the upstream's is streamed to ``session``, cut at its events.

    ``names`` are those under which the translator declared the tools, by the golden ones; none without a harness.
    """
    assert upstream.stream_path is not None
    stream = upstream.stream_path.read_bytes()
    if harness is not None:
        stream = rename_calls_in_stream(stream, names, call_names(harness, route))
    return _put_together(session.stream(Source(cuts.split_events(stream))), route)


def reply_alone(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness
) -> Outcome:
    """The same as the check ``stream`` has it: in a session of its own, whatever was said before."""
    scene = setting(client, upstream, route, open_session, harness)
    if isinstance(scene, Blocked):
        return scene.failed
    came = scene.play(Source(cuts.split_events(scene.stream)))
    return came.failed if isinstance(came, Blocked) else _put_together(came, route)


def call_names(harness: Harness, route: Route) -> Sequence[Mapping[str, Any]]:
    """Where the events of the upstream's streams name calls."""
    places: Sequence[Mapping[str, Any]] = harness.corpus.transports[route.upstream]["stream"]["call_names"]
    return places


def _put_together(came: StreamOutcome, route: Route) -> Outcome:
    """A stream as what a client has in hand after it: a reply, or a failure where there is none to go on from."""
    if not isinstance(came, Streamed):
        return came
    if came.raised is not None:
        return came.raised
    reply = Heard(route.client, came).assembled
    if reply.body is None or reply.end == "failed":
        return BadOutput("stream tells of an error" if reply.end == "failed" else "stream brings no reply")
    return Produced(reply.body)


def setting(
    client: Exchange, upstream: Exchange, route: Route, open_session: OpenSession, harness: Harness
) -> Setting | Blocked:
    """The scene of an exchange: the client asks for a stream as its API wants it asked for."""
    assert upstream.stream_path is not None
    request = {**client.request, **harness.corpus.transports[route.client]["stream"].get("body", {})}
    began = begin(open_session, route, request)
    if isinstance(began, Blocked):
        return began
    stream = upstream.stream_path.read_bytes()
    names: Mapping[str, str] = {}
    if began[1] is not None:
        names = harness.judge.declared_names(upstream.request, began[1], route.upstream)
    return Setting(
        upstream.stream_path.name,
        route,
        open_session,
        request,
        rename_calls_in_stream(stream, names, call_names(harness, route)),
        names,
        began[1],
        began[0].costly_pieces,
        [began[0]],
    )
