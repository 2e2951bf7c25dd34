"""Streams in hostile pieces, and streams that break off."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeGuard

from toolcall_conformance import formats
from toolcall_conformance.checks.base import Failed, Harness, Tally
from toolcall_conformance.checks.streamed import Blocked, Heard, Setting
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import Crashed, ProtocolError, Source, Streamed, TimedOut
from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.levels import finding
from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.streaming import cuts, dump, parse
from toolcall_conformance.translation.stream_ends import compare_ends, unreported_error


def fineness(harness: Harness, *, costly_pieces: bool) -> cuts.Fineness:
    """How finely streams are cut: as the user says, else as the medium bears."""
    return harness.fineness or (cuts.SPARSE if costly_pieces else cuts.USUAL)


def recut(scene: Setting, harness: Harness, tally: Tally) -> bool:
    """The same stream in other pieces and frames amounts to the same reply."""
    route, name = scene.route, scene.name
    usual = _heard(scene.play(Source(cuts.split_events(scene.stream))), route, tally, name)
    if usual is None:
        return False
    plainly = harness.corpus.transports[route.upstream]["stream"].get("plain_frames", False)
    for way, pieces in _ways(scene.stream, fineness(harness, costly_pieces=scene.costly_pieces), plainly=plainly):
        came = scene.play(Source(pieces))
        if isinstance(came, Blocked):
            tally.block(came.operation, came.failed, name)
            return False
        if _gone(came):
            tally.fail("stream", came, f"{name}, cut in another way ({way})")
            return True
        problem: str | None = None
        want: Any = "a stream"
        got: Any = "an error"
        if not isinstance(came, Streamed):
            problem, got = "the translator fails", type(came).__name__
        elif came.raised is not None:
            problem = f"the translator {getattr(came.raised, 'sentence', 'refuses')}"
        elif came.data == usual.came.data:
            continue  # most translators say the same in the same words, and then nobody needs to read them
        elif canonical((heard := Heard(route.client, came)).said) != canonical(usual.said):
            problem, want, got = "another reply comes out", usual.said, heard.said
        elif (kept := heard.carried(scene.stream)) != (whole := usual.carried(scene.stream)):
            problem, want, got = "the provider's own state is damaged", whole, kept
        if problem is not None and not (way == cuts.UNENDED and _stops_there(came, route)):
            said = f"cut in another way ({way}), {problem}"
            tally.findings.append(
                finding(
                    harness.corpus,
                    "translation/stream-cuts",
                    "",
                    said,
                    want=want,
                    got=got,
                    element="body",
                    body=name,
                )
            )
            return True  # one is enough: the next would have the same cause
    return True


def _stops_there(came: object, route: Route) -> bool:
    """Whether a client sees that the end is missing: without its blank line an event need not be one."""
    return (
        not isinstance(came, Streamed) or came.raised is not None or Heard(route.client, came).assembled.end != "whole"
    )


def _ways(stream: bytes, fine: cuts.Fineness, *, plainly: bool) -> Iterator[tuple[str, cuts.Pieces]]:
    for way, pieces in cuts.vary_cuts(stream, fine.cuts):
        yield way, cuts.limit_pieces(pieces, fine.pieces)
    for way, other in cuts.vary_framing(stream, plainly=plainly):
        yield way, (other,)


def cut_short(scene: Setting, harness: Harness, tally: Tally) -> bool:
    """After a stream that breaks off no call is closed that was open, and no reply ends as if it were whole."""
    route, name = scene.route, scene.name
    events = cuts.split_events(scene.stream)
    fine = fineness(harness, costly_pieces=scene.costly_pieces)
    # What comes behind the end of a reply need not be read.
    before_end = bisect_left(range(len(events)), True, key=lambda count: _came(scene, events[:count]).finished)
    for count in cuts.pick_evenly(range(before_end), fine.ends):
        source = _came(scene, events[:count])
        for end in ("plain", "lost"):
            came = scene.play(Source(events[:count], end))
            if isinstance(came, Blocked):
                tally.block(came.operation, came.failed, name)
                return False
            how = "ended" if end == "plain" else "was lost"
            if _gone(came):
                tally.fail("stream", came, f"{name}, which {how} after {count} of {len(events)} events")
                return True
            if not isinstance(came, Streamed):
                continue  # raising, and whatever else ends it, is all right
            heard = Heard(route.client, came).assembled
            if came.raised is not None:
                heard = replace(heard, end="failed")  # whatever went before, it is no end in order
            found = compare_ends(harness.corpus, source, heard, f"{how} after {count} of {len(events)} events")
            if wrong := [replace(one, body=name) for one in found]:
                tally.findings += wrong
                return True
    for count in cuts.pick_evenly(range(1, before_end), fine.failures):
        if not _told_of_its_failure(scene, events, count, harness, tally):
            break
    return True


def _came(scene: Setting, events: cuts.Pieces) -> Assembled:
    return formats.assembled(scene.route.upstream, parse(b"".join(events)))


def _told_of_its_failure(scene: Setting, events: cuts.Pieces, count: int, harness: Harness, tally: Tally) -> bool:
    """The upstream's own error event in the middle: an error for the client, by an event or by raising."""
    failing = dump([harness.corpus.transports[scene.route.upstream]["stream"]["error"]])
    came = scene.play(Source((*events[:count], failing)))
    if _gone(came):
        tally.fail("stream", came, f"{scene.name}, which failed after {count} of {len(events)} events")
        return False
    if not isinstance(came, Streamed) or came.raised is not None:
        return True
    client = Heard(scene.route.client, came)
    heard = client.assembled
    if heard.end == "failed":
        found = harness.judge.body(scene.route.client, "stream", client.stream).findings
        if scene.route.client == scene.route.upstream:  # what the upstream itself does is nobody's fault
            failed = parse(b"".join((*events[:count], failing)))
            own = {one.rule for one in harness.judge.body(scene.route.upstream, "stream", failed).findings}
            found = tuple(one for one in found if one.rule not in own)
        tally.findings += [replace(one, body=f"{scene.name}, failed after {count} events") for one in found]
        return not found
    how = f"the upstream failed after {count} of {len(events)} events"
    tally.findings.append(replace(unreported_error(harness.corpus, heard, how), body=scene.name))
    return False


def _gone(came: Streamed | Failed | Blocked) -> TypeGuard[Failed]:
    """Whether the translator hangs, talks nonsense or died: no way to end a stream, whatever its source does."""
    return isinstance(came, (TimedOut, ProtocolError)) or (isinstance(came, Crashed) and came.died)


def _heard(came: object, route: Route, tally: Tally, name: str) -> Heard | None:
    """What comes when it is cut between the events; what fails there is told by the plain variant."""
    if isinstance(came, Blocked):
        tally.block(came.operation, came.failed, name)
    elif isinstance(came, Streamed) and came.raised is None:
        return Heard(route.client, came)
    else:
        tally.blocked = f"blocked: {name}: the stream fails however it is cut"
    return None
