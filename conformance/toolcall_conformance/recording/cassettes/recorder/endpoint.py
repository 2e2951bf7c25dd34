"""The address and key of a format's API, from the environment variables that its official SDK reads."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit


class NoEndpointError(Exception):
    """The API cannot be called: the key is missing or the address is wrong. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An API: ``url`` for unary replies, ``stream_url`` for streams, ``headers`` with the key.

    ``stream_body`` has the additional keys of a request for a stream; ``variable`` is where the key came from.
    ``secrets`` are values that must not be in a cassette.
    """

    format: str
    url: str
    stream_url: str
    stream_body: Mapping[str, Any]
    headers: Mapping[str, str] = field(repr=False)
    variable: str
    secrets: frozenset[str] = field(repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def is_unencrypted(self) -> bool:
        """Whether the key would cross a network as plain text."""
        return urlsplit(self.url).scheme != "https" and not self.is_loopback

    @property
    def is_loopback(self) -> bool:
        """Whether the API is on this machine."""
        host = urlsplit(self.url).hostname or ""
        try:
            return host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def endpoint(
    name: str,
    transports: Mapping[str, Mapping[str, Any]],
    environment: Mapping[str, str],
    model: str,
    base_url: str | None = None,
) -> Endpoint:
    """The endpoint of a format by ``transport.json``. Raises NoEndpointError."""
    transport = transports[name]
    sdk = transport["sdk"]
    base = base_url or environment.get(sdk["base_url_variable"]) or sdk["base_url"]
    said_by = "--base-url" if base_url else sdk["base_url_variable"]
    parts = _split(base)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise NoEndpointError(f"{said_by}: {base!r} is not a base URL; give one such as {sdk['base_url']}")
    if parts.username or parts.password:
        raise NoEndpointError(
            f"{said_by}: the URL must not hold user and password; the key is read from the environment"
        )
    if not _is_text(model):
        raise NoEndpointError(f"--model: {model!a} is not UTF-8 text; write the model's name in the API")
    key, variable, in_place = _key(sdk, environment)
    headers = {header: text for header, text in transport["headers"].items() if not (in_place and "{key}" in text)}
    headers = {header: text.replace("{key}", key) for header, text in {**headers, **in_place}.items()}
    further = {header: environment.get(source) for header, source in sdk.get("headers", {}).items()}
    headers |= {header: value for header, value in further.items() if value}
    path = transport["stream"].get("path", transport["path"])
    # A base URL includes the beginning of the path, as the SDK's own base URL does.
    covered = urlsplit(sdk["base_url"]).path
    return Endpoint(
        format=name,
        url=base.rstrip("/") + _path(transport["path"], covered, model),
        stream_url=base.rstrip("/") + _path(path, covered, model),
        stream_body=transport["stream"]["body"],
        headers=headers,
        variable=variable,
        secrets=frozenset(value for value in (*further.values(), *keys(transports, environment)) if value),
    )


def _split(base: str) -> SplitResult | None:
    """The parts of a URL; None where it is none."""
    try:
        parts = urlsplit(base)
        parts.port  # noqa: B018 - raises ValueError for a number that no port has
    except ValueError:
        return None
    return parts if _is_text(base) else None


def _is_text(text: str) -> bool:
    """Whether a word of the command line has no bytes that were not UTF-8, which Python keeps as surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _key(sdk: Mapping[str, Any], environment: Mapping[str, str]) -> tuple[str, str, Mapping[str, str]]:
    variables = [entry["variable"] for entry in sdk["keys"]]
    for entry in sdk["keys"]:
        key = environment.get(entry["variable"], "").strip()
        if not key:
            continue
        if not key.isascii() or not key.isprintable():
            raise NoEndpointError(f"{entry['variable']} holds characters that no header can carry; copy the key again")
        return key, entry["variable"], entry.get("headers", {})
    raise NoEndpointError(f"no API key: set {' or '.join(variables)} (any text, if the server takes any key)")


def keys(transports: Mapping[str, Mapping[str, Any]], environment: Mapping[str, str]) -> list[str]:
    """All keys of providers in the environment, also those of other formats; empty texts for those that are not set."""
    return [
        environment.get(entry["variable"], "").strip()
        for transport in transports.values()
        for entry in transport["sdk"]["keys"]
    ]


def _path(template: str, covered: str, model: str) -> str:
    return template.removeprefix(covered).replace("{model}", quote(model, safe=""))
