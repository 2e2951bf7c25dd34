"""Anthropic Messages: https://docs.claude.com/en/api/messages"""

from toolcall_reference.formats.anthropic.api import HTTP, NAME
from toolcall_reference.formats.anthropic.decode import decode_request, decode_response
from toolcall_reference.formats.anthropic.encode import NOTATIONS, encode_request, encode_response
from toolcall_reference.formats.anthropic.failures import decode_error, encode_error
from toolcall_reference.formats.anthropic.next_request import follow_up
from toolcall_reference.formats.anthropic.observer import OBSERVER
from toolcall_reference.formats.anthropic.provider import PROVIDER
from toolcall_reference.formats.anthropic.stream_decode import StreamDecoder
from toolcall_reference.formats.anthropic.stream_encode import StreamEncoder
from toolcall_reference.formats.format import Format

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
    stream_model_path=("message", "model"),
    newline="\n",
    notations=NOTATIONS,
    conversation_key="messages",
    follow_up=follow_up,
)

__all__ = ["FORMAT"]
