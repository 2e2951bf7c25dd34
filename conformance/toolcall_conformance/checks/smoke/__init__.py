"""Tries a translator: does its adapter work, and what does it declare? Plays one plain call on every route.

If the session has the operations, it also plays the reply as a stream, and an error of the provider. Where all that
works, it judges the whole conversation around that call as pytest does.
"""

from toolcall_conformance.checks.smoke.report import Problem, RouteReport
from toolcall_conformance.checks.smoke.routes import try_routes

__all__ = ["Problem", "RouteReport", "try_routes"]
