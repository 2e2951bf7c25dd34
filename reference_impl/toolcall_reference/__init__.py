"""The reference translator: tool calls between all wire formats, decoded to one form and encoded from it.

``ReferenceTranslator().open(route)`` gives a session with ``request``, ``response`` and ``error``; what
a translation could not carry is in ``session.losses``.
"""

from toolcall_reference.adapter import build_follow_up, build_tool_results, parse_tool_calls, parse_tool_calls_stream
from toolcall_reference.basics.errors import Refused, Unsupported
from toolcall_reference.conversation.intermediate import UniversalToolCall, UniversalToolResult
from toolcall_reference.conversation.losses import Loss
from toolcall_reference.mcp import mcp_result, mcp_tools
from toolcall_reference.policy import Policy, PolicyError
from toolcall_reference.translator import VERSION, ReferenceTranslator, Session

__version__ = VERSION

__all__ = [
    "Loss",
    "Policy",
    "PolicyError",
    "ReferenceTranslator",
    "Refused",
    "Session",
    "UniversalToolCall",
    "UniversalToolResult",
    "Unsupported",
    "__version__",
    "build_follow_up",
    "build_tool_results",
    "mcp_result",
    "mcp_tools",
    "parse_tool_calls",
    "parse_tool_calls_stream",
]
