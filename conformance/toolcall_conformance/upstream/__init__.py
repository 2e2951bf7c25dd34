"""The scripted upstream: a provider on loopback that records what it is asked and answers what it is told to."""

from __future__ import annotations

from toolcall_conformance.upstream.addresses import Address, Addresses
from toolcall_conformance.upstream.conversation import Asked, Conversation, Reply
from toolcall_conformance.upstream.progress import Progress
from toolcall_conformance.upstream.server import MissingLibraryError, PortInUseError, ScriptedUpstream

__all__ = [
    "Address",
    "Addresses",
    "Asked",
    "Conversation",
    "MissingLibraryError",
    "PortInUseError",
    "Progress",
    "Reply",
    "ScriptedUpstream",
]
