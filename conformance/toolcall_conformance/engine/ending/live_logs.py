"""Live logs (``log_cli``, ``log_file``) while an item of ours runs: pytest writes them past its reports."""

from __future__ import annotations

import contextlib
import copy
import logging
import os
from collections.abc import Iterator

import pytest

from toolcall_conformance.basics.visible_text import shorten, visible, visible_lines

_HANDLERS = ("log_cli_handler", "log_file_handler")


@contextlib.contextmanager
def fit(config: pytest.Config) -> Iterator[None]:
    """Let pytest's handlers write what is fit to be shown."""
    plugin = config.pluginmanager.get_plugin("logging-plugin")
    candidates = [getattr(plugin, name, None) for name in _HANDLERS]
    handlers = [
        handler for handler in candidates if isinstance(handler, logging.Handler) and not _writes_nowhere(handler)
    ]
    before = [handler.formatter for handler in handlers]
    for handler, formatter in zip(handlers, before, strict=True):
        handler.setFormatter(_Fit(formatter or logging.Formatter()))
    try:
        yield
    finally:
        for handler, formatter in zip(handlers, before, strict=True):
            handler.setFormatter(formatter)


def _writes_nowhere(handler: logging.Handler) -> bool:
    """Whether nobody reads what a handler writes, as where the user wants no live logs."""
    return isinstance(handler, logging.NullHandler) or (
        isinstance(handler, logging.StreamHandler) and getattr(handler.stream, "name", "") == os.devnull
    )


class _Fit(logging.Formatter):
    """Gives a formatter, which may add colours, records that are fit to be shown."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        clone = copy.copy(record)
        clone.msg, clone.args = visible_lines(shorten(record.getMessage())), None
        clone.name, clone.filename = visible(record.name), visible(record.filename)
        if record.exc_info:
            clone.exc_text = visible_lines(shorten(self.formatException(record.exc_info)))
            clone.exc_info = None
        clone.stack_info = visible_lines(record.stack_info) if record.stack_info else None
        return self._inner.format(clone)
