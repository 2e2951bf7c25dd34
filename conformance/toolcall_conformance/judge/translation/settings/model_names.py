"""Whether two names mean one model: with or without a provider's prefix, with or without a date, or as an alias."""

from __future__ import annotations

from fnmatch import fnmatchcase

from toolcall_conformance.library import Corpus


def broken_model_rule(corpus: Corpus, want: str, got: str) -> str | None:
    """Return the rule that a request breaks if it names ``got`` where the route names ``want``; None for one model.

    Only two names that vendors give to models are certain to be two models: any other may be somebody's own alias.
    """
    if is_same_model(corpus, want, got):
        return None
    # Some providers distinguish capital letters, some do not.
    respelt = is_same_model(corpus, want.lower(), got.lower())
    is_known = all(_is_vendor_name(corpus, name) for name in (want, got))
    return "translation/model-of-route" if is_known and not respelt else "translation/model-alias"


def is_same_model(corpus: Corpus, want: str, got: str) -> bool:
    """Whether two names mean one model.

    Either may have a provider's prefix, and one may name a snapshot where the other names the model. Two different
    snapshots are two models.
    """
    expected, actual = bare_model_name(corpus, want), bare_model_name(corpus, got)
    return (
        expected == actual
        or _without_snapshot(corpus, expected) == actual
        or expected == _without_snapshot(corpus, actual)
    )


def matches_model(corpus: Corpus, model_name: str, patterns: list[str]) -> bool:
    """Whether one of the patterns matches a model's name."""
    return any(fnmatchcase(bare_model_name(corpus, model_name).lower(), pattern) for pattern in patterns)


def bare_model_name(corpus: Corpus, model_name: str) -> str:
    """Return a model's name without the provider's prefix and without the mark of a variant."""
    patterns = corpus.alignment.patterns
    bare = patterns["model_provider"].compiled.sub("", model_name.strip().replace("@", "-"), count=1)
    return patterns["model_variant"].compiled.sub("", bare, count=1)


def _without_snapshot(corpus: Corpus, model_name: str) -> str:
    return corpus.alignment.patterns["model_snapshot"].compiled.sub("", model_name, count=1)


def _is_vendor_name(corpus: Corpus, model_name: str) -> bool:
    return matches_model(corpus, model_name, corpus.alignment.parameters["model_names"])
