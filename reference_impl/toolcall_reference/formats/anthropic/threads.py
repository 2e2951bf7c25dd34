"""Message threads: Anthropic stores a conversation, and a later request sends only what is new.

The reference stores none. So a continuing request is refused with the error on which the official SDKs send the whole
conversation again, without threads
(https://platform.claude.com/docs/en/build-with-claude/message-threads).
"""

from __future__ import annotations

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_object
from toolcall_reference.conversation.intermediate import Body

_DETAILS: Body = {"error_code": "thread_unsupported_request"}


def missing_beginning(body: Body) -> Refused | None:
    """The refusal of a request whose beginning only Anthropic has; None for a whole request."""
    thread = as_object(body.get("thread"), "thread")
    if thread.get("type") != "continue":
        return None
    name = thread.get("previous_message_id")
    return Refused(f"the thread of {name} is not kept here; send the full conversation without it", details=_DETAILS)
