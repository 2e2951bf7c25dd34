"""The scripted upstream: a provider on loopback that records requests and sends prepared replies."""

from __future__ import annotations

from toolcall_conformance.drivers.upstream.addresses import Address, Addresses
from toolcall_conformance.drivers.upstream.conversation import ReceivedRequest, Reply, UpstreamConversation
from toolcall_conformance.drivers.upstream.reply_pacing import ReplyProgress, ReplyTurns
from toolcall_conformance.drivers.upstream.server import MissingLibraryError, PortInUseError, ScriptedUpstream

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
