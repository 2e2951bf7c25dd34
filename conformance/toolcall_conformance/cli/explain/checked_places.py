"""Where a rule is: its own file, and the schemas and functions of its format that check it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.cli.explain.model import Part
from toolcall_conformance.library import Corpus, Rule
from toolcall_conformance.library.files import read_json

_MAX_PLACES = 2


def file_parts(corpus: Corpus, rule: Rule, *, everything: bool) -> Iterator[Part]:
    """The file of a rule, and the places that check it; ``everything``: all of them, not a few."""
    yield Part("files", _in_corpus(corpus, corpus.rules.paths[rule.id]))
    places = [*_places(corpus, rule)]
    shown = places if everything else places[:_MAX_PLACES]
    yield from (Part("files", place) for place in shown)
    if len(shown) < len(places):
        yield Part("", f"and {len(places) - len(shown)} more, with --all")


def _places(corpus: Corpus, rule: Rule) -> Iterator[str]:
    """The objects of schemas that name a rule, and its function; of a rule between formats none is known."""
    scope = rule.id.partition("/")[0]
    if scope not in corpus.formats:
        return
    if rule.id == f"{scope}/shape":
        yield f"corpus/formats/{scope}/*.schema.json, wherever no `x-rule` names another rule"
    for path in sorted((corpus.root / "formats" / scope).glob("*.schema.json")):
        for pointer in _pointers(read_json(path), rule.id, ""):
            yield f"{_in_corpus(corpus, path)} at {pointer or 'the top'}"
    checks = formats.get(scope).rules if scope in formats.names() else ()  # another corpus may have formats of its own
    for check in checks:
        if check.id == rule.id:
            yield f"{check.module.replace('.', '/')}.py:{inspect.getsourcelines(check.breaches)[1]}"


def _in_corpus(corpus: Corpus, path: Path) -> str:
    return f"corpus/{path.relative_to(corpus.root).as_posix()}"


def _pointers(schema: Any, rule_id: str, pointer: str) -> Iterator[str]:
    """The JSON Pointers of the objects of a schema whose ``x-rule`` names a rule."""
    if isinstance(schema, dict):
        named = schema.get("x-rule")
        if named == rule_id or (isinstance(named, dict) and rule_id in named.values()):
            yield pointer
    entries = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, part in entries:
        yield from _pointers(part, rule_id, join(pointer, key))
