"""Streams: the grammar finds what is wrong while it puts the reply together."""

from __future__ import annotations

from toolcall_conformance.formats.openai_responses.stream import RULES, assemble
from toolcall_conformance.rules.streams import register

register(assemble, RULES)
