"""The reference's output on a few cases, to put faults into."""

from __future__ import annotations

import pytest

from toolcall_conformance.checks import Harness
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.mutation import Workshop
from toolcall_conformance.trust.sampling import Sampler
from toolcall_conformance.trust.table import MutationTable
from toolcall_reference import ReferenceTranslator

#: Texts between calls, results with pictures, thinking, settings, citations, an error.
CASES = (
    "parallel/text-around",
    "reasoning/parallel-calls",
    "media/image-by-url",
    "schemas/arrays",
    "shell/length-cut",
    "grep/sampling-settings",
    "citations/web-search",
    "shell/seed",
    "errors/upstream-rate-limit",
)


@pytest.fixture(scope="module")
def sampler() -> Sampler:
    corpus = load_corpus()
    driver = PythonDriver(ReferenceTranslator(), "reference", transports=lambda: corpus.transports)
    return Sampler(Workshop(driver, Harness(Judge(corpus)), MutationTable(corpus)), CASES)
