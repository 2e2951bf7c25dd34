"""Options and fixtures that several of our own tests use."""

from __future__ import annotations

import pytest

from toolcall_conformance.library import Corpus, load_corpus

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
    return load_corpus()
