"""The check ``agent_loop``: a whole conversation, in which each request is built from the replies before it."""

from toolcall_conformance.checks.agent_loop.check import run
from toolcall_conformance.checks.agent_loop.variants import VARIANTS, can_play_beside, variants

__all__ = ["VARIANTS", "can_play_beside", "run", "variants"]
