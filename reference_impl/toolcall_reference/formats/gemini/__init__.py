"""Gemini generateContent, REST form: https://ai.google.dev/api/generate-content"""

from toolcall_reference.formats.format import Format
from toolcall_reference.formats.gemini.api import HTTP, NAME
from toolcall_reference.formats.gemini.decode import decode_request, decode_response
from toolcall_reference.formats.gemini.encode import NOTATIONS, encode_request, encode_response
from toolcall_reference.formats.gemini.failures import decode_error, encode_error
from toolcall_reference.formats.gemini.next_request import follow_up
from toolcall_reference.formats.gemini.observer import OBSERVER
from toolcall_reference.formats.gemini.provider import PROVIDER
from toolcall_reference.formats.gemini.stream_decode import StreamDecoder
from toolcall_reference.formats.gemini.stream_encode import StreamEncoder

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
    request_model_key=None,
    reply_model_key="modelVersion",
    stream_model_path=("modelVersion",),
    newline="\r\n",
    notations=NOTATIONS,
    conversation_key="contents",
    follow_up=follow_up,
)

__all__ = ["FORMAT"]
