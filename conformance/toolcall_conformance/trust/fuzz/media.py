"""Hypothesis strategies for media: pictures, documents, sound and films, as ``scenario.json`` has them."""

from __future__ import annotations

import base64
from collections.abc import Collection
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from toolcall_conformance.trust.fuzz import shapes

Entry = dict[str, Any]
_PDF = "JVBERi0xLjQKJcOkw7zDtsOfCjEgMCBvYmo8PC9UeXBlL0NhdGFsb2c+PmVuZG9iagp0cmFpbGVyPDwvUm9vdCAxIDAgUj4+CiUlRU9GCg=="
# Of each kind what files there are by their type, and as what they are found at an address. They are as small as
# files of their type get.
_FILES: dict[str, dict[str, str]] = {
    "image": {
        "image/png": (
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        ),
        "image/gif": "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==",
        "image/webp": "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
    },
    "document": {"application/pdf": _PDF},
    "audio": {
        "audio/wav": "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==",
        "audio/mpeg": "//uQxAAAAAAAAAAAAAAAAAAAAAAASW5mbwAAAA8AAAABAAAA",
    },
    "video": {"video/mp4": "AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29t"},
}
_ADDRESSES = {"image": ("image/png", "png"), "document": ("application/pdf", "pdf")}
#: What every model takes.
USUAL = ("document", "image")


@st.composite
def _bytes(draw: DrawFn, kinds: tuple[str, ...]) -> Entry:
    kind = draw(st.sampled_from(kinds))
    if kind == "document" and draw(st.booleans()):
        text = draw(shapes.TEXTS).encode()
        medium = {"kind": kind, "mime": "text/plain", "data": base64.b64encode(text).decode("ascii")}
    else:
        mime = draw(st.sampled_from(sorted(_FILES[kind])))
        medium = {"kind": kind, "mime": mime, "data": _FILES[kind][mime]}
    if kind == "document" and draw(st.booleans()):
        medium["name"] = draw(shapes.NAMES) + (".txt" if medium["mime"] == "text/plain" else ".pdf")
    return {"media": medium}


@st.composite
def _at_address(draw: DrawFn) -> Entry:
    kind = draw(st.sampled_from(sorted(_ADDRESSES)))
    mime, ending = _ADDRESSES[kind]
    return {"media": {"kind": kind, "mime": mime, "url": f"https://files.example.org/{draw(shapes.NAMES)}.{ending}"}}


AT_ADDRESS: SearchStrategy[Entry] = _at_address()


def with_bytes(capabilities: Collection[str]) -> SearchStrategy[Entry]:
    """Media with their bytes, of the kinds that all models take and, oftener, of ``capabilities``."""
    rare = [kind for kind in sorted(_FILES) if kind not in USUAL and kind in capabilities]
    return _bytes((*USUAL, *rare, *rare, *rare))
