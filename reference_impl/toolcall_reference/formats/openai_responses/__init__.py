"""OpenAI Responses: https://platform.openai.com/docs/api-reference/responses"""

from toolcall_reference.formats.format import Format
from toolcall_reference.formats.openai_responses.api import HTTP, NAME
from toolcall_reference.formats.openai_responses.decode import decode_request, decode_response
from toolcall_reference.formats.openai_responses.encode import NOTATIONS, encode_request, encode_response
from toolcall_reference.formats.openai_responses.failures import decode_error, encode_error
from toolcall_reference.formats.openai_responses.next_request import follow_up
from toolcall_reference.formats.openai_responses.observer import OBSERVER
from toolcall_reference.formats.openai_responses.provider import PROVIDER
from toolcall_reference.formats.openai_responses.reply_store import StoredReplies
from toolcall_reference.formats.openai_responses.stream_decode import StreamDecoder
from toolcall_reference.formats.openai_responses.stream_encode import StreamEncoder

FORMAT = Format(
    name=NAME,
    decode_request=decode_request,
    encode_request=encode_request,
    decode_response=decode_response,
    encode_response=encode_response,
    decode_error=decode_error,
    encode_error=encode_error,
    stream_decoder=StreamDecoder,
    stream_encoder=StreamEncoder,
    provider=PROVIDER,
    http=HTTP,
    observer=OBSERVER,
    request_model_key="model",
    reply_model_key="model",
    stream_model_path=("response", "model"),
    newline="\n",
    notations=NOTATIONS,
    conversation_key="input",
    follow_up=follow_up,
    memory=StoredReplies,
)

__all__ = ["FORMAT"]
