"""The error that every driver raises if it cannot reach its translator."""

from __future__ import annotations


class SpecError(Exception):
    """The translator cannot be reached; the message says what, where, and what to do next."""
