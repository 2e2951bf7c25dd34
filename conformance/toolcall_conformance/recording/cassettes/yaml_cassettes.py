"""Reads YAML cassettes of Python and Ruby as plain data; never creates objects of either language.

A file is checked before it is loaded: what is nested too deeply ends the process in the loader's C code. Aliases are
counted as what they stand for: ten levels of ten aliases each are ten thousand million values.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.extras import import_problem
from toolcall_conformance.basics.foreign_files import MAX_DEPTH
from toolcall_conformance.recording.cassettes.interactions import CassetteError

MAX_UNFOLDED = 50_000_000
"""The most characters and values of a file in which each alias is replaced by what it stands for. vcrpy writes an
alias for headers that occur again, which makes no file much larger."""

_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"
_TOO_DEEP_FOR_LIBYAML = "maximum nesting depth"
"""Libyaml from 0.2.6 on (PyYAML 6.0.4) has a limit of its own, 1,000 levels. It reads ahead of the events, so it may
meet its limit before we meet ours (https://github.com/yaml/libyaml/pull/287)."""


def verify_limits(yaml: Any, text: str, loader: type) -> None:
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
            if self._size > MAX_UNFOLDED:
                return f"its aliases unfold to more than {MAX_UNFOLDED:,} characters"
        return None


def parse_yaml(path: Path, text: str) -> Any:
    """Parse a YAML file. Raises CassetteError, also if the library is missing."""
    try:
        import yaml
    except ImportError as error:
        raise CassetteError(
            f"{path}: reading YAML needs PyYAML, which {import_problem('yaml', error)}; "
            "pip install 'toolcall-conformance[cassettes]'"
        ) from None
    try:
        loader = _loader(yaml)
        verify_limits(yaml, text, loader)
        return yaml.load(text, loader)  # noqa: S506 - a safe loader that reads no dates
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        why = getattr(error, "problem", None) or "it cannot be parsed"
        raise CassetteError(
            f"{path}: neither JSON nor YAML{where} ({why}); it is truncated or was edited; record it again, or take it "
            "out of the folder"
        ) from None


def _loader(yaml: Any) -> Any:
    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Dates stay text; tags of language objects are ignored, their data is read as plain data."""

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            """A value; one that is not of its type is an error with its line."""
            try:
                return super().construct_object(node, deep)
            except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
                problem = f"a value that is no {node.tag.removeprefix('tag:yaml.org,2002:')}: {error}"
                raise yaml.constructor.ConstructorError(None, None, problem, node.start_mark) from None

    Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node))
    Loader.add_constructor("tag:yaml.org,2002:python/object/new:_io.BytesIO", _bytes_io)
    Loader.add_constructor("!binary", lambda loader, node: base64.b64decode(loader.construct_scalar(node)))
    Loader.add_multi_constructor("!", _plain)
    Loader.add_multi_constructor("tag:yaml.org,2002:python/", _plain)
    return Loader


def _bytes_io(loader: Any, node: Any) -> bytes:
    """A request body that older vcrpy wrote as a file object; its content is in ``state``."""
    state = loader.construct_mapping(node, deep=True).get("state") or (b"",)
    content = state[0]
    return content.encode() if isinstance(content, str) else bytes(content or b"")


def _plain(loader: Any, _tag: str, node: Any) -> Any:
    kind = type(node).__name__
    if kind == "MappingNode":
        return loader.construct_mapping(node, deep=True)
    if kind == "SequenceNode":
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)
