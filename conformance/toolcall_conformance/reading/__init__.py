"""Readings: the neutral view of a wire body that all comparisons work on."""

from toolcall_conformance.reading.model import (
    Call,
    Failure,
    Finish,
    Hosted,
    Media,
    Opaque,
    Reading,
    Reasoning,
    Residue,
    Result,
    Setting,
    Stored,
    Text,
    Tool,
    Turn,
    Unknown,
    Unreadable,
    Value,
    Waiver,
)
from toolcall_conformance.reading.node import Node
from toolcall_conformance.reading.ordering import reverse_among

__all__ = [
    "Call",
    "Failure",
    "Finish",
    "Hosted",
    "Media",
    "Node",
    "Opaque",
    "Reading",
    "Reasoning",
    "Residue",
    "Result",
    "Setting",
    "Stored",
    "Text",
    "Tool",
    "Turn",
    "Unknown",
    "Unreadable",
    "Value",
    "Waiver",
    "reverse_among",
]
