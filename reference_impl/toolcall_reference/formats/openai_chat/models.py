"""Models that cannot think with function tools in Chat.

The API answers 400 to a request that asks these models for both, and names the effort that it accepts
(https://github.com/BerriAI/litellm/pull/34569, https://github.com/openai/openai-openapi/issues/541).
"""

from __future__ import annotations

import re

_SNAPSHOT = r"(-\d{4}-\d{2}-\d{2})?"
_THINKING_MODELS = re.compile(rf"gpt-(5\.6(-sol|-terra|-luna)?|6-(sol|terra|luna)){_SNAPSHOT}")
_OPTIONALLY_THINKING_MODELS = re.compile(rf"gpt-5\.(4(-mini|-nano)?|5){_SNAPSHOT}")


def thinks_by_default(model: str) -> bool:
    """Whether the model thinks by default, so that function tools need an effort of ``none``."""
    return _THINKING_MODELS.fullmatch(model) is not None


def refuses_tools_with_thinking(model: str) -> bool:
    """Whether the model accepts function tools only without thinking."""
    return thinks_by_default(model) or _OPTIONALLY_THINKING_MODELS.fullmatch(model) is not None
