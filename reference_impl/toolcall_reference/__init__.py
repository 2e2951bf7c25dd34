"""The reference translator: tool calls between all wire formats, decoded to one form and encoded from it.

``ReferenceTranslator().open(route)`` gives a session with ``request``, ``response`` and ``error``; what a translation
could not carry stands in ``session.losses``.
"""

from .adapter import build_follow_up, build_tool_results, parse_tool_calls, parse_tool_calls_stream
from .errors import Refused, Unsupported
from .intermediate import UniversalToolCall, UniversalToolResult
from .losses import Loss
from .mcp import mcp_result, mcp_tools
from .policy import Policy, PolicyError
from .translator import VERSION, ReferenceTranslator, Session

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
