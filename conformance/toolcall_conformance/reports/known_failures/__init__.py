"""Known failures: a file of findings that are expected, each with its reason. See docs/known-failures.md."""

from toolcall_conformance.reports.known_failures.baseline import KnownFailures, Stale, Standing, StandingKind
from toolcall_conformance.reports.known_failures.entries import ItemPattern, KnownEntry, KnownFailuresError
from toolcall_conformance.reports.known_failures.reader import RuleNames, load
from toolcall_conformance.reports.known_failures.updater import FailingFinding, Update, update

__all__ = [
    "FailingFinding",
    "ItemPattern",
    "KnownEntry",
    "KnownFailures",
    "KnownFailuresError",
    "RuleNames",
    "Stale",
    "Standing",
    "StandingKind",
    "Update",
    "load",
    "update",
]
