"""What is asked of an official client: does it read the reply, what does it raise for the error, does it know the body.

Each answer says whether the client accepted the body, and what it did in a few phrases.
"""

from __future__ import annotations

import re
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.trust.witnesses.compare import (
    differences,
    handed_over,
    may_fail,
    missing_token_counts,
    summary,
)
from toolcall_conformance.trust.witnesses.model import ClientView, MistypedError, Sdk, UnraisedError, UnreadKindError
from toolcall_conformance.trust.witnesses.sdk_types import problems

MOST = 3
"""The most phrases of a result."""

_WORDS = 160
_SILENT = "which does not have the error's message"
# Users catch these by exceptions of their own: wait, log in, ask for access.
_CAUGHT = (401, 403, 429)
_INDEX = re.compile(r"/[0-9]+(?=/|$)")

Answer = tuple[bool, list[str]]


def ask(sdk: Sdk, name: str, direction: str, body: Any, golden: Any, expected: Reading | None) -> Answer:
    """Show the body; see :func:`toolcall_conformance.trust.witnesses.witness`."""
    if golden is not None and direction in ("response", "stream"):
        expected = formats.read(name, "response", golden)
    elif golden is not None and direction == "error":
        expected = formats.read(name, "error", golden)
    if direction == "request":
        return _request(sdk, body, golden)
    if direction == "error":
        return _error(sdk, name, body, expected)
    return _stream(sdk, name, body, expected) if direction == "stream" else _reply(sdk, name, body, golden, expected)


def _reply(sdk: Sdk, name: str, body: Any, golden: Any, expected: Reading | None) -> Answer:
    sdk.wire.lay(body)
    try:
        reply = sdk.reply()
    except Exception as error:
        return False, [f"raised {words(error)}"]
    reading = formats.read(name, "response", body)
    sight = _client_view(sdk, reply)
    if not isinstance(sight, ClientView):
        return False, [sight, *_against_types(sdk.reply_type(), body, golden)]
    remarks = [*differences(sight, expected or reading, reading), *missing_token_counts(sight, expected or reading)]
    return not remarks, [*(remarks or [summary(sight)]), *_against_types(sdk.reply_type(), body, golden)]


def _stream(sdk: Sdk, name: str, data: bytes, expected: Reading | None) -> Answer:
    """A stream may end in an error: ``expected`` is then the reading of that."""
    received = formats.assemble(name, parse(data))
    sdk.wire.lay(data)
    try:
        streamed = sdk.stream()
    except UnreadKindError as error:
        return False, [str(error)]
    except Exception as error:
        says = "returns the error as an event" if isinstance(error, UnraisedError) else f"raised {words(error)}"
        if received.end != "failed" or (expected is not None and expected.failure is None):
            return received.end == "failed" and expected is not None and may_fail(expected), [says]
        failure = (expected or formats.read(name, "error", {"body": received.error})).failure
        sdk_message = str(error) if isinstance(error, UnraisedError) else sdk.error_message(error)
        silent = failure is not None and _lacks(sdk_message, failure.message)
        return not silent, [says, *([_SILENT] if silent else [])]
    reading, sight = formats.read(name, "response", received.body), _client_view(sdk, streamed.reply)
    if not isinstance(sight, ClientView):
        return False, [sight]
    early = [] if streamed.handed is None else handed_over(streamed.handed, sight)
    remarks = [*differences(sight, expected or reading, reading), *early, *streamed.remarks]
    return not remarks, remarks or [summary(sight)]


def _client_view(sdk: Sdk, reply: Any) -> ClientView | str:
    """What its user sees, or how his code fails."""
    try:
        return sdk.see(reply)
    except Exception as error:
        return f"returns a reply on which its user's code fails: {words(error)}"


def _against_types(kind: Any, body: Any, golden: Any) -> list[str]:
    """What its types do not take of a reply. It does not check them; and they refuse many a true reply, too."""
    return (
        [] if golden is None else [f"its types do not allow {problem}" for problem in _strange(kind, body, golden)][:1]
    )


def _strange(kind: Any, body: Any, golden: Any) -> list[str]:
    """The problems of a body that the golden does not have at the like place."""
    golden_places = {_INDEX.sub("/*", pointer) for pointer, _ in problems(kind, golden)}
    return [
        _place_message(*problem)
        for problem in problems(kind, body)
        if _INDEX.sub("/*", problem[0]) not in golden_places
    ]


def _request(sdk: Sdk, body: Any, golden: Any) -> Answer:
    try:
        return _by_types(sdk, body, golden)
    except Exception as error:
        return False, [f"its types raised {words(error)}"]


def _by_types(sdk: Sdk, body: Any, golden: Any) -> Answer:
    golden_places = (
        set() if golden is None else {_INDEX.sub("/*", pointer) for pointer, _ in sdk.request_problems(golden)}
    )
    messages = [
        _place_message(*problem)
        for problem in sdk.request_problems(body)
        if _INDEX.sub("/*", problem[0]) not in golden_places
    ]
    if messages:
        return False, [f"its types do not take {problem}" for problem in messages]
    return True, ["its types take the request"]


def _place_message(pointer: str, message: str) -> str:
    return f"{pointer or 'the body'} ({message})"


def _error(sdk: Sdk, name: str, reply: Any, expected: Reading | None) -> Answer:
    status, body, headers = (reply.get(key) for key in ("status", "body", "headers"))
    if not isinstance(status, int) or not 100 <= status <= 999:
        return False, [f"no client ever gets the status {status!r}"]
    raised, again = _client_error(sdk, body, status, headers if isinstance(headers, dict) else {})
    if raised is None:
        return False, ["raised nothing, and takes the error for a reply"]
    says = [f"raised {words(raised)}", "tries again" if again else "does not try again"]
    failure = (expected or formats.read(name, "error", reply)).failure
    if failure is None:
        return True, says
    silent = _lacks(sdk.error_message(raised), failure.message)
    if silent:
        says.append(_SILENT)
    other = _instead(sdk, body, failure.status, type(raised), again=again) if failure.status != status else []
    return not silent and not other, [*says, *other]


def _lacks(sdk_message: Any, message: str | None) -> bool:
    return message is not None and (not isinstance(sdk_message, str) or message not in sdk_message)


def _instead(sdk: Sdk, body: Any, status: int | None, raised: type, *, again: bool) -> list[str]:
    """What the client does otherwise after the status that the upstream's error had."""
    error, tries = (None, again) if status is None else _client_error(sdk, body, status, {})
    if error is None or (tries == again and (status not in _CAUGHT or type(error) is raised)):
        return []
    way = "tries again" if tries else "does not try again"
    return [f"after the upstream's own status {status} it raises {type(error).__name__} and {way}"]


def _client_error(sdk: Sdk, body: Any, status: int, headers: dict[str, Any]) -> tuple[Exception | None, bool]:
    """What the client raises for an error, and whether it asked again before."""
    sdk.wire.lay(body, status, headers)
    try:
        sdk.insist()
    except Exception as error:
        return error, sdk.wire.asked > 1
    return None, False


def words(error: Exception) -> str:
    """An exception in one line: its class, and the beginning of what it says."""
    text = " ".join(str(error).split())
    if isinstance(error, MistypedError):
        return text
    if callable(errors := getattr(error, "errors", None)):  # pydantic's own
        first = errors()[0]
        text = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    if len(text) > _WORDS:
        text = text[:_WORDS] + " …"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
