"""How much a finding weighs: the level of its rule, lowered by the circumstances that hold. Decided here alone.

Both stand in the corpus: a rule in its file, a circumstance in ``circumstances/<name>.json``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from toolcall_conformance.basics.findings import NOT_KNOWN, Finding, Level, Words, is_json_value
from toolcall_conformance.library import Circumstance, Corpus

_FROM_LIGHT_TO_GRAVE: Final = (Level.NOTE, Level.SHOULD, Level.MUST)


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
    """A finding of the rule, at the level that the corpus gives it in bodies of ``direction`` and of a ``format``.

    ``under`` are the circumstances that hold. Without ``message`` or ``element`` it has those of the rule.
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
    """The finding as the circumstances ``under`` leave it: each lowers the level of the rules that it bears on."""
    for name in under:
        circumstance = corpus.circumstance(name)
        if circumstance.bears_on(breach.rule, breach.element) and _has_form(circumstance, breach):
            breach = _at_most(breach, circumstance.at_most)
    return breach


def _has_form(circumstance: Circumstance, breach: Finding) -> bool:
    """Whether what a finding says of its place has the form that the circumstance demands of its rule, if any."""
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


def _at_most(breach: Finding, level: Level) -> Finding:
    order = _FROM_LIGHT_TO_GRAVE
    return breach if order.index(breach.level) <= order.index(level) else replace(breach, level=level)
