"""Roads that were closed are open: an output passes, and bodies of a wrong type get words and no crash."""

from __future__ import annotations

import pytest

from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.sources.bodies import SourceBody
from toolcall_conformance.trust.sources.draws import AS_IT_IS, Draw
from toolcall_conformance.trust.sources.trials import DrawTrier, TriedDraw
from toolcall_reference import ReferenceTranslator
from trust.reopened_sources import SOUND, Source, sources_of_wrong_types


@pytest.fixture(scope="module")
def trier() -> DrawTrier:
    corpus = load_corpus()
    driver = PythonDriver(ReferenceTranslator(), "given", transports=lambda: corpus.transports)
    return DrawTrier(driver, Judge(corpus))


def try_source(trier: DrawTrier, source: Source) -> TriedDraw:
    way, name, other, body = source
    client, upstream = (name, other) if way == "request" else (other, name)
    return trier.try_draw(Draw("-", 1, SourceBody(way, name, body), client, upstream, AS_IT_IS, body))


def test_sound_sources_have_an_output_that_passes(trier: DrawTrier) -> None:
    results = {name: try_source(trier, source) for name, source in SOUND.items()}
    assert [f"{name}: {result.broken}" for name, result in results.items() if result.broken] == []
    shut = [
        f"{name}: {result.outcome} {result.reason}{result.remains}"
        for name, result in results.items()
        if result.outcome not in OPEN
    ]
    assert shut == []


OPEN = ("passed", "repaired")


def test_values_of_a_wrong_type_are_refused_in_words(trier: DrawTrier) -> None:
    results = {name: try_source(trier, source) for name, source in sources_of_wrong_types().items()}
    assert [f"{name}: {result.reason}" for name, result in results.items() if result.outcome == "failed"] == []
    refused = [result for result in results.values() if result.outcome == "refused"]
    assert len(refused) > len(results) / 2
    assert all(" must be " in refusal.reason for refusal in refused)
