"""The reference as a gateway that one can run: ``python -m toolcall_reference.gateway``.

Each client is served at the paths of its own API. Its request is translated and sent to a provider, and the reply
translated back, whole or as it streams. :class:`toolcall_reference.gateway.server.Gateway` is the server; it needs the
extra ``http``, all other modules here do not.
"""

from toolcall_reference.gateway.config import Config, ConfigError, Upstream
from toolcall_reference.gateway.config_file import load_toml, read_config

__all__ = ["Config", "ConfigError", "Upstream", "load_toml", "read_config"]
