"""OpenAI Responses: https://platform.openai.com/docs/api-reference/responses"""

from .decode import decode_request, decode_response
from .encode import SPELLINGS, encode_request
from .failures import decode_error, encode_error
from .reply import encode_response
from .stored import Replies
from .stream_decode import StreamDecoder
from .stream_encode import StreamEncoder

MODEL_KEYS = ("model", "model")
STREAM_MODEL = ("response", "model")
NEWLINE = "\n"

__all__ = [
    "MODEL_KEYS",
    "NEWLINE",
    "SPELLINGS",
    "STREAM_MODEL",
    "Replies",
    "StreamDecoder",
    "StreamEncoder",
    "decode_error",
    "decode_request",
    "decode_response",
    "encode_error",
    "encode_request",
    "encode_response",
]
