"""What a translator may say instead of translating."""

from __future__ import annotations

from typing import Any


class Unsupported(Exception):  # noqa: N818 - named for what it says
    """This route or this operation is not done here."""


class Refused(Exception):  # noqa: N818 - named for what it says
    """This input is not taken; the message says why. ``details`` say it to clients that read ``error.details``."""

    def __init__(self, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.details = details
