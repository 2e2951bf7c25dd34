"""Send requests to a real API, one at a time, at a limited rate; wait as long as it asks, up to a limit."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from toolcall_conformance import formats
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.recording.cassettes.recorder.budget import Budget, LimitError, limit_client
from toolcall_conformance.recording.cassettes.recorder.endpoint import Endpoint
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

_MAX_WAITS = 5
_STOP = (402, 404, 405)  # no money, no such model or address: the next request would fail, too
_RETRYABLE = (429, 503, 529)  # statuses with which a provider asks clients to wait
_TEXT = 300


class ApiError(Exception):
    """An exchange without a reply; the message says what happened. ``final``: further requests would fail, too."""

    def __init__(self, message: str, *, final: bool = False) -> None:
        super().__init__(message)
        self.final = final


@dataclass(frozen=True, slots=True)
class ApiReply:
    """A provider's answer with a status below 300; header names are in lower case."""

    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """Any answer, with its body as it is without its packing."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Limits:
    """``rate``: requests a minute. ``max_requests``: their greatest number, None for no limit.

    ``max_wait``: the longest wait in seconds that a provider may ask for. ``timeout``: seconds for one request and its
    whole reply; ``max_bytes``: those of that reply, its headers included.
    """

    rate: float = 20.0
    max_requests: int | None = None
    max_wait: float = 60.0
    timeout: float = 300.0
    max_bytes: int = 64 * 2**20


class Api:
    """A client of the API; a context manager, which closes its connections.

    ``notify`` receives a sentence whenever the client waits.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, redactor: Redactor, notify: Callable[[str], None]) -> None:
        import httpx2

        self._httpx = httpx2
        self.endpoint = endpoint
        self._limits = limits
        self.redactor = redactor
        self._notify = notify
        self.sent = 0
        self._last: float | None = None
        version = {"user-agent": "toolcall-conformance", "accept-encoding": "identity"}
        self.budget = Budget(limits.timeout, limits.max_bytes)
        # A proxy is for what is elsewhere: it would get the key, and could not reach what listens here.
        self._client = httpx2.Client(
            headers={**version, **endpoint.headers},
            timeout=limits.timeout,
            follow_redirects=False,
            trust_env=not endpoint.is_loopback,
        )
        limit_client(self._client, self.budget)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._client.close()

    def send(self, body: Any, *, streamed: bool) -> ApiReply:
        """Send a request and return the whole answer, all events of a stream included. Raises ApiError."""
        for _ in range(_MAX_WAITS):
            answer = self._post(body, streamed)
            if answer.status_code < 300:
                return ApiReply(answer.headers, answer.content)
            wait = self._wait(answer)
            if answer.status_code not in _RETRYABLE or wait is None or wait > self._limits.max_wait:
                raise self._refusal(answer, wait)
            self._notify(f"HTTP {answer.status_code} from {self.endpoint.host}: waiting {wait:g} s, as it asks")
            time.sleep(wait)
        raise ApiError(f"{self.endpoint.host} asked {_MAX_WAITS} times to wait; try again later", final=True)

    def _post(self, body: Any, streamed: bool) -> Answer:
        if self._limits.max_requests is not None and self.sent >= self._limits.max_requests:
            raise ApiError(f"--max-requests {self._limits.max_requests} is used up", final=True)
        now = time.monotonic()
        if self._last is not None:
            time.sleep(max(0.0, self._last + 60 / self._limits.rate - now))
        self._last = time.monotonic()
        self.sent += 1
        httpx, host = self._httpx, self.endpoint.host
        self.budget.begin()
        try:
            return self._answer(self.endpoint.stream_url if streamed else self.endpoint.url, body)
        except LimitError as error:
            raise ApiError(f"{host} {error}") from None
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            why = str(error) or "no connection in time"
            raise ApiError(
                f"{host} cannot be reached ({why}); check the network and the base URL", final=True
            ) from None
        except httpx.TimeoutException:
            raise ApiError(f"{host} {self.budget.too_late()}") from None
        except httpx.TransportError as error:
            raise ApiError(f"{host} closed the connection in the middle of the reply ({error})") from None
        except httpx.HTTPError as error:
            raise ApiError(f"{host}: the reply cannot be read ({error})") from None

    def _answer(self, url: str, body: Any) -> Answer:
        """Send a request. Raises LimitError, and what httpx2 raises."""
        with self._client.stream("POST", url, content=_encode(body)) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            # Not `content`: httpx2 unpacks without a limit.
            packed = b"".join(response.iter_raw())
        return Answer(response.status_code, headers, self.budget.unpack(packed, headers.get("content-encoding", "")))

    def _refusal(self, answer: Answer, wait: float | None) -> ApiError:
        status = answer.status_code
        failure = self._read_failure(answer)
        text = failure.message if failure is not None and failure.message else answer.text
        text = " ".join(self.redactor.text(text).split()) or "no text"
        message = f"HTTP {status} from {self.endpoint.host}: {text[:_TEXT]}"
        final = status in _STOP
        unauthorized = status in (401, 403) or (failure is not None and failure.kind == "unauthorized")
        if unauthorized:
            message += f"; is the key in {self.endpoint.variable} right, and allowed to do this?"
            final = True
        elif status == 404:
            message += "; are the model and the base URL right? Write the base URL as for the official SDK"
        elif status == 429 or (status in _RETRYABLE and wait is not None):
            hint = f"it asks to wait {wait:g} s" if wait is not None else "it gives no waiting time"
            message += (
                f" ({hint}, --max-wait allows {self._limits.max_wait:g} s); "
                "try again later, perhaps with a lower --rate"
            )
            final = True
        elif status == 400 and any(word in text.lower() for word in ("tool", "function")):
            message += "; if the model does not support tools, record another --model"
        elif 300 <= status < 400:
            message = f"HTTP {status} from {self.endpoint.host}: it redirects elsewhere; give the right --base-url"
            final = True
        return ApiError(message, final=final)

    def _read_failure(self, answer: Answer) -> Any:
        """What an error's body says, as the format's reader has it; None if it is not JSON."""
        try:
            body = jsonvalue.parse(answer.content)
        except jsonvalue.JSONError:
            return None
        reply = {"status": answer.status_code, "headers": dict(answer.headers), "body": body}
        return formats.read(self.endpoint.format, "error", reply).failure

    def _wait(self, answer: Answer) -> float | None:
        """The seconds that the provider asks to wait, None if it does not say."""
        header = answer.headers.get("retry-after", "")
        if "GMT" in header:
            try:
                until = email.utils.parsedate_to_datetime(header)
            except (ValueError, TypeError, OverflowError):
                return None
            until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)  # text after the date hides GMT
            return max(0.0, (until - datetime.now(UTC)).total_seconds())
        failure = self._read_failure(answer)
        if failure is not None:
            return None if failure.wait.seconds is None else float(failure.wait.seconds)
        try:
            return max(0.0, float(header))
        except ValueError:
            return None


def _encode(body: Any) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # a lone surrogate, which must be escaped
        return json.dumps(body, separators=(",", ":")).encode()
