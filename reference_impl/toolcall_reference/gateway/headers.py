"""Headers: the client's key, and the headers that are forwarded.

A client's key is not forwarded unless the configuration says so. Other headers are forwarded only if the other side
understands them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from toolcall_reference import formats
from toolcall_reference.conversation.failures import Headers
from toolcall_reference.formats import Format

RETRY = ("retry-after", "retry-after-ms", "x-should-retry")
"""The headers that the SDKs read before a retry."""


def find_client_key(headers: Mapping[str, str], query: Mapping[str, str]) -> str | None:
    """The key that a client presents in the way of any format; header names are in lower case."""
    for http in (formats.get(name).http for name in formats.names()):
        before, _, suffix = http.key_form.partition("{key}")
        value = headers.get(http.key_header, "")
        if value.lower().startswith(before.lower()) and len(value) > len(before) + len(suffix):
            return value[len(before) :]
        if http.key_query is not None and query.get(http.key_query):
            return query[http.key_query]
    return None


def memory_owner(key: str | None) -> str:
    """The owner of a client's memory: a hash of its key, which is not stored itself."""
    return "" if key is None else hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()


def request_headers(
    client: Format, upstream: Format, client_headers: Mapping[str, str], key: str | None, *, is_client_key: bool
) -> Headers:
    """The headers of the request to a provider. ``is_client_key``: ``key`` is the client's, not the gateway's."""
    http = upstream.http
    headers = {"content-type": "application/json", **http.headers}
    if client is upstream:
        headers |= _select_by_prefix(client_headers, http.passed_headers)
    if is_client_key:
        headers |= _select_by_prefix(client_headers, http.key_owner_headers)
    if key is not None:
        headers[http.key_header] = http.key_form.replace("{key}", key)
    return headers


def reply_headers(client: Format, upstream: Format, upstream_headers: Mapping[str, str]) -> Headers:
    """The provider's headers that a client needs: retry, rate limits, and the request id."""
    headers = _select_by_prefix(upstream_headers, RETRY)
    if client.http.limit_headers == upstream.http.limit_headers:
        headers |= _select_by_prefix(upstream_headers, client.http.limit_headers)
    named, name = upstream.http.request_id_header, client.http.request_id_header
    if named is not None and name is not None and named in upstream_headers:
        headers[name] = upstream_headers[named]
    return headers


def _select_by_prefix(headers: Mapping[str, str], starts: Iterable[str]) -> Headers:
    return {name: text for name, text in headers.items() if name.startswith(tuple(starts))}
