"""Media, opaque state and foreign keys: bytes survive, signatures go home only, no other format's keys leak in."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.findings import Finding, Level
from toolcall_conformance.reading import Media, Opaque, Reading, Result
from toolcall_conformance.translation.pair import Pair


def compare_media(pair: Pair) -> None:
    """Every picture, document or sound that the target can say is there again, byte for byte."""
    produced = [media_bytes(media) for media, _ in _media(pair.output)]
    for media, in_result in _media(pair.source):
        if media_bytes(media) in produced:
            produced.remove(media_bytes(media))
            continue
        element = f"result-{media.kind}" if in_result else "media-user"
        if element not in ("result-image", "result-document", "result-audio", "media-user"):
            element = "result-document"
        demand = pair.demand(element)
        by_reference = media.data is None
        pair.report(
            "translation/media-lost",
            "",
            want=f"{media.kind} {media.mime or ''}".strip(),
            source=media.pointer,
            subject="media of a result" if in_result else "media of the user",
            at_most=Level.NOTE if by_reference else Level.MUST if demand == "must" else Level.SHOULD,
        )


def _media(reading: Reading) -> Iterator[tuple[Media, bool]]:
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, Media):
                yield item, False
            elif isinstance(item, Result):
                for part in item.parts:
                    if isinstance(part, Media):
                        yield part, True


def media_bytes(media: Media) -> str:
    """What identifies a piece of media: its bytes (base64 alphabet and padding aside), else its reference."""
    if media.data is not None:
        return "".join(media.data.split()).replace("-", "+").replace("_", "/").rstrip("=")
    return media.url or media.file_id or ""


def compare_opaque(pair: Pair) -> None:
    """In a request, opaque state goes to the provider that made it and to no other."""
    if not pair.is_request:
        return
    origins = {item.value: item.origin for turn in pair.source.turns for item in turn.items if isinstance(item, Opaque)}
    carried = set()
    for turn in pair.output.turns:
        for item in turn.items:
            if isinstance(item, Opaque):
                carried.add(item.value)
                origin = origins.get(item.value)
                if origin is not None and origin != pair.output.format:
                    pair.report(
                        "translation/state-to-stranger", item.pointer, want=f"for {origin} only", got=item.value[:40]
                    )
    for value, origin in origins.items():
        if origin == pair.output.format and value not in carried:
            pair.report("translation/state-lost", "", want=value[:40])


def find_foreign_keys(pair: Pair, reported: list[Finding]) -> None:
    """Keys that only another format has, left over in the output."""
    marks = {
        mark: name
        for name in pair.corpus.formats
        if name != pair.output.format
        for mark in pair.corpus.format(name).get("marks", [])
    }
    own = set(pair.target.get("marks", []))
    known = {finding.pointer for finding in reported if finding.level is Level.MUST}
    for residue in pair.output.residue:
        if residue.key in marks and residue.key not in own and residue.pointer not in known:
            pair.report(
                "translation/foreign-key",
                residue.pointer,
                f"the key {residue.key!r} belongs to {marks[residue.key]}",
                got=residue.value,
                at_most=Level.SHOULD if residue.value is None else Level.MUST,
            )
