"""Reads corpus files; a file that is missing or wrong raises CorpusError."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.jsonvalue import JSONError, parse


class CorpusError(Exception):
    """A corpus file is missing or wrong; the message names the file, what is wrong and what to do."""


def read_json(path: Path, read: Callable[[Path], bytes] = foreign_files.read_bytes) -> Any:
    """Read a JSON file of the corpus. Raises CorpusError if it is missing or not JSON."""
    try:
        data = read(path)
        document = parse(data)
    except FileNotFoundError:
        raise CorpusError(
            f"{path}: no such file; the corpus is incomplete, install it anew or restore the file"
        ) from None
    except JSONError as error:
        raise CorpusError(f"{path}: {error}; fix the file") from None
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None
    if data.count(b"[") + data.count(b"{") > foreign_files.MAX_DEPTH and foreign_files.is_too_deep(document):
        raise CorpusError(f"{path}: nested more than {foreign_files.MAX_DEPTH} levels deep; fix the file")
    return document


def verify_readable(path: Path, verify: Callable[[Path], None] = foreign_files.verify_readable) -> None:
    """Raise CorpusError unless a file is a regular one of a size that can be read."""
    try:
        verify(path)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None


_KINDS = {str: "a text", list: "a list", dict: "an object", bool: "true or false"}


def require(path: Path, value: Any, **keys: type) -> None:
    """Raise CorpusError unless ``value`` is an object that has ``keys`` with these types."""
    if not isinstance(value, dict):
        raise CorpusError(f"{path}: the file must hold an object")
    for key, kind in keys.items():
        if key not in value:
            raise CorpusError(f"{path}: the key `{key}` is missing; add it")
        if not isinstance(value[key], kind):
            raise CorpusError(f"{path}: `{key}` must be {_KINDS[kind]}")
