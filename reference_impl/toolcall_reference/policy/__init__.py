"""What a gateway does to tools on purpose: tools it filters, words it says of them, names and parameters it maps.

A policy is off unless one is given: ``ReferenceTranslator(policy=Policy.load(path))``. ``corpus/schemas`` has the
schema of its file, for other languages.
"""

from .applied import Applied, ReplyPolicy, Untouched, apply
from .keys import KeyRenamer
from .policy import Policy, PolicyError

__all__ = ["Applied", "KeyRenamer", "Policy", "PolicyError", "ReplyPolicy", "Untouched", "apply"]
