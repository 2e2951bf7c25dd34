"""The scripted upstream: a provider on loopback that records requests and sends prepared replies."""

from __future__ import annotations

from toolcall_conformance.upstream.addresses import Address, Addresses
from toolcall_conformance.upstream.conversation import ReceivedRequest, Reply, UpstreamConversation
from toolcall_conformance.upstream.progress import ReplyProgress
from toolcall_conformance.upstream.server import MissingLibraryError, PortInUseError, ScriptedUpstream
from toolcall_conformance.upstream.turns import ReplyTurns

__all__ = [
    "Address",
    "Addresses",
    "MissingLibraryError",
    "PortInUseError",
    "ReceivedRequest",
    "Reply",
    "ReplyProgress",
    "ReplyTurns",
    "ScriptedUpstream",
    "UpstreamConversation",
]
