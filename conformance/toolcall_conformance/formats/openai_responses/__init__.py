"""The OpenAI Responses API: one item a step, calls and their outputs linked by ``call_id``.

https://platform.openai.com/docs/api-reference/responses
"""

from toolcall_conformance.formats.format import Format
from toolcall_conformance.formats.openai_responses import client, conversation_state, stream
from toolcall_conformance.formats.openai_responses.readers import read_error, read_request, read_response
from toolcall_conformance.formats.openai_responses.rules import RULES

FORMAT = Format(
    name="openai_responses",
    read_request=read_request,
    read_response=read_response,
    read_error=read_error,
    rules=RULES,
    client=client,
    stream=stream,
    conversation_state=conversation_state,
)

__all__ = ["FORMAT"]
