"""Known failures: a file of findings that are expected, each with its reason. See docs/known-failures.md."""

from toolcall_conformance.known_failures.baseline import Kind, KnownFailures, Stale, Standing
from toolcall_conformance.known_failures.entries import Entry, KnownFailuresError, Pattern
from toolcall_conformance.known_failures.reading import Names, load
from toolcall_conformance.known_failures.updating import Failure, Update, update

__all__ = [
    "Entry",
    "Failure",
    "Kind",
    "KnownFailures",
    "KnownFailuresError",
    "Names",
    "Pattern",
    "Stale",
    "Standing",
    "Update",
    "load",
    "update",
]
