"""A gateway's configuration: its address, its providers, and their models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolcall_reference.formats import Format

ANY_MODEL = "*"


class ConfigError(Exception):
    """A mistake in the configuration; the message says what, where, and what to do."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A provider. ``models`` are its models by the clients' names; ``timeout`` is the longest silence in seconds.
    ``key`` is the provider's key; with ``forward_client_key`` the client's key is sent instead. ``proxy`` is the URL
    of the proxy to it.
    """

    name: str
    format: Format
    url: str
    key: str | None = None
    key_from: str | None = None
    forward_client_key: bool = False
    models: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout: float = 600.0
    proxy: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration. ``memory_bytes`` limits the memory of all clients, ``body_bytes`` a request, and
    ``reply_bytes`` a decompressed reply or event of a stream. Clients must present ``client_key``; without one
    anybody may ask.
    """

    upstreams: Mapping[str, Upstream]
    host: str = "127.0.0.1"
    port: int = 8080
    client_key: str | None = None
    memory_bytes: int = 64_000_000
    body_bytes: int = 64_000_000
    reply_bytes: int = 64_000_000
    default_upstream: str | None = None

    def choose(self, model: str) -> tuple[Upstream, str]:
        """The provider of a client's model, and the model's name there. Raises LookupError with a sentence."""
        for upstream in self.upstreams.values():
            if model in upstream.models:
                return upstream, upstream.models[model]
        name, slash, rest = model.partition("/")
        if slash and rest and name in self.upstreams:
            choice = self.upstreams[name]
            return choice, choice.models.get(rest, rest)
        for upstream in self.upstreams.values():
            if ANY_MODEL in upstream.models:
                return upstream, upstream.models[ANY_MODEL]
        only = self.default_upstream or (next(iter(self.upstreams)) if len(self.upstreams) == 1 else None)
        if only is None:
            names = ", ".join(f"{name}/…" for name in self.upstreams)
            raise LookupError(f"the gateway knows no model {model!r}: write the upstream in front of it ({names})")
        return self.upstreams[only], model
