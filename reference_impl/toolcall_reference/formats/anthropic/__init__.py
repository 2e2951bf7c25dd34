"""Anthropic Messages: https://docs.claude.com/en/api/messages"""

from toolcall_reference.formats.format import Format

from .api import NAME
from .decode import decode_request, decode_response
from .encode import SPELLINGS, encode_request, encode_response
from .failures import decode_error, encode_error
from .follow import follow_up
from .http import HTTP
from .observed import OBSERVED
from .provider import PROVIDER
from .stream_decode import StreamDecoder
from .stream_encode import StreamEncoder

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
    observed=OBSERVED,
    request_model="model",
    reply_model="model",
    stream_model=("message", "model"),
    newline="\n",
    spellings=SPELLINGS,
    entries="messages",
    follow_up=follow_up,
)

__all__ = ["FORMAT"]
