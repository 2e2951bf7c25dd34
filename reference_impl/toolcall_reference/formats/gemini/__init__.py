"""Gemini generateContent, REST form: https://ai.google.dev/api/generate-content"""

from .decode import decode_request, decode_response
from .encode import SPELLINGS, encode_request, encode_response
from .failures import decode_error, encode_error

MODEL_KEYS = (None, "modelVersion")

__all__ = [
    "MODEL_KEYS",
    "SPELLINGS",
    "decode_error",
    "decode_request",
    "decode_response",
    "encode_error",
    "encode_request",
    "encode_response",
]
