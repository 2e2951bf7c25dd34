"""Message threads: Anthropic keeps a conversation, and a later request sends only what is new.

Nobody else keeps one here. So a request that continues is refused in the words on which the official SDKs send the
whole conversation again, without threads
(https://platform.claude.com/docs/en/build-with-claude/message-threads).
"""

from __future__ import annotations

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_object
from toolcall_reference.conversation.intermediate import Body

_DETAILS: Body = {"error_code": "thread_unsupported_request"}


def missing_beginning(body: Body) -> Refused | None:
    """The refusal of a request whose beginning only Anthropic has; None for one that is whole."""
    thread = as_object(body.get("thread"), "thread")
    if thread.get("type") != "continue":
        return None
    name = thread.get("previous_message_id")
    return Refused(f"the thread of {name} is not kept here; send the full conversation without it", details=_DETAILS)
