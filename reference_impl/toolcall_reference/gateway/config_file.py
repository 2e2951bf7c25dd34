"""Reading of a gateway's configuration. Every mistake is a ConfigError: what is wrong, where, and what to do."""

from __future__ import annotations

import difflib
import ipaddress
import os
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from toolcall_reference import formats
from toolcall_reference.formats import Format
from toolcall_reference.gateway.addresses import normalize_base_url
from toolcall_reference.gateway.config import Config, ConfigError, Upstream

LISTEN = "127.0.0.1:8080"
_KEY_TYPES = {
    "listen": str,
    "client_key_env": str,
    "memory_mb": (int, float),
    "body_mb": (int, float),
    "reply_mb": (int, float),
    "default": str,
    "upstream": dict,
}
_UPSTREAM_KEY_TYPES = {
    "format": str,
    "url": str,
    "key_env": str,
    "forward_client_key": bool,
    "models": dict,
    "headers": dict,
    "timeout": (int, float),
}


def load_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file. Raises ConfigError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path} is not there; write it, or name the upstreams with --upstream") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start}), as TOML must be") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None


def read_config(document: Mapping[str, Any], where: str, environment: Mapping[str, str] | None = None) -> Config:
    """The configuration of ``document``; ``where`` begins the message of a mistake. Raises ConfigError."""
    environment = os.environ if environment is None else environment
    _check_keys(where, document, _KEY_TYPES)
    tables = document.get("upstream", {})
    if not tables:
        raise ConfigError(f"{where}: no upstream; add [upstream.FORMAT], FORMAT one of {', '.join(formats.names())}")
    upstreams = {
        name: _read_upstream(f"{where}: [upstream.{name}]", name, table, environment) for name, table in tables.items()
    }
    default = document.get("default")
    if default is not None and default not in upstreams:
        raise ConfigError(f"{where}: default names {default!r}{_suggestion(default, upstreams)}, which is no upstream")
    host, port = _parse_address(f"{where}: listen", document.get("listen", LISTEN))
    key = _read_key(f"{where}: client_key_env", document.get("client_key_env"), environment)
    if key is None and not _is_loopback(host):
        raise ConfigError(
            f"{where}: {host} is not loopback, and anybody who reaches it would use your keys; listen on 127.0.0.1, or "
            "write client_key_env, the environment variable that holds the key which clients must present"
        )
    return Config(
        upstreams,
        host,
        port,
        key,
        memory_bytes=round(document.get("memory_mb", 64) * 1_000_000),
        body_bytes=round(document.get("body_mb", 64) * 1_000_000),
        reply_bytes=round(document.get("reply_mb", 64) * 1_000_000),
        default_upstream=default,
    )


def _read_upstream(where: str, upstream_name: str, table: Any, environment: Mapping[str, str]) -> Upstream:
    """Read and check the table of one upstream."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table, not {table!r}")
    _check_keys(where, table, _UPSTREAM_KEY_TYPES)
    if "/" in upstream_name:
        raise ConfigError(f"{where}: the name must have no slash: clients write it in front of a model, NAME/MODEL")
    kind = table.get("format", upstream_name)
    if kind not in formats.names():
        advice = "" if "format" in table else ", or write `format` into the table"
        names = ", ".join(formats.names())
        raise ConfigError(
            f"{where}: {kind!r} is no format{_suggestion(kind, formats.names())}; write one of {names}{advice}"
        )
    wire_format = formats.get(kind)
    url = _check_url(where, table.get("url", wire_format.http.base_url))
    forwards = table.get("forward_client_key", False)
    if forwards and "key_env" in table:
        raise ConfigError(f"{where}: key_env and forward_client_key exclude each other: which key is to be sent?")
    key_from = table.get("key_env")
    if key_from is None and not forwards and _is_own_server(url, wire_format):
        # The key of the SDK's environment variable is sent to the API's own server only.
        key_from = next((variable for variable in wire_format.http.key_variables if environment.get(variable)), None)
    return Upstream(
        upstream_name,
        wire_format,
        normalize_base_url(wire_format, url),
        _read_key(f"{where}: key_env", key_from, environment),
        key_from,
        forwards,
        _check_texts(f"{where}: models", table.get("models", {})),
        {header.lower(): text for header, text in _check_texts(f"{where}: headers", table.get("headers", {})).items()},
        _check_timeout(where, table.get("timeout", 600)),
        _find_proxy(url),
    )


def _check_keys(where: str, table: Mapping[str, Any], keys: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if key not in keys:
            raise ConfigError(f"{where}: no key {key!r}{_suggestion(key, keys)}; there are {', '.join(keys)}")
        if not isinstance(value, keys[key]) or (isinstance(value, bool) and keys[key] is not bool):
            raise ConfigError(f"{where}: {key} must be {_TYPE_TEXTS[keys[key]]}, not {value!r}")


_TYPE_TEXTS: dict[Any, str] = {str: "a text", bool: "true or false", dict: "a table", (int, float): "a number"}


def _check_texts(where: str, table: Mapping[str, Any]) -> dict[str, str]:
    for key, value in table.items():
        if not isinstance(value, str) or not value or not (key + value).isprintable():
            raise ConfigError(f"{where}: {key} must be a text on one line, not {value!r}")
    return dict(table)


def _check_timeout(where: str, seconds: float) -> float:
    if not seconds > 0:
        raise ConfigError(f"{where}: timeout must be more than 0 seconds, not {seconds}")
    return float(seconds)


def _check_url(where: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise ConfigError(f"{where}: url {url!r} is no base URL; write http://HOST or https://HOST/PATH")
    return url


def _find_proxy(url: str) -> str | None:
    """The proxy of a URL from the environment, as the SDKs do; None for loopback.

    Looked up here once: aiohttp would do it for each request, and also read keys from ``.netrc``.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    return None if _is_loopback(host) or proxy_bypass(host) else getproxies().get(parts.scheme)


def _parse_address(where: str, text: str) -> tuple[str, int]:
    """Host and port of ``HOST:PORT``, ``[HOST]:PORT`` or ``PORT``."""
    host, colon, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or int(port) > 65535 or (colon and not host):
        raise ConfigError(f"{where}: {text!r} is no address; write HOST:PORT, as {LISTEN}; port 0 takes a free one")
    return host.removeprefix("[").removesuffix("]") or LISTEN.partition(":")[0], int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_own_server(url: str, wire_format: Format) -> bool:
    return urlsplit(url)[:2] == urlsplit(wire_format.http.base_url)[:2]


def _read_key(where: str, variable: str | None, environment: Mapping[str, str]) -> str | None:
    if variable is None:
        return None
    value = environment.get(variable)
    if not value:
        raise ConfigError(f"{where}: the environment variable {variable} is not set; set it to the key")
    if not value.isprintable() or not value.isascii():
        raise ConfigError(f"{where}: the environment variable {variable} holds characters that no key has")
    return value


def _suggestion(wrong: str, names: Collection[str]) -> str:
    close = difflib.get_close_matches(wrong, names, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
