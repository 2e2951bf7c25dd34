"""What doubles are played before: the judge of the corpus, as the plugin binds it."""

from __future__ import annotations

from toolcall_conformance.engine.run import bind
from toolcall_conformance.library import load_corpus

HARNESS = bind(load_corpus())
