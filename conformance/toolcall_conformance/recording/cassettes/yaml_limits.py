"""Look through a YAML file before it is loaded: what is nested too deeply ends the process in the loader's C code.

Aliases are counted as what they stand for: ten levels of ten aliases each are ten thousand million values.
"""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.foreign_files import MAX_DEPTH

MOST_UNFOLDED = 50_000_000
"""The most characters and values of a file in which each alias is replaced by what it stands for. vcrpy writes an
alias for headers that occur again, which makes no file much larger."""

_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
_TOO_DEEP_FOR_LIBYAML = "maximum nesting depth"
"""Libyaml from 0.2.6 on (PyYAML 6.0.4) has a limit of its own, 1,000 levels. It reads ahead of the events, so it may
meet its limit before we meet ours (https://github.com/yaml/libyaml/pull/287)."""


def verify(yaml: Any, text: str, loader: type) -> None:
    """Raises ``yaml.MarkedYAMLError`` with the line where a file is too deep or unfolds too far."""
    unfolding = _Unfolding(yaml)
    try:
        for event in yaml.parse(text, Loader=loader):
            problem = unfolding.problem(event)
            if problem is not None:
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
    except yaml.scanner.ScannerError as error:
        if _TOO_DEEP_FOR_LIBYAML not in str(error.problem):
            raise
        raise yaml.MarkedYAMLError(problem=_TOO_DEEP, problem_mark=error.problem_mark) from None


class _Unfolding:
    """What the events so far unfold to."""

    def __init__(self, yaml: Any) -> None:
        self._yaml = yaml
        self._size = 0
        self._open: list[tuple[str | None, int]] = []
        self._sizes: dict[str, int | None] = {}  # None: of an anchor that is still open

    def problem(self, event: Any) -> str | None:
        """Count an event in; what is wrong with it, or None."""
        if isinstance(event, self._yaml.CollectionEndEvent):
            anchor, before = self._open.pop()
            if anchor is not None:
                self._sizes[anchor] = self._size - before
        elif isinstance(event, self._yaml.CollectionStartEvent):
            self._open.append((event.anchor, self._size))
            self._size += 1
            if event.anchor is not None:
                self._sizes[event.anchor] = None
            if len(self._open) > MAX_DEPTH:
                return _TOO_DEEP
        elif isinstance(event, self._yaml.ScalarEvent):
            self._size += 1 + len(event.value)
            if event.anchor is not None:
                self._sizes[event.anchor] = 1 + len(event.value)
        elif isinstance(event, self._yaml.AliasEvent):
            size = self._sizes.get(event.anchor, 0)
            if size is None:
                return f"the alias *{event.anchor} is inside the value that it refers to"
            self._size += size
            if self._size > MOST_UNFOLDED:
                return f"its aliases unfold to more than {MOST_UNFOLDED:,} characters"
        return None
