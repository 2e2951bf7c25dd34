"""Rules about streams: those that the grammar complains by."""

from __future__ import annotations

from toolcall_conformance.formats.gemini.stream import RULES, assemble
from toolcall_conformance.rules.streams import register

register(assemble, (f"gemini/{rule}" for rule in RULES))
