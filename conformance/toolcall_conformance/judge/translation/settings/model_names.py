"""Whether two names of models mean one model: with a provider in front, with or without a date, or as an alias."""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolcall_conformance.library import Corpus


def model_rule(corpus: Corpus, want: str, got: str) -> str | None:
    """The rule that a request breaks which asks for ``got`` where the route says ``want``; None if it is one model.

    Only of two names that vendors give to models is it sure that they are two: any other may be somebody's own alias.
    """
    if same_model(corpus, want, got):
        return None
    # Some providers tell capital letters apart, some do not.
    respelt = same_model(corpus, want.lower(), got.lower())
    is_known = all(_of_a_vendor(corpus, name) for name in (want, got))
    return "translation/model-of-route" if is_known and not respelt else "translation/model-alias"


def same_model(corpus: Corpus, want: str, got: str) -> bool:
    """Whether two names mean one model.

    A provider may stand in front of either, and the one may name a snapshot where the other names the model. Two
    different snapshots are two models.
    """
    expected, actual = bare_name(corpus, want), bare_name(corpus, got)
    return expected == actual or _undated(corpus, expected) == actual or expected == _undated(corpus, actual)


def named_by(corpus: Corpus, name: str, patterns: list[str]) -> bool:
    """Whether one of the patterns of a list names a model."""
    return any(fnmatchcase(bare_name(corpus, name).lower(), pattern) for pattern in patterns)


def bare_name(corpus: Corpus, name: str) -> str:
    """The name without what stands in front of it and without the mark of a variant."""
    patterns = corpus.alignment.patterns
    bare = patterns["model_provider"].compiled.sub("", name.strip().replace("@", "-"), count=1)
    return patterns["model_variant"].compiled.sub("", bare, count=1)


def _undated(corpus: Corpus, name: str) -> str:
    return corpus.alignment.patterns["model_snapshot"].compiled.sub("", name, count=1)


def _of_a_vendor(corpus: Corpus, name: str) -> bool:
    return named_by(corpus, name, corpus.alignment.parameters["model_names"])
