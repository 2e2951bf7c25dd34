"""Digests of the suite that judged: two reports then show whether a change is the suite's or the translator's.

Versions do not show it: every checkout between two releases has the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.library import Corpus, vendored

# What of a rule decides a verdict. The rest is for readers: of a clearer sentence nothing fails.
_JUDGES = ("level", "level_in_replies", "face", "element", "check", "direction")
# What of the corpus is for readers or for its own tests.
_EXPLAINS = frozenset(
    (
        ".gitattributes",
        "README.md",
        "bug-classes.json",
        "families.json",
        "keys.md",
        "retired-rules.json",
        "seed-cases.md",
        "seeds.json",
        "typescript.md",
        "verdicts",
        "words.json",
    )
)
# What of the code gives no verdict; in an installed package the corpus is next to the code.
_TELLS = frozenset(("cli", "corpus", "reports"))
# Neither compiled modules nor what editors leave.
_CODE = (".py", ".json", ".mjs", ".toml", ".yaml")
_SHORT = 8

Files = Mapping[str, str]


def suite(corpus: Corpus, package: Path = Path(__file__).parents[1]) -> dict[str, Any]:
    """What a report says of the suite: SHA-256 digests in hexadecimal, of each case and rule the start of one.

    ``corpus`` is that of all its files, the one that ``toolcall-conformance corpus`` prints. ``code`` is that of the
    judging modules of ``package``; ``data`` that of what the corpus says beside cases and rules: schemas, equivalences,
    and the like. Private cases are among ``cases``. Reads every file, in about a fifth of a second.
    """
    manifest = vendored.manifest_of(corpus.root)
    ours = _by_case(manifest.files)
    return {
        "corpus": manifest.sha256,
        "code": vendored.digest_of(vendored.digests(package, _TELLS, _CODE)),
        "data": vendored.digest_of(
            {path: digest for path, digest in manifest.files.items() if _decides_verdicts(path)}
        ),
        "cases": {
            case.id: vendored.digest_of(ours.get(case.id) or vendored.digests(case.path))[:_SHORT]
            for case in corpus.cases.values()
        },
        "rules": {rule: _digest_of_rule(path) for rule, path in corpus.rules.paths.items()},
    }


def _by_case(files: Files) -> dict[str, dict[str, str]]:
    """The files of each case of the corpus, by their paths in its folder."""
    by_case: dict[str, dict[str, str]] = {}
    for path, digest in files.items():
        top, *parts = path.split("/", 3)
        if top == "scenarios" and len(parts) == 3:
            by_case.setdefault("/".join(parts[:2]), {})[parts[2]] = digest
    return by_case


def _digest_of_rule(path: Path) -> str:
    raw = json.loads(path.read_bytes())
    text = json.dumps({key: raw.get(key) for key in _JUDGES})
    return hashlib.sha256(text.encode()).hexdigest()[:_SHORT]


def _decides_verdicts(path: str) -> bool:
    """Whether a file of the corpus that is no case's and no rule's decides verdicts."""
    top, *below = path.split("/")
    return top not in _EXPLAINS and top != "scenarios" and "rules" not in below
