"""Reads a generateContent request: https://ai.google.dev/api/generate-content#request-body."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.formats.gemini.conversation import read_content, read_system
from toolcall_conformance.formats.gemini.pairing import pair
from toolcall_conformance.formats.gemini.parts import Counts
from toolcall_conformance.formats.gemini.settings import read_settings
from toolcall_conformance.formats.gemini.spelling import entries, root
from toolcall_conformance.formats.gemini.tools import read_tools


def read_request(body: Any) -> Reading:
    """The reading of a request body; never raises, whatever JSON it gets."""
    reading = Reading("gemini", "request")
    counts = Counts(residue=reading.residue)
    node = root(body)
    read_system(node.child("systemInstruction"), reading, counts)
    for content in entries(node.child("contents")):
        read_content(content, reading, counts)
    pair(reading.turns)
    read_tools(node.child("tools"), reading)
    read_settings(node, reading)
    node.close(reading.residue)
    return reading
