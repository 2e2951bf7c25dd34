"""The judges that doubles are played before: those of the corpus, as the plugin binds them."""

from __future__ import annotations

from toolcall_conformance.engine.run import bind
from toolcall_conformance.library import load_corpus

JUDGES = bind(load_corpus())
