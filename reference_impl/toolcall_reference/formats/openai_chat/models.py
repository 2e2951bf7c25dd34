"""What differs from one of OpenAI's models to the next in Chat: whether it thinks beside function tools.

The API answers 400 to a request of these models that asks for both, and says which word it takes instead
(https://github.com/BerriAI/litellm/pull/34569, https://github.com/openai/openai-openapi/issues/541).
"""

from __future__ import annotations

import re

_SNAPSHOT = r"(-\d{4}-\d{2}-\d{2})?"
_BY_DEFAULT = re.compile(rf"gpt-(5\.6(-sol|-terra|-luna)?|6-(sol|terra|luna)){_SNAPSHOT}")
_WHEN_ASKED = re.compile(rf"gpt-5\.(4(-mini|-nano)?|5){_SNAPSHOT}")


def must_be_told(model: str) -> bool:
    """Whether the model thinks by default, so that function tools need the word that it shall not."""
    return _BY_DEFAULT.fullmatch(model) is not None


def only_without_thinking(model: str) -> bool:
    """Whether the model takes function tools only where it does not think."""
    return must_be_told(model) or _WHEN_ASKED.fullmatch(model) is not None
