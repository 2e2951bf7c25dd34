"""``toolcall-conformance list``: the rules, the cases and the vocabulary."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from toolcall_conformance.cli.console import say
from toolcall_conformance.cli.settings import add_corpus, load_named_corpus
from toolcall_conformance.library import Corpus, read_json


def _rules(corpus: Corpus) -> dict[str, str]:
    return {rule.id: f"{rule.level:<6} {rule.sentence}" for rule in corpus.rules.values()}


def _cases(corpus: Corpus) -> dict[str, str]:
    return {case.id: case.title for case in corpus.cases.values()}


def _families(corpus: Corpus) -> dict[str, str]:
    return dict(corpus.families)


def _formats(corpus: Corpus) -> dict[str, str]:
    paths = {name: corpus.root / "formats" / name / "format.json" for name in corpus.formats}
    return {name: str(read_json(path)["title"]) for name, path in paths.items()}


def _features(corpus: Corpus) -> dict[str, str]:
    return {name: str(entry["explanation"]) for name, entry in corpus.manifest["features"].items()}


def _equivalences(corpus: Corpus) -> dict[str, str]:
    return {name: entry.explanation for name, entry in corpus.equivalences.items()}


def _circumstances(corpus: Corpus) -> dict[str, str]:
    return {name: f"{entry.at_most:<6} {entry.explanation}" for name, entry in corpus.circumstances.items()}


def _elements(corpus: Corpus) -> dict[str, str]:
    return {name: str(element["explanation"]) for name, element in corpus.elements.items()}


def _checks(_corpus: Corpus) -> dict[str, str]:
    from toolcall_conformance.checks import CHECKS, describe

    return {name: describe(name) for name in CHECKS}


def _words(kind: str) -> Callable[[Corpus], dict[str, str]]:
    return lambda corpus: {name: entry["says"] for name, entry in corpus.words.get(kind, {}).items()}


_KINDS: Mapping[str, Callable[[Corpus], dict[str, str]]] = {
    "rules": _rules,
    "cases": _cases,
    "families": _families,
    "formats": _formats,
    "features": _features,
    "equivalences": _equivalences,
    "circumstances": _circumstances,
    "elements": _elements,
    "checks": _checks,
    "variants": _words("variant"),
    "verdicts": _words("verdict"),
    "levels": _words("level"),
    "losses": _words("loss"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=sorted(_KINDS), help="what to list; without it, count each kind")
    add_corpus(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    """Print one line an entry: its id, then what it is."""
    corpus = load_named_corpus(parsed)
    if parsed.kind is None:
        say(f"corpus {corpus.version}")
        for kind, lister in _KINDS.items():
            say(f"{len(lister(corpus)):>5} {kind}")
        return 0
    entries = _KINDS[parsed.kind](corpus)
    width = max(map(len, entries), default=0)
    for name, text in entries.items():
        say(f"{name:<{width}}  {text}")
    return 0
