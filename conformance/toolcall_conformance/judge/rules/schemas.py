"""Shape rules: the corpus's JSON Schemas, whose ``x-rule`` keywords name the rule that a violation breaks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.judge.rules.sentences import sentence
from toolcall_conformance.judge.rules.shapes import Shapes
from toolcall_conformance.judge.rules.wants import Wants, asks_for_keys
from toolcall_conformance.library import Corpus, CorpusError

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


@cache
def validator(corpus: Corpus, format_name: str, direction: str) -> Any:
    """The validator for bodies of one format and direction. Never touches the network."""
    from toolcall_conformance.judge.rules import (
        schema_errors as telling,  # jsonschema takes its time to import; a body that fits needs none
    )

    return telling.validator(corpus.schema(format_name, direction), shapes(corpus, format_name, direction))


@cache
def shapes(corpus: Corpus, format_name: str, direction: str) -> Shapes:
    """The compiled schema for bodies of one format and direction, which finds fast that a body is valid.

    Raises CorpusError for a schema that cannot be compiled.
    """
    try:
        return Shapes(corpus.schema(format_name, direction))
    except ValueError as error:
        raise CorpusError(f"formats/{format_name}/{direction}.schema.json: {error}") from error


def breaches(corpus: Corpus, format_name: str, direction: str, body: Any) -> Iterator[tuple[str, Breach]]:
    """Yield (rule id, breach) for every violation of the format's schema."""
    try:
        if shapes(corpus, format_name, direction).fits(body):
            return
        errors = _distinct_errors(format_name, validator(corpus, format_name, direction).iter_errors(body))
        compiled = shapes(corpus, format_name, direction)
        wants = Wants(corpus.schema(format_name, direction), compiled, pieces=direction == "stream")
    except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
        # Far beyond what any provider takes; readers and rule functions still run.
        yield f"{format_name}/shape", Breach("", message="nested too deeply to be checked")
        return
    while errors:  # each is dropped as soon as it is reported: thousands take much memory
        (rule_id, pointer), error = errors.popitem(last=False)
        yield rule_id, Breach(pointer, sentence(error, wants), wants.want(error), _got_value(error))


def _distinct_errors(
    format_name: str, errors: Iterable[ValidationError]
) -> OrderedDict[tuple[str, str], ValidationError]:
    """The first error of each rule at each place."""
    leaves: OrderedDict[tuple[str, str], ValidationError] = OrderedDict()
    for error in errors:
        for leaf in _reported_errors(error):
            leaves.setdefault((_violated_rule(leaf) or f"{format_name}/shape", join("", *leaf.absolute_path)), leaf)
    return leaves


def _reported_errors(error: ValidationError) -> Iterator[ValidationError]:
    """The errors to report: a failed ``anyOf``/``oneOf`` as a whole when it names a rule, else its best branch."""
    if error.context and error.validator in ("anyOf", "oneOf") and not _own_rule(error):
        # No schema of ours comes here; one of a format to come may.
        import jsonschema  # pragma: no cover - see above

        best = jsonschema.exceptions.best_match([error])  # pragma: no cover - see above
        yield best if best is not None else error  # pragma: no cover - see above
    else:
        yield error


def _own_rule(error: ValidationError) -> str | None:
    schema = error.schema
    rule_id = schema.get("x-rule") if isinstance(schema, dict) else None
    return rule_id if isinstance(rule_id, str) else None


def _violated_rule(error: ValidationError) -> str | None:
    """The rule that the violated schema object names for the failed keyword.

    ``x-rule`` is a rule id, or an object ``{keyword: rule id}`` with ``*`` for all other keywords. It speaks for its
    own schema object only: jsonschema does not tell which objects enclose it across a ``$ref``.
    """
    node: ValidationError | None = error
    while node is not None:
        named = node.schema.get("x-rule") if isinstance(node.schema, dict) else None
        if isinstance(named, dict):
            named = named.get(str(node.validator)) or named.get("*")
        if isinstance(named, str):
            return named
        node = node.parent  # type: ignore[assignment]
    return None


def _got_value(error: ValidationError) -> Any:
    return MISSING if asks_for_keys(error) else error.instance
