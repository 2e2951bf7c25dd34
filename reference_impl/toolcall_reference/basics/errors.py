"""The errors that a translator raises instead of translating."""

from __future__ import annotations

from typing import Any


class Unsupported(Exception):  # noqa: N818 - the adapter contract names it
    """The route or operation is not supported."""


class Refused(Exception):  # noqa: N818 - the adapter contract names it
    """The input is not accepted; the message says why. ``details`` are for clients that read ``error.details``."""

    def __init__(self, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details = details
