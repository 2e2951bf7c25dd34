"""Gemini generateContent, REST form: https://ai.google.dev/api/generate-content"""

from .decode import decode_request, decode_response
from .encode import SPELLINGS, encode_request, encode_response
from .failures import decode_error, encode_error
from .stream_decode import StreamDecoder
from .stream_encode import StreamEncoder

MODEL_KEYS = (None, "modelVersion")
STREAM_MODEL = ("modelVersion",)
NEWLINE = "\r\n"

__all__ = [
    "MODEL_KEYS",
    "NEWLINE",
    "SPELLINGS",
    "STREAM_MODEL",
    "StreamDecoder",
    "StreamEncoder",
    "decode_error",
    "decode_request",
    "decode_response",
    "encode_error",
    "encode_request",
    "encode_response",
]
