"""Drivers call a translator: they pass bodies to it and report outcomes. They know nothing of rules."""

from __future__ import annotations

from toolcall_conformance.drivers.base import Driver, Opened, OpenOutcome, SessionDriver
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.loading import load_driver
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    FailedOutcome,
    Inapplicable,
    Misdirected,
    NoRoute,
    Outcome,
    Produced,
    ProtocolError,
    RaisedError,
    RefusedOutcome,
    RequestFlaw,
    TimedOut,
    TranslatorError,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.streams import Source, Streamed, StreamOutcome

__all__ = [
    "BadOutput",
    "Crashed",
    "Driver",
    "FailedOutcome",
    "Inapplicable",
    "Misdirected",
    "NoRoute",
    "OpenOutcome",
    "Opened",
    "Outcome",
    "Produced",
    "ProtocolError",
    "RaisedError",
    "RefusedOutcome",
    "RequestFlaw",
    "SessionDriver",
    "Source",
    "SpecError",
    "StreamOutcome",
    "Streamed",
    "TimedOut",
    "TranslatorError",
    "UnsupportedOutcome",
    "load_driver",
]
