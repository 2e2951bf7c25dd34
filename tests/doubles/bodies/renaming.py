"""Names and ids that could not stay, rewritten in another way than the reference does."""

from __future__ import annotations

import json
from hashlib import sha1

from doubles.bodies.mcp import names, rename
from doubles.body import ANTHROPIC, CHAT, RESPONSES, harmless, need
from doubles.draft import Draft


@harmless(beside=("translation/tool-names-injective", "translation/call-name", "translation/tool-lost"))
def illegal_names_numbered(draft: Draft) -> None:
    """Tools whose names the provider does not take are called by a number."""
    changed = [own for mine, own in names(draft).items() if mine != own]
    rename(draft, lambda name: f"tool_{changed.index(name)}" if name in changed else name)


@harmless(target=(ANTHROPIC, CHAT, RESPONSES), beside=("translation/ids-injective", "translation/results-linked"))
def illegal_ids_hashed(draft: Draft) -> None:
    """Ids that the provider does not take are hashed, and nothing of them is left to see."""
    sources = [call.id for call in Draft(draft.source, draft.source_format).calls]
    pairs = dict(zip([call.id for call in draft.calls], sources, strict=False))
    # A free-text tool's call has kept its id, though it is no call of a function in the source.
    written = json.dumps(draft.source, ensure_ascii=False)
    changed = {mine for mine, own in pairs.items() if own and mine != own and f'"{mine}"' not in written}
    need(len(pairs) == len(sources) and changed)
    for handle in [*draft.calls, *draft.results]:
        if handle.id in changed:
            handle.id = "c-" + sha1(handle.id.encode()).hexdigest()[:30].upper()
