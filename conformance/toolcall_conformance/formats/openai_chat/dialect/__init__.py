"""What compatible servers do to a reply and to a stream: each habit is a function that rewrites one of OpenAI's own.

``corpus/formats/openai_chat/dialect.json`` says who does it, and with which others it goes.
"""

from collections.abc import Mapping

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect import calls, chunks, replies

STREAM_HABITS: Mapping[str, Habit] = {**calls.HABITS, **chunks.HABITS}
"""Rewrite the events of a stream, as ``streaming.parse`` has them."""

REPLY_HABITS: Mapping[str, Habit] = replies.HABITS
"""Rewrite a whole reply."""

__all__ = ["REPLY_HABITS", "STREAM_HABITS"]
