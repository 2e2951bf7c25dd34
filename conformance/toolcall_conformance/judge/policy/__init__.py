"""What a translator does to a client's tools on purpose, as its user says it in a file: the law then demands that."""

from toolcall_conformance.judge.policy.bodies import as_sent, came_from, declared_tools
from toolcall_conformance.judge.policy.file import Policy, PolicyError, load_policy

__all__ = ["Policy", "PolicyError", "as_sent", "came_from", "declared_tools", "load_policy"]
