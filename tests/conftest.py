"""Options and fixtures that several of our own tests use."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import pytest

from toolcall_conformance import formats
from toolcall_conformance.findings import Level
from toolcall_conformance.library import Corpus, Rule, default_root, load_corpus, read_json

pytest_plugins = ["pytester"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutations",
        type=int,
        default=2_000,
        metavar="N",
        help="how many mutated bodies a format's readers are given (default: 2000; the full measure is 100000)",
    )


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """The corpus of this checkout."""
    if _is_whole(default_root()):
        return load_corpus()
    return _SoFar(default_root())


def _is_whole(root: Path) -> bool:
    listed = [root / "formats" / name / "rules.json" for name in formats.names()]
    return all(path.exists() for path in (root / "corpus.json", root / "translation" / "rules.json", *listed))


class _SoFar(Corpus):
    """FOR THE TIME OF BUILDING ONLY: a corpus of which some files are not written yet; rules of a format one by one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.extra = ()
        self.manifest = {"version": "0.1.0", "formats": list(formats.names())}

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        names = [field.name for field in dataclasses.fields(Rule) if field.name not in ("raw", "level", "evidence")]
        found = {}
        for path in self.root.glob("formats/*/rules.json"):
            for raw in read_json(path)["rules"]:
                found[raw["id"]] = Rule(
                    **{name: raw[name] for name in names},
                    level=Level(raw["level"]),
                    evidence=tuple(raw["evidence"]),
                    raw=raw,
                )
        return found
