"""Finds the line of a traceback's text that is to blame: one in the translator's own code."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

# A frame as Python and as JavaScript write it, with Python's line of source.
_PYTHON_FRAME = re.compile(
    r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+).*(?:\n(?!\s*File ")\s+(?P<source>.*))?', re.MULTILINE
)
_JAVASCRIPT_FRAME = re.compile(r"^\s*at (?:.*\()?(?P<file>(?:file://)?/[^()\n]+?):(?P<line>\d+):\d+\)?$", re.MULTILINE)
_TRACEBACK_HEAD = "Traceback (most recent call last):"
_INSTALL_FOLDERS = ("site-packages", "dist-packages", "node_modules")
# Folders in which packages keep copies of others.
_VENDOR_FOLDERS = ("vendor", "vendored")
_IMPORT_STATEMENT = re.compile(r"^(?:from|import) ([A-Za-z_][\w.]*)|from [\"']([^\"'./][^\"']*)[\"']", re.MULTILINE)
# Adapters that we ship are not judged, the libraries behind them are.
_ADAPTERS = Path(__file__).resolve().parents[2] / "adapters"


@dataclass(frozen=True, slots=True)
class _Frame:
    """A frame; ``source`` is its line of code, empty where the text has none."""

    file: str
    line: int
    source: str = ""


def blamed_line(traceback_text: str) -> tuple[str, int] | None:
    """The file and line to blame for a traceback; None if it has no line of the translator's own code.

    It is the innermost line of the translator's package, never one of a dependency or of an adapter that we ship. If
    the exception was raised because of another one, it is where the other one was raised.
    """
    blocks = _python_blocks(traceback_text) or [block for block in [_javascript_block(traceback_text)] if block]
    if not blocks:
        return None
    is_own_file = _own_file_test(blocks[-1])
    for frames in _cause_first(blocks):
        for frame in reversed(frames):
            if is_own_file(frame.file) and not _is_vendored(frame.file):
                return frame.file, frame.line
    return None


def _python_blocks(traceback_text: str) -> list[list[_Frame]]:
    """The frames of each traceback in a text, the innermost last. The last traceback is of the final exception."""
    blocks = [
        [_Frame(match["file"], int(match["line"]), match["source"] or "") for match in _PYTHON_FRAME.finditer(text)]
        for text in traceback_text.split(_TRACEBACK_HEAD)
    ]
    return [block for block in blocks if block]


def _javascript_block(traceback_text: str) -> list[_Frame]:
    frames = [
        _Frame(unquote(urlsplit(match["file"]).path), int(match["line"]))
        for match in _JAVASCRIPT_FRAME.finditer(traceback_text)
    ]
    return frames[::-1]


def _cause_first(blocks: list[list[_Frame]]) -> list[list[_Frame]]:
    """The final traceback, preceded by the one that a ``raise`` statement replaced, and so on."""
    first = len(blocks) - 1
    while first and blocks[first][-1].source.startswith("raise"):
        first -= 1
    return blocks[first:]


def _own_file_test(frames: list[_Frame]) -> Callable[[str], bool]:
    """A test for the translator's own files, by the outermost frame of its call."""
    entry = next((frame.file for frame in frames if not is_standard(frame.file)), "")
    if _is_shipped(entry):
        imported = _imported_paths(entry)
        return lambda file: any(f"{name}/".startswith(f"{package_of(file)}/") for name in imported)
    if package := package_of(entry):
        return lambda file: package_of(file) == package
    return lambda file: bool(entry) and not is_standard(file) and not package_of(file) and not _is_shipped(file)


def is_installed(file: str) -> bool:
    """Whether a file is part of a language or of an installed package."""
    return is_standard(file) or any(part in _INSTALL_FOLDERS for part in Path(file).parts)


def is_standard(file: str) -> bool:
    """Whether a file is part of a language."""
    parts = Path(file).parts
    inside = Path(sysconfig.get_path("stdlib")) in Path(file).parents
    return file.startswith("<") or (inside and not any(part in _INSTALL_FOLDERS for part in parts))


def _is_vendored(file: str) -> bool:
    return any(part.strip("_") in _VENDOR_FOLDERS for part in Path(package_of(file) and file).parts)


@cache
def package_of(file: str) -> str:
    """The installed package of a file, ``litellm`` or ``google/genai``; empty if it has none."""
    path = Path(file)
    at = max((place for place, part in enumerate(path.parts) if part in _INSTALL_FOLDERS), default=-1)
    names = path.parts[at + 1 :]
    if at < 0 or not names:
        return ""
    folder = Path(*path.parts[: at + 1], names[0])
    # A folder without a module of its own only holds packages of several owners.
    shared = names[0].startswith("@") or (
        path.parts[at] != "node_modules" and folder.is_dir() and not (folder / "__init__.py").is_file()
    )
    return "/".join(names[: 2 if shared else 1]).removesuffix(".py")


@cache
def _is_shipped(file: str) -> bool:
    """Whether a file is an adapter of ours, or a copy of one."""
    path = Path(file)
    if path.is_relative_to(_ADAPTERS):
        return True
    try:
        return any(path.read_bytes() == ours.read_bytes() for ours in _ADAPTERS.glob(f"*/{path.name}") if path.name)
    except (OSError, ValueError):
        return False


@cache
def _imported_paths(file: str) -> frozenset[str]:
    """The imports of a file, as paths: ``litellm``, ``google/genai/types``; empty if it cannot be read."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return frozenset()
    return frozenset((match[1] or match[2]).replace(".", "/") for match in _IMPORT_STATEMENT.finditer(text))
