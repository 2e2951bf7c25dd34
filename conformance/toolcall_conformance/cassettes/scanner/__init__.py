"""The rules of a secret scanner, as data, and the search by them."""

from toolcall_conformance.cassettes.scanner.search import Rule, Scanner, entropy, rules

__all__ = ["Rule", "Scanner", "entropy", "rules"]
