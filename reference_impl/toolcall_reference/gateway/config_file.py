"""Reads a gateway's configuration. Every mistake is a ConfigError that says what is wrong, where, and what to do."""

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
from toolcall_reference.gateway.addresses import base_of
from toolcall_reference.gateway.config import Config, ConfigError, Upstream

LISTEN = "127.0.0.1:8080"
_KEYS = {
    "listen": str,
    "client_key_env": str,
    "memory_mb": (int, float),
    "body_mb": (int, float),
    "reply_mb": (int, float),
    "default": str,
    "upstream": dict,
}
_UPSTREAM_KEYS = {
    "format": str,
    "url": str,
    "key_env": str,
    "forward_client_key": bool,
    "models": dict,
    "headers": dict,
    "timeout": (int, float),
}


def load_toml(path: Path) -> dict[str, Any]:
    """What a TOML file says. Raises ConfigError."""
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
    """The configuration that ``document`` holds; ``where`` begins what is said of mistakes. Raises ConfigError."""
    environment = os.environ if environment is None else environment
    _check(where, document, _KEYS)
    tables = document.get("upstream", {})
    if not tables:
        raise ConfigError(f"{where}: no upstream; add [upstream.FORMAT], FORMAT one of {', '.join(formats.names())}")
    upstreams = {
        name: _upstream(f"{where}: [upstream.{name}]", name, table, environment) for name, table in tables.items()
    }
    default = document.get("default")
    if default is not None and default not in upstreams:
        raise ConfigError(f"{where}: default names {default!r}{_perhaps(default, upstreams)}, which is no upstream")
    host, port = _address(f"{where}: listen", document.get("listen", LISTEN))
    key = _from_environment(f"{where}: client_key_env", document.get("client_key_env"), environment)
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
        memory=round(document.get("memory_mb", 64) * 1_000_000),
        body=round(document.get("body_mb", 64) * 1_000_000),
        reply=round(document.get("reply_mb", 64) * 1_000_000),
        default=default,
    )


def _upstream(where: str, name: str, table: Any, environment: Mapping[str, str]) -> Upstream:
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table, not {table!r}")
    _check(where, table, _UPSTREAM_KEYS)
    if "/" in name:
        raise ConfigError(f"{where}: the name must have no slash: clients write it in front of a model, NAME/MODEL")
    kind = table.get("format", name)
    if kind not in formats.names():
        advice = "" if "format" in table else ", or write `format` into the table"
        names = ", ".join(formats.names())
        raise ConfigError(
            f"{where}: {kind!r} is no format{_perhaps(kind, formats.names())}; write one of {names}{advice}"
        )
    spoken = formats.get(kind)
    url = _url(where, table.get("url", spoken.http.base_url))
    forwards = table.get("forward_client_key", False)
    if forwards and "key_env" in table:
        raise ConfigError(f"{where}: key_env and forward_client_key exclude each other: which key is to be sent?")
    key_from = table.get("key_env")
    if key_from is None and not forwards and _is_own(url, spoken):
        # To the API's own server, and to no other, goes the key that its SDK would send.
        key_from = next((name for name in spoken.http.key_variables if environment.get(name)), None)
    return Upstream(
        name,
        spoken,
        base_of(spoken, url),
        _from_environment(f"{where}: key_env", key_from, environment),
        key_from,
        forwards,
        _texts(f"{where}: models", table.get("models", {})),
        {header.lower(): text for header, text in _texts(f"{where}: headers", table.get("headers", {})).items()},
        _timeout(where, table.get("timeout", 600)),
        _proxy(url),
    )


def _check(where: str, table: Mapping[str, Any], keys: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if key not in keys:
            raise ConfigError(f"{where}: no key {key!r}{_perhaps(key, keys)}; there are {', '.join(keys)}")
        if not isinstance(value, keys[key]) or (isinstance(value, bool) and keys[key] is not bool):
            raise ConfigError(f"{where}: {key} must be {_KINDS[keys[key]]}, not {value!r}")


_KINDS: dict[Any, str] = {str: "a text", bool: "true or false", dict: "a table", (int, float): "a number"}


def _texts(where: str, table: Mapping[str, Any]) -> dict[str, str]:
    for key, value in table.items():
        if not isinstance(value, str) or not value or not (key + value).isprintable():
            raise ConfigError(f"{where}: {key} must be a text on one line, not {value!r}")
    return dict(table)


def _timeout(where: str, seconds: float) -> float:
    if not seconds > 0:
        raise ConfigError(f"{where}: timeout must be more than 0 seconds, not {seconds}")
    return float(seconds)


def _url(where: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        good = False
    if not good or parts.query or parts.fragment:
        raise ConfigError(f"{where}: url {url!r} is no base URL; write http://HOST or https://HOST/PATH")
    return url


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for a URL, as the SDKs have it; to loopback leads none.

    Looked up here once: aiohttp would do it for each request, and read keys from ``.netrc`` besides.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    return None if _is_loopback(host) or proxy_bypass(host) else getproxies().get(parts.scheme)


def _address(where: str, text: str) -> tuple[str, int]:
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


def _is_own(url: str, spoken: Format) -> bool:
    return urlsplit(url)[:2] == urlsplit(spoken.http.base_url)[:2]


def _from_environment(where: str, name: str | None, environment: Mapping[str, str]) -> str | None:
    if name is None:
        return None
    value = environment.get(name)
    if not value:
        raise ConfigError(f"{where}: the environment variable {name} is not set; set it to the key")
    if not value.isprintable() or not value.isascii():
        raise ConfigError(f"{where}: the environment variable {name} holds characters that no key has")
    return value


def _perhaps(wrong: str, names: Collection[str]) -> str:
    close = difflib.get_close_matches(wrong, names, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
