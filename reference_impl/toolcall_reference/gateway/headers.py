"""Headers on their way: who presents which key, and what of the rest goes on.

A client's key stays here unless the configuration hands it on. Of all other headers only those go on that the other
side understands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from toolcall_reference import formats
from toolcall_reference.conversation.failures import Headers
from toolcall_reference.formats import Format

RETRY = ("retry-after", "retry-after-ms", "x-should-retry")
"""What the SDKs read before they ask again."""


def client_key(headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """The key that a client presents, in whichever way of all formats; names of headers are in lower case."""
    for http in (formats.get(name).http for name in formats.names()):
        before, _, suffix = http.key_form.partition("{key}")
        value = headers.get(http.key_header, "")
        if value.lower().startswith(before.lower()) and len(value) > len(before) + len(suffix):
            return value[len(before) :]
        if http.key_query is not None and query.get(http.key_query):
            return query[http.key_query]
    return None


def owner_of(key: str | None) -> str:
    """Whose memory a client with this key has; the key itself is not kept."""
    return "" if key is None else hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def request_headers(
    client: Format, upstream: Format, client_headers: Mapping[str, str], key: str | None, *, own: bool
) -> Headers:
    """The headers of the request to a provider. ``own``: ``key`` is the client's own, and not the gateway's."""
    http = upstream.http
    headers = {"content-type": "application/json", **http.headers}
    if client is upstream:
        headers |= _beginning(client_headers, http.passed_headers)
    if own:
        headers |= _beginning(client_headers, http.key_owner_headers)
    if key is not None:
        headers[http.key_header] = http.key_form.replace("{key}", key)
    return headers


def reply_headers(client: Format, upstream: Format, upstream_headers: Mapping[str, str]) -> Headers:
    """What of a provider's headers concerns the client, beside those that its error is translated with."""
    headers = _beginning(upstream_headers, RETRY)
    if client.http.limit_headers == upstream.http.limit_headers:
        headers |= _beginning(upstream_headers, client.http.limit_headers)
    named, name = upstream.http.request_id_header, client.http.request_id_header
    if named is not None and name is not None and named in upstream_headers:
        headers[name] = upstream_headers[named]
    return headers


def _beginning(headers: Mapping[str, str], starts: Iterable[str]) -> Headers:
    return {name: text for name, text in headers.items() if name.startswith(tuple(starts))}
