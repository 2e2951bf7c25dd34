"""How a body's keys are given to an SDK's method: by name where it has the parameter, else as ``extra_body``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any


def arguments_by_signature(method: Callable[..., Any], body: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments that make ``method`` send ``body``."""
    parameters = _parameters(getattr(method, "__func__", method))
    extra = {key: value for key, value in body.items() if key not in parameters}
    named = {key: value for key, value in body.items() if key in parameters}
    return named | ({"extra_body": extra} if extra else {})


@cache
def _parameters(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)
