"""What doubles are played before: the judge of the corpus, as the plugin binds it."""

from __future__ import annotations

from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus

HARNESS = make_harness(load_corpus())
