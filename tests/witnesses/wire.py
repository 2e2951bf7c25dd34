"""The official SDKs' transport in memory. Where they are not installed, the tests that need them are skipped."""

from __future__ import annotations

import pytest

from toolcall_conformance.trust.witnesses import MissingSDKError, sdk_of, wire
from toolcall_conformance.trust.witnesses.model import Sdk


class Wire(wire.Wire):
    """A transport of one's own."""

    def __init__(self) -> None:
        try:
            super().__init__()
        except MissingSDKError as missing:
            pytest.skip(str(missing))


def sdk(name: str) -> Sdk:
    """The witness of a format: its SDK's client, and the wire that it talks to."""
    try:
        return sdk_of(name)
    except MissingSDKError as missing:
        pytest.skip(str(missing))
