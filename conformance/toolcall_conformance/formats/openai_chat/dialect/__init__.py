"""The habits of compatible servers: each is a function that rewrites a reply or a stream of OpenAI as they send it.

``corpus/formats/openai_chat/dialect.json`` says which servers have it, and with which other habits it occurs.
"""

from collections.abc import Mapping

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect import calls, chunks, replies

STREAM_HABITS: Mapping[str, Habit] = {**calls.HABITS, **chunks.HABITS}
"""Rewrite the events of a stream, as ``streaming.parse`` has them."""

REPLY_HABITS: Mapping[str, Habit] = replies.HABITS
"""Rewrite a whole reply."""

__all__ = ["REPLY_HABITS", "STREAM_HABITS"]
