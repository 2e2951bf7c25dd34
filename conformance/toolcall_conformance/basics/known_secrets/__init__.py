"""Secrets whose values are known, found in texts of any kind: the one key of a run, and what the environment holds.

It knows no pattern: what is not one of its values stays as it is.
"""

from toolcall_conformance.basics.known_secrets.environment import holds_secret, secrets_of
from toolcall_conformance.basics.known_secrets.process import bytes_without_secrets, forget, without_secrets
from toolcall_conformance.basics.known_secrets.search import KnownSecrets

__all__ = ["KnownSecrets", "bytes_without_secrets", "forget", "holds_secret", "secrets_of", "without_secrets"]
