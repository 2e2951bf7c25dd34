"""Faults in how a request is sent, and habits that look like them: what no body shows."""

from __future__ import annotations

import contextlib
import urllib.error
import urllib.request

from doubles.loop import ANTHROPIC, CHAT, GEMINI, broken, harmless
from doubles.sending_sessions import ADDRESSES, CLIENT_KEY, OWN_KEY, SendingSession

CASE = "shell/seed"


@broken(rule="translation/upstream-address", case=CASE, client=CHAT, upstream=ANTHROPIC, check="request")
class AsksWhereItsClientAsks(SendingSession):
    """Asks the provider at the path at which its own client asks."""

    @property
    def path(self) -> str:
        return ADDRESSES.request_path(self.route.client, self.route.client_model)


@harmless(case=CASE, client=CHAT, upstream=ANTHROPIC, beside="translation/upstream-address")
class AsksForTheModelsFirst(SendingSession):
    """Asks for the list of models first, and has a query behind the right path."""

    def before_sending(self, upstream: str) -> None:
        with contextlib.suppress(urllib.error.HTTPError):
            urllib.request.urlopen(f"{upstream}/v1/models", timeout=10.0)

    @property
    def path(self) -> str:
        return f"{super().path}?beta=true"


@broken(rule="translation/upstream-headers", case=CASE, client=CHAT, upstream=ANTHROPIC, check="request")
class SendsNoVersion(SendingSession):
    """Sends the key, and not the version of the API."""

    @property
    def headers(self) -> dict[str, str]:
        return {name: text for name, text in super().headers.items() if "version" not in name}


@harmless(case=CASE, client=CHAT, upstream=GEMINI, beside="translation/upstream-headers")
class SendsItsKeyInTheQuery(SendingSession):
    """Sends its key in the query and not in a header, which this provider takes as well."""

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Type": "application/json", "X-Request-Id": "7f3a"}

    @property
    def path(self) -> str:
        return f"{super().path}?key={OWN_KEY}"


@broken(rule="translation/client-key-kept", case=CASE, client=CHAT, upstream=ANTHROPIC, check="request")
class SendsTheClientsKey(SendingSession):
    """Sends the provider the key that the client showed."""

    @property
    def headers(self) -> dict[str, str]:
        return ADDRESSES.request_headers(self.route.upstream, CLIENT_KEY)


@harmless(case=CASE, client=CHAT, upstream=ANTHROPIC, beside="translation/client-key-kept")
class HasAKeyThatBeginsAlike(SendingSession):
    """Its own key is that of the client but for the last character."""

    @property
    def headers(self) -> dict[str, str]:
        return ADDRESSES.request_headers(self.route.upstream, CLIENT_KEY[:-1])
