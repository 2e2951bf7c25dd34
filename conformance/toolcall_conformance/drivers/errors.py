"""What every driver raises when its translator cannot be reached at all."""

from __future__ import annotations


class SpecError(Exception):
    """A translator that cannot be reached; the message says what, where, and what to do next."""
