"""What a translator forgets of streamed replies: the streamed loop sees it, and no other item does."""

from __future__ import annotations

import pytest

from doubles.sessions import stream_memory, stream_state
from doubles.sessions.model import SessionDouble, session_doubles
from doubles.sessions.running import items, play, told
from toolcall_conformance.findings import Level

FAULTS = [
    pytest.param(double, id=double.name)
    for double in session_doubles()
    if double.session.__module__ in (stream_memory.__name__, stream_state.__name__) and double.kind != "harmless"
]


@pytest.mark.parametrize("double", FAULTS)
def test_only_the_streamed_loop_sees_it(double: SessionDouble) -> None:
    level, rules = (Level.MUST if double.kind == "broken" else Level.SHOULD), set(double.rules)
    seen = [(check, variant) for check, variant in items(double) if told(play(double, check, variant), level) & rules]
    assert seen == [(double.check, variant) for variant in double.variants]
