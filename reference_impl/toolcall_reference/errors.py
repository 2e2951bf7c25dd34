"""What a translator may say instead of translating."""

from __future__ import annotations


class Unsupported(Exception):  # noqa: N818 - named for what it says
    """This route or this operation is not done here."""


class Refused(Exception):  # noqa: N818 - named for what it says
    """This input is not taken; the message says why."""
