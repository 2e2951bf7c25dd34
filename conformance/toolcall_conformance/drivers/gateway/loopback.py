"""Exempts loopback from a user's proxy."""

from __future__ import annotations

import os
from collections.abc import Mapping

_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
# Libraries read one or the other; where both are set, most prefer the lower case.
_NO_PROXY_NAMES = ("no_proxy", "NO_PROXY")


def no_proxy_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that let clients reach loopback directly, in addition to what ``environment`` exempts."""
    setting = next((environment[name] for name in _NO_PROXY_NAMES if environment.get(name)), "")
    exempt_hosts = [host.strip() for host in setting.split(",") if host.strip()]
    if "*" in exempt_hosts:
        return {}
    hosts = ",".join([*exempt_hosts, *(host for host in _LOOPBACK_HOSTS if host not in exempt_hosts)])
    return dict.fromkeys(_NO_PROXY_NAMES, hosts)


def exempt_loopback() -> None:
    """Let the libraries of this process reach the scripted provider despite a proxy."""
    os.environ.update(no_proxy_variables(os.environ))
