"""Deliberate changes of tools by a gateway: filtered tools, guidance, and mapped names and parameters.

There is no policy unless one is given: ``ReferenceTranslator(policy=Policy.load(path))``. ``corpus/schemas`` has the
schema of its file, for other languages.
"""

from toolcall_reference.policy.application import AppliedPolicy, NoPolicy, ReplyPolicy, apply
from toolcall_reference.policy.key_renamer import KeyRenamer
from toolcall_reference.policy.policy import Policy, PolicyError

__all__ = ["AppliedPolicy", "KeyRenamer", "NoPolicy", "Policy", "PolicyError", "ReplyPolicy", "apply"]
