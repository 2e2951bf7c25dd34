"""The rules of a secret scanner, as data, and the search by them."""

from toolcall_conformance.recording.cassettes.scanner.search import Scanner, SecretRule, entropy, rules

__all__ = ["Scanner", "SecretRule", "entropy", "rules"]
