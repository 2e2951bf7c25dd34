"""A judge that caches its judgements: the variants of a conversation mostly have equal bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.basics.jsonvalue import pack
from toolcall_conformance.judge.given import AnyRoute
from toolcall_conformance.judge.judge import Judge

MOST_KEPT: Final = 1_000


@dataclass(frozen=True)
class CachingJudge(Judge):
    """Keeps its judgements of requests in a conversation, :data:`MOST_KEPT` of them."""

    _kept: dict[bytes, Judgement] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self._kept)

    def history(self, golden: Any, output: Any, route: AnyRoute, **more: Any) -> Judgement:
        way = [route.client, route.upstream, route.upstream_model]
        key = blake2b(pack([golden, output, way, more]), digest_size=16).digest()
        if key not in self._kept:
            if len(self._kept) == MOST_KEPT:
                self._kept.clear()
            self._kept[key] = super().history(golden, output, route, **more)
        return self._kept[key]
