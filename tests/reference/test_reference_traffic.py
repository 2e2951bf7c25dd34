"""Recorded traffic: every request and unary reply is translated to the other formats, or refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, open_way
from toolcall_reference import Refused

TRAFFIC = Path(__file__).parents[2].parent / "shared" / "traffic"


def records(name: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((TRAFFIC / name).rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if (record.get("status") or 200) < 400:
            yield path, record


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_bodies_are_translated(name: str) -> None:
    done, refused = 0, []
    for path, record in records(name):
        for other in FORMATS:
            if other == name:
                continue
            jobs = [(open_way(name, other).request, record.get("request"))]
            if not record.get("streaming"):
                jobs.append((open_way(other, name).response, record.get("response")))
            for translate, body in jobs:
                if not isinstance(body, dict):
                    continue
                try:
                    json.dumps(translate(body), allow_nan=False)
                    done += 1
                except Refused as reason:
                    refused.append((path.name, str(reason)))
    assert done > 500
    # State held by the provider, unfinished replies, histories that break their own format.
    assert len(refused) < done / 20, refused[:10]
