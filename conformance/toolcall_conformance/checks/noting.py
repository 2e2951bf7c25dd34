"""Notes what the sessions of a check say that their adapter made up."""

from __future__ import annotations

import functools
from dataclasses import replace

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.checks.base import Check, Harness, ItemResult, OpenSession
from toolcall_conformance.checks.made_up import MadeUpPlaces
from toolcall_conformance.library import Case


def noting(check: Check) -> Check:
    """The check, which marks findings where its sessions say that the adapter made something up."""

    @functools.wraps(check)
    def run(
        case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str, other: Case | None
    ) -> ItemResult:
        made_up_places = MadeUpPlaces()
        return check(
            case,
            route,
            lambda opened: made_up_places.note(opened, open_session(opened)),
            replace(harness, made_up=made_up_places),
            variant,
            other,
        )

    return run
