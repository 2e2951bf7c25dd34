"""The same events in other lines, as ``streaming.cuts`` has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.basics.streaming.cuts import REFRAMINGS
from toolcall_conformance.trust.harmless.spelling import Site, Spelling, speller


def _choices(spelling: Spelling, _body: Any) -> Iterator[Site]:
    for choice in spelling.raw["frames"]:
        yield Site("", choice)


@speller(_choices)
def reframe(_spelling: Spelling, body: Any, site: Site) -> None:
    text = dump(body["events"]).decode()
    body.update(parse(REFRAMINGS[site.choice](text).encode("utf-8", "backslashreplace")))
