"""The driver for HTTP gateways: the runner is their client, and a scripted upstream behind them."""

from __future__ import annotations

import asyncio
import json
import secrets
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.base import OPERATIONS
from toolcall_conformance.drivers.exchanges import Answered, Came, ExchangeSession, Habits, NoJSON
from toolcall_conformance.drivers.gateway_config import filled, load
from toolcall_conformance.drivers.gateway_process import GatewayProcess
from toolcall_conformance.drivers.jsonout import OUTPUT_LIMIT
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Opened,
    OpenOutcome,
    ProtocolError,
    TranslatorError,
    UnsupportedOutcome,
)
from toolcall_conformance.jsonvalue import JSONError, parse
from toolcall_conformance.upstream import Addresses, Conversation, ScriptedUpstream

if TYPE_CHECKING:
    from collections.abc import Mapping

    import aiohttp


class GatewayDriver:
    """A gateway as ``gateway:FILE.toml`` describes it. Raises SpecError and MissingLibraryError when it is made.

    ``seconds`` limits each half of an exchange. Bodies are carried as HTTP carries them; that a translator changed its
    input, or declared a loss, cannot be seen through a gateway.
    """

    prefix = "gateway:"
    carries = frozenset(OPERATIONS) - {"stream"}

    def __init__(
        self, spec: str, path: Path, transports: Mapping[str, Mapping[str, Any]], *, seconds: float = 10.0
    ) -> None:
        self.spec = spec
        self._config = load(path, transports)
        self.name: str = self._config.name
        self.version: str | None = self._config.version
        self._seconds = seconds
        self._addresses = Addresses(transports)
        self._key = f"client-key-{secrets.token_hex(12)}"
        self._case = ""
        self._client: aiohttp.ClientSession | None = None
        self._upstream = ScriptedUpstream(self._addresses, port=self._config.upstream_port)
        self._upstream.start()
        self._process = GatewayProcess(self._config, self._upstream.url)
        try:
            self._process.start()
        except BaseException:
            self.close()
            raise

    def playing(self, case: str) -> None:
        """``{case}`` in a header, for who looks into the gateway's log."""
        self._case = case

    def open(self, route: Route) -> OpenOutcome:
        """Open a conversation; a gateway that died is started again first."""
        if route.client not in self._config.clients or route.upstream not in self._config.upstreams:
            return UnsupportedOutcome(
                f"{self._config.path.name} has no [client.{route.client}] to [upstream.{route.upstream}]"
            )
        if str(route) in self._config.excluded:
            return UnsupportedOutcome(f"{self._config.path.name}: `not` names {route}")
        trouble = self._process.revive()
        if trouble is not None:
            return Crashed(TranslatorError(f"failed: {trouble}"), self._process.tail)

        def send(body: dict[str, Any], conversation: Conversation) -> Future[Came]:
            return self._upstream.run(self._exchange(route, body, conversation))

        habits = Habits(
            own_history=self._config.own_history, secret=None if self._config.forwards_client_key else self._key
        )
        return Opened(
            ExchangeSession(
                route,
                self._upstream,
                send,
                seconds=self._seconds,
                habits=habits,
                late=self._process.check,
                tail=lambda: self._process.tail,
                who="the gateway",
            )
        )

    def rest(self) -> None:
        self._upstream.forget()

    def close(self) -> None:
        if self._client is not None:
            self._upstream.run(self._client.close()).result()
            self._client = None
        self._process.stop()
        self._upstream.stop()

    async def _exchange(self, route: Route, body: dict[str, Any], conversation: Conversation) -> Came:
        """One POST by the client, and what came of it."""
        import aiohttp
        from yarl import URL  # aiohttp's own: it must not spell %2F anew

        if self._client is None:
            # A connection each: a kept one may be closed by the gateway at the very moment of the next request.
            self._client = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True), timeout=aiohttp.ClientTimeout(total=None)
            )
        url, headers, body = self._asked(route, body, conversation)
        try:
            async with self._client.post(
                URL(url, encoded=True), data=_written(body), headers=headers, allow_redirects=False
            ) as reply:
                content = bytearray()
                async for piece in reply.content.iter_any():
                    content += piece
                    if len(content) > OUTPUT_LIMIT:
                        return BadOutput(
                            f"the gateway answered more than {OUTPUT_LIMIT:,} bytes", words=self._process.tail
                        )
                return self._answered(reply, bytes(content))
        except asyncio.CancelledError:
            raise
        except (aiohttp.ClientError, OSError) as error:
            death = await asyncio.to_thread(self._process.death)
            if death is not None:
                return Crashed(TranslatorError(f"failed: the gateway {death}"), self._process.tail)
            if isinstance(error, aiohttp.ClientConnectorError):
                said = f"the gateway cannot be reached at {self._process.url}"
            else:
                said = "the gateway broke off, or what it answered is no HTTP"
            return ProtocolError(f"{said} ({type(error).__name__}: {_one_line(error)})", self._process.tail)

    def _asked(
        self, route: Route, body: dict[str, Any], conversation: Conversation
    ) -> tuple[str, dict[str, str], dict[str, Any]]:
        """Address, headers and body of a client's request."""
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
        model = filled(upstream.model, values)
        path = self._addresses.path(route.client, model)
        if client.path is not None:
            path = filled(client.path, {**values, "model": model})
        headers = self._addresses.headers(route.client, self._key)
        headers |= {name.lower(): filled(text, values) for name, text in {**client.headers, **upstream.headers}.items()}
        if "model" in body:  # where the URL names the model, the body does not
            body = {**body, "model": model}
        return f"{self._process.url}{path}", {name: text for name, text in headers.items() if text}, body

    def _answered(self, reply: aiohttp.ClientResponse, content: bytes) -> Came:
        headers = {name.lower(): text for name, text in reply.headers.items()}
        if 300 <= reply.status < 400:
            told = f"the gateway answered {reply.status} and sends the client to {headers.get('location', 'nowhere')}"
            return ProtocolError(f"{told}; correct `path` of the format's [client] table", self._process.tail)
        try:
            body = parse(content)
        except JSONError as error:
            words = content[:300].decode("utf-8", "replace").strip()
            kind = headers.get("content-type", "no content-type")
            said = f"the gateway answered {reply.status} with {kind}, which is no JSON ({error}): {words!r}"
            body = NoJSON(said, words)
        return Answered(reply.status, headers, body)


def _written(body: dict[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(body).encode()


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300]
