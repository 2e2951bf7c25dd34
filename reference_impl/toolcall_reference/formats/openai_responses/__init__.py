"""OpenAI Responses: https://platform.openai.com/docs/api-reference/responses"""

from .decode import decode_request, decode_response
from .encode import SPELLINGS, encode_request
from .failures import decode_error, encode_error
from .reply import encode_response
from .stored import Replies

MODEL_KEYS = ("model", "model")

__all__ = [
    "MODEL_KEYS",
    "SPELLINGS",
    "Replies",
    "decode_error",
    "decode_request",
    "decode_response",
    "encode_error",
    "encode_request",
    "encode_response",
]
