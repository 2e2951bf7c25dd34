"""What recorded exchanges show and no golden does has a reason each, and each reason has something to explain."""

from __future__ import annotations

import pytest

from formats.test_traffic import TRAFFIC
from shapes import left
from toolcall_conformance import formats

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")

HOSTS = pytest.mark.parametrize("compatible", [False, True], ids=["own hosts", "compatible hosts"])


@HOSTS
@pytest.mark.parametrize("name", formats.names())
def test_every_shape_is_shown_or_explained(name: str, compatible: bool) -> None:
    found = left.left(name, compatible=compatible)
    print(f"\n{name}: {len(found)} shapes left", *left.lines(found), sep="\n  ")
    unexplained = left.unexplained(name, found, compatible=compatible)
    assert not unexplained, "a case should show it, or reasons.json say why none does"


def test_every_reason_explains_something() -> None:
    used = {
        reason.reason
        for compatible in (False, True)
        for name in formats.names()
        for shape in left.left(name, compatible=compatible)
        for reason in left.reasons()
        if any(reason.fitting(name, shape, compatible=compatible))
    }
    assert [reason.reason for reason in left.reasons() if reason.reason not in used] == []
