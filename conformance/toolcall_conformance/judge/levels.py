"""Decides the level of every finding: that of its rule, lowered by the circumstances that hold.

Both are in the corpus: a rule in its file, a circumstance in ``circumstances/<name>.json``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from toolcall_conformance.basics.findings import NOT_KNOWN, Finding, Level, Words, is_json_value
from toolcall_conformance.library import Circumstance, Corpus

_LEVELS_BY_GRAVITY: Final = (Level.NOTE, Level.SHOULD, Level.MUST)


def make_finding(
    corpus: Corpus,
    rule_id: str,
    pointer: str = "",
    message: str = "",
    *,
    direction: str = "",
    under: Iterable[str] = (),
    want: Any = NOT_KNOWN,
    got: Any = NOT_KNOWN,
    source: str | None = None,
    element: str = "",
    subject: str = "",
    body: str = "",
    format: str = "",
) -> Finding:
    """Make a finding of the rule, at the level that the corpus gives it in bodies of ``direction``.

    ``under`` are the circumstances that hold. ``message`` and ``element`` default to those of the rule.
    """
    rule = corpus.rule(rule_id)
    breach = Finding(
        rule=rule_id,
        level=rule.level_in(direction),
        pointer=pointer,
        message=message or rule.breach,
        want=want,
        got=got,
        source_pointer=source,
        element=element or rule.element,
        subject=subject,
        body=body,
        format=format,
    )
    return apply_circumstances(corpus, breach, under)


def apply_circumstances(corpus: Corpus, breach: Finding, under: Iterable[str]) -> Finding:
    """The finding with its level lowered by the circumstances ``under``, each for the rules that it bears on."""
    for name in under:
        circumstance = corpus.circumstance(name)
        if circumstance.bears_on(breach.rule, breach.element) and _fits_form(circumstance, breach):
            breach = _cap_level(breach, circumstance.at_most)
    return breach


def _fits_form(circumstance: Circumstance, breach: Finding) -> bool:
    """Whether a finding's want, got and subject fit the schema that the circumstance has for its rule, if any."""
    form = circumstance.forms.get(breach.rule)
    if form is None:
        return True
    import jsonschema  # few runs meet such a rule, and it takes long

    document: dict[str, Any] = {
        name: value
        for name, value in (("want", breach.want), ("got", breach.got))
        if is_json_value(value) or isinstance(value, Words)
    }
    document["subject"] = breach.subject
    return bool(jsonschema.Draft202012Validator(form).is_valid(document))


def _cap_level(breach: Finding, level: Level) -> Finding:
    order = _LEVELS_BY_GRAVITY
    return breach if order.index(breach.level) <= order.index(level) else replace(breach, level=level)
