"""The corpus as Python objects: cases, rules, schemas, vocabularies. Data only; nothing here judges."""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Sequence
from pathlib import Path

from toolcall_conformance.library.cases import Case, Exchange
from toolcall_conformance.library.circumstances import Circumstance
from toolcall_conformance.library.corpus import Corpus
from toolcall_conformance.library.files import CorpusError, read_json
from toolcall_conformance.library.rules import Rule, Rules

__all__ = [
    "Case",
    "Circumstance",
    "Corpus",
    "CorpusError",
    "Exchange",
    "Rule",
    "Rules",
    "default_root",
    "load_corpus",
    "read_json",
]


def default_root() -> Path:
    """The corpus folder: inside the installed package, or next to it in a checkout."""
    return _default_root()


@functools.cache  # called for every body that is judged, and it looks at the disk
def _default_root() -> Path:
    inside = Path(str(importlib.resources.files("toolcall_conformance"))) / "corpus"
    if (inside / "corpus.json").is_file():
        return inside
    return Path(__file__).resolve().parents[3] / "corpus"


_loaded: dict[tuple[Path, tuple[Path, ...]], Corpus] = {}


def load_corpus(root: Path | None = None, extra: Sequence[Path] = ()) -> Corpus:
    """Load the corpus at ``root`` (default: the project's), with private folders. Loads each once per process."""
    key = (root or default_root(), tuple(extra))
    if key not in _loaded:
        _loaded[key] = Corpus(*key)
    return _loaded[key]
