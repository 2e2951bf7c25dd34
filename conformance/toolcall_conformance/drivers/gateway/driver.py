"""The driver for HTTP gateways: it is their client, and a scripted upstream is their provider."""

from __future__ import annotations

import asyncio
import json
import secrets
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import JSONError, parse
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.drivers.answers import ExchangeOutcome, NoJSON, StreamAnswer, WholeAnswer
from toolcall_conformance.drivers.base import OPERATIONS, Opened, OpenOutcome
from toolcall_conformance.drivers.gateway.config import fill_template, load_config
from toolcall_conformance.drivers.gateway.process import GatewayProcess
from toolcall_conformance.drivers.habits import KnownBuffering, KnownQueueing
from toolcall_conformance.drivers.library.exchanges import ExchangeSession, ExchangeTraits
from toolcall_conformance.drivers.outcomes import BadOutput, Crashed, ProtocolError, TranslatorError, UnsupportedOutcome
from toolcall_conformance.drivers.streams import OutputPiece, Streamed
from toolcall_conformance.drivers.upstream import Addresses, ReplyProgress, ScriptedUpstream, UpstreamConversation

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    import aiohttp

_POLL_SECONDS = 0.5


class GatewayDriver:
    """A gateway as ``gateway:FILE.toml`` describes it. Raises SpecError and MissingLibraryError when it is made.

    ``timeout`` limits each half of an exchange, in seconds; ``notify`` gets sentences on a slow start. Through a
    gateway nobody can see that a translator changed its input or declared a loss.
    """

    prefix = "gateway:"
    carries = frozenset(OPERATIONS)

    def __init__(
        self,
        spec: str,
        path: Path,
        transports: Mapping[str, Mapping[str, Any]],
        *,
        timeout: float = 10.0,
        notify: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        self.spec = spec
        self._config = load_config(path, transports)
        self.name: str = self._config.name
        self.version: str | None = self._config.version
        self._timeout = timeout
        self._addresses = Addresses(transports)
        self._key = f"client-key-{secrets.token_hex(12)}"
        self._case = ""
        self._buffering = KnownBuffering()
        self._queueing = KnownQueueing()
        self._client: aiohttp.ClientSession | None = None
        self._upstream = ScriptedUpstream(self._addresses, port=self._config.upstream_port)
        self._upstream.start()
        self._process = GatewayProcess(self._config, self._upstream.url, notify)
        try:
            self._process.start()
        except BaseException:
            self.close()
            raise

    def begin_item(self, case: str) -> None:
        """Set ``{case}`` in the headers, for the gateway's log."""
        self._case = case

    def open(self, route: Route) -> OpenOutcome:
        """Open a conversation; a gateway that died is started again first."""
        if route.client not in self._config.clients or route.upstream not in self._config.upstreams:
            return UnsupportedOutcome(f"{self._config.path.name} does not declare its [client] and [upstream]")
        if str(route) in self._config.excluded:
            return UnsupportedOutcome(f"{self._config.path.name}: `not` names {route}")
        if route.stream and not self._has_stream_address(route.client):
            return UnsupportedOutcome(
                f"{self._config.path.name}: [client.{route.client}] has a path and no stream_path: streams of that API "
                "are asked for at another one"
            )
        trouble = self._process.restart_if_dead()
        if trouble is not None:
            return Crashed(TranslatorError(f"failed: {trouble}"), self._process.tail)

        received = _ReceivedBytes()

        def send(body: dict[str, Any], conversation: UpstreamConversation) -> Future[ExchangeOutcome]:
            received.count = 0
            return self._upstream.run(self._exchange(route, body, conversation, received))

        traits = ExchangeTraits(
            own_history=self._config.own_history,
            secret=None if self._config.forwards_client_key else self._key,
            if_missing=self._config.missing_route_hint(
                route, "stream_path" if self._has_own_stream_path(route) else "path"
            ),
        )
        return Opened(
            ExchangeSession(
                route,
                self._upstream,
                send,
                timeout=self._timeout,
                traits=traits,
                buffering=self._buffering,
                queueing=self._queueing,
                on_timeout=self._process.stop_if_hung,
                last_output=lambda: self._process.tail,
                byte_count=lambda: received.count,
                subject="the gateway",
                output_limit=self._config.max_bytes,
            )
        )

    def end_item(self) -> None:
        self._upstream.close_conversations()

    def close(self) -> None:
        if self._client is not None:
            self._upstream.run(self._client.close()).result()
            self._client = None
        self._process.stop()
        self._upstream.stop()

    async def _exchange(
        self, route: Route, body: dict[str, Any], conversation: UpstreamConversation, received: _ReceivedBytes
    ) -> ExchangeOutcome:
        """Send one POST and return its outcome; the session limits its time.

        No redirect is followed, and no proxy of the environment is used. A stream that breaks off keeps its pieces; any
        other answer is complete or missing.
        """
        import aiohttp
        from yarl import URL  # aiohttp's own: `encoded` keeps %2F as it is

        if self._client is None:
            # A connection for each request: the gateway may close a kept one just as the next request is sent.
            self._client = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True), timeout=aiohttp.ClientTimeout(total=None)
            )
        url, headers, body = self._client_request(route, body, conversation)
        try:
            async with self._client.post(
                URL(url, encoded=True), data=_encode_body(body), headers=headers, allow_redirects=False
            ) as reply:
                if route.stream and 200 <= reply.status < 300 and reply.content_type != "application/json":
                    return await self._read_stream(reply, conversation.progress, received)
                content = bytearray()
                async for piece in _read_pieces(reply):
                    content += piece
                    if received.add(piece) > self._config.max_bytes:
                        return self._too_large(received)
                return self._read_answer(reply, bytes(content))
        except asyncio.CancelledError:
            raise
        except (aiohttp.ClientError, OSError) as error:
            return await self._explain_break(error)

    async def _read_stream(
        self, reply: aiohttp.ClientResponse, progress: ReplyProgress, received: _ReceivedBytes
    ) -> ExchangeOutcome:
        """Read a stream until it ends or breaks off. Raises the client's error if it has no pieces."""
        import aiohttp

        pieces: list[OutputPiece] = []
        raised = None
        try:
            async for data in _read_pieces(reply):
                pieces.append(OutputPiece(data, *progress.mark_output()))
                if received.add(data) > self._config.max_bytes:
                    return self._too_large(received)
        except (aiohttp.ClientError, OSError) as error:
            if not pieces:
                raise
            broke = await self._explain_break(error)
            # Not a protocol error: breaking off is the only way to report that the upstream broke off.
            raised = (
                broke
                if isinstance(broke, Crashed)
                else Crashed(TranslatorError(f"failed: {broke.sentence}"), broke.last_output)
            )
        return StreamAnswer(reply.status, _lower_header_names(reply.headers), Streamed(tuple(pieces), raised))

    def _too_large(self, received: _ReceivedBytes) -> BadOutput:
        problem = (
            f"the gateway answered more than {self._config.max_bytes:,} bytes (`max_bytes` in {self._config.path.name})"
        )
        notice = f"The rest was not read: {pluralize(received.count, 'byte')} had arrived."
        return BadOutput(problem, last_output="\n".join(filter(None, (notice, self._process.tail))))

    async def _explain_break(self, error: Exception) -> Crashed | ProtocolError:
        """The outcome of an answer that broke off, with the reason."""
        import aiohttp

        death = await asyncio.to_thread(self._process.describe_death)
        if death is not None:
            return Crashed(TranslatorError(f"failed: the gateway {death}"), self._process.tail)
        if isinstance(error, aiohttp.ClientConnectorError):
            problem = f"the gateway cannot be reached at {self._process.url}"
        else:
            problem = "the gateway broke off, or its answer is not HTTP"
        return ProtocolError(f"{problem} ({type(error).__name__}: {_one_line(error)})", self._process.tail)

    def _has_stream_address(self, client: str) -> bool:
        """Whether the address of a client's streams is known."""
        end = self._config.clients[client]
        return end.path is None or end.stream_path is not None or not self._addresses.has_stream_path(client)

    def _has_own_stream_path(self, route: Route) -> bool:
        """Whether the route's streams have a path of their own."""
        has_path = self._config.clients[route.client].stream_path is not None
        return route.stream and (has_path or self._addresses.has_stream_path(route.client))

    def _client_request(
        self, route: Route, body: dict[str, Any], conversation: UpstreamConversation
    ) -> tuple[str, dict[str, str], dict[str, Any]]:
        """Return address, headers and body of a client's request."""
        client, upstream = self._config.clients[route.client], self._config.upstreams[route.upstream]
        values = {
            "client_key": self._key,
            "upstream_key": self._process.upstream_key,
            "upstream": conversation.url,
            "conversation": conversation.token,
            "case": self._case,
            "model": route.upstream_model,
            "client_model": route.client_model,
        }
        model = fill_template(upstream.model, values)
        path = self._addresses.request_path(route.client, model, stream=route.stream)
        template = (client.stream_path if route.stream else None) or client.path
        if template is not None:
            path = fill_template(template, {**values, "model": model})
        headers = self._addresses.request_headers(route.client, self._key)
        headers |= {
            name.lower(): fill_template(text, values) for name, text in {**client.headers, **upstream.headers}.items()
        }
        if "model" in body:  # where the URL names the model, the body does not
            body = {**body, "model": model}
        return f"{self._process.url}{path}", {name: text for name, text in headers.items() if text}, body

    def _read_answer(self, reply: aiohttp.ClientResponse, content: bytes) -> ExchangeOutcome:
        headers = _lower_header_names(reply.headers)
        if 300 <= reply.status < 400:
            problem = (
                f"the gateway answered {reply.status} and sends the client to {headers.get('location', 'nowhere')}"
            )
            return ProtocolError(f"{problem}; correct `path` of the format's [client] table", self._process.tail)
        try:
            body = parse(content)
        except JSONError as error:
            beginning = content[:1_000].decode("utf-8", "replace").strip()
            kind = headers.get("content-type", "no content-type")
            problem = f"the gateway answered {reply.status} with {kind}, which is not JSON ({error}): {beginning!r}"
            body = NoJSON(problem, beginning)
        return WholeAnswer(reply.status, headers, body, url=str(reply.url))


@dataclass(slots=True)
class _ReceivedBytes:
    """Counts the bytes of an answer, decompressed."""

    count: int = 0

    def add(self, piece: bytes) -> int:
        """Add a piece; returns the number of bytes so far."""
        self.count += len(piece)
        return self.count


async def _read_pieces(reply: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """Yield the body as it arrives. Raises ClientError if it breaks off.

    After bytes that are not HTTP aiohttp closes the connection, and the reader of the body gets no error.
    """
    import aiohttp

    while True:
        try:
            piece = await asyncio.wait_for(reply.content.readany(), _POLL_SECONDS)
        except TimeoutError:
            over = reply.connection
            if over is not None and (over.transport is None or over.transport.is_closing()):
                raise aiohttp.ClientPayloadError("the connection was closed in the middle of the body") from None
            continue
        if not piece:
            return
        yield piece


def _lower_header_names(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): text for name, text in headers.items()}


def _encode_body(body: dict[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(body).encode()


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
