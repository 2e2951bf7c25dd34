"""The official clients as witnesses: what their parsers and accumulators do with a body that a translator produced.

They convince who does not believe a rule; they never decide a verdict. Needs the extra ``witnesses``. Nothing goes
over a network: the clients talk to a transport in memory.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import Any

from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.trust.witnesses import anthropic_sdk, google_sdk, openai_sdk, questions
from toolcall_conformance.trust.witnesses.model import ClientResult, Sdk
from toolcall_conformance.trust.witnesses.wire import MissingSDKError, Wire

__all__ = ["ClientResult", "MissingSDKError", "client_formats", "sdk_of", "verify_installed", "witness"]

_WITNESSES: dict[str, Callable[[Wire], Sdk]] = {
    **anthropic_sdk.WITNESSES,
    **google_sdk.WITNESSES,
    **openai_sdk.WITNESSES,
}


def client_formats() -> frozenset[str]:
    """The formats that have an official client here."""
    return frozenset(_WITNESSES)


def verify_installed() -> None:
    """Import all official clients. Raises MissingSDKError."""
    for name in _WITNESSES:
        sdk_of(name)


def witness(
    name: str, direction: str, body: Any, *, golden: Any = None, expected: Reading | None = None
) -> ClientResult:
    """Show a body to the official client of the format ``name``.

    ``direction`` is ``request``, ``response``, ``error`` (an object with ``status``, ``headers`` and ``body``) or
    ``stream`` (the bytes). ``golden`` is the right body in this format, of a stream the unary reply; ``expected`` in
    its place the reading of what was translated. With neither, a reply is held against our own reading of it. Raises
    LookupError for a format without a client here, MissingSDKError where it is not installed.
    """
    sdk = sdk_of(name)
    client = f"{sdk.name} {metadata.version(sdk.name)}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they warn of values that their types do not know
        try:
            accepted, says = questions.ask(sdk, name, direction, body, golden, expected)
        except Exception as error:  # a fault of ours must not end a run
            accepted, says = False, [f"could not be asked: {questions.words(error)}"]
    return ClientResult(client, accepted, tuple(says[: questions.MOST]))


@cache
def sdk_of(name: str) -> Sdk:
    """The official client of a format, on a wire of its own. Raises LookupError and MissingSDKError."""
    if name not in _WITNESSES:
        raise LookupError(f"there is no official client of {name} here")
    return _WITNESSES[name](Wire())
