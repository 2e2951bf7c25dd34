"""Secrets whose values are known, found in texts of any kind: the one key of a run, and what the environment holds.

It knows no pattern: what is not one of its values stays as it is.
"""

from toolcall_conformance.basics.known_secrets.environment import (
    find_secrets,
    forget_environment,
    holds_secret,
    redact_bytes,
    redact_secrets,
)
from toolcall_conformance.basics.known_secrets.search import KnownSecrets

__all__ = ["KnownSecrets", "find_secrets", "forget_environment", "holds_secret", "redact_bytes", "redact_secrets"]
