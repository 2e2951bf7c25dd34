"""A policy: changes to a client's tools that the translator's user configures in a file, and the judge then demands."""

from toolcall_conformance.judge.policy.bodies import apply_policy, declared_tools, undo_policy
from toolcall_conformance.judge.policy.file import Policy, PolicyError, load_policy

__all__ = ["Policy", "PolicyError", "apply_policy", "declared_tools", "load_policy", "undo_policy"]
