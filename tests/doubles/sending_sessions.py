"""Sessions that send what they made: for doubles of what only HTTP shows, the address, the headers and the key."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ClassVar

from doubles.loop import DoubledSession
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.drivers.answers import ExchangeOutcome
from toolcall_conformance.drivers.base import Driver, Opened, OpenOutcome
from toolcall_conformance.drivers.habits import KnownBuffering, KnownQueueing
from toolcall_conformance.drivers.library.exchanges import ExchangeSession, ExchangeTraits
from toolcall_conformance.drivers.library.fused import read_answer, read_exception
from toolcall_conformance.drivers.upstream import Addresses, ScriptedUpstream, UpstreamConversation
from toolcall_conformance.library import load_corpus

ADDRESSES = Addresses(load_corpus().transports)
CLIENT_KEY = "sk-client-7f3a91c2d4"
"""What a client shows to the gateway."""
OWN_KEY = "sk-gateway-51b0e8"
SECONDS = 10.0


class SendingSession(DoubledSession):
    """Translates, sends and translates back. ``path`` and ``headers`` say how it sends."""

    in_no_body: ClassVar[bool] = True

    @classmethod
    def driver(cls, translator: Any, name: str) -> Driver:
        return _Sending(translator, name)

    @property
    def path(self) -> str:
        """Where the provider is asked."""
        return ADDRESSES.request_path(self.route.upstream, self.route.upstream_model)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the provider receives."""
        return ADDRESSES.request_headers(self.route.upstream, OWN_KEY)

    def before_sending(self, upstream: str) -> None:
        """What is asked of the provider first."""

    def exchange(self, body: dict[str, Any], upstream: str) -> Any:
        """The client's reply, or the status and the body of an error."""
        self.before_sending(upstream)
        sent = json.dumps(self.request(body)).encode()
        request = urllib.request.Request(upstream + self.path, sent, self.headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                return self.response(json.load(reply))
        except urllib.error.HTTPError as error:
            with error:
                return self.inner.error(error.code, json.load(error), {})[:2]


class _Sending:
    """Plays sending sessions against a scripted upstream, as a gateway is played: with a key of the client's."""

    carries = frozenset({"request", "response", "error"})

    def __init__(self, translator: Any, name: str) -> None:
        self.translator, self.name, self.spec, self.version = translator, name, name, None
        self._upstream = ScriptedUpstream(ADDRESSES)
        self._upstream.start()
        self._threads = ThreadPoolExecutor()

    def begin_item(self, case: str, /) -> None:
        """Do nothing."""

    def end_item(self) -> None:
        self._upstream.close_conversations()

    def close(self) -> None:
        self._upstream.stop()
        self._threads.shutdown(wait=False)

    def open(self, route: Route, /) -> OpenOutcome:
        session = self.translator.open(route)

        def send(body: dict[str, Any], conversation: UpstreamConversation) -> Future[ExchangeOutcome]:
            return self._threads.submit(_exchange_outcome, session, body, conversation.url)

        traits, buffering = ExchangeTraits(secret=CLIENT_KEY), KnownBuffering()
        return Opened(
            ExchangeSession(
                route,
                self._upstream,
                send,
                timeout=SECONDS,
                traits=traits,
                buffering=buffering,
                queueing=KnownQueueing(),
            )
        )


def _exchange_outcome(session: SendingSession, body: dict[str, Any], upstream: str) -> ExchangeOutcome:
    try:
        return read_answer(session.exchange(body, upstream))
    except Exception as error:
        return read_exception(error)
