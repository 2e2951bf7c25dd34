"""Shape rules: the corpus's JSON Schemas, whose ``x-rule`` keywords name the rule that a violation breaks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import referencing
from jsonschema.exceptions import ValidationError

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading.breach import Breach
from toolcall_conformance.rules.sentences import sentence
from toolcall_conformance.rules.shapes import Shapes, whole
from toolcall_conformance.rules.wants import Wants, asks_for_keys


@cache
def validator(corpus: Corpus, format_name: str, direction: str) -> Any:
    """The validator for bodies of one format and direction. Never touches the network."""
    schema = corpus.schema(format_name, direction)
    registry: referencing.Registry[Any] = referencing.Registry()  # without one, jsonschema would ask the network
    extend: Any = jsonschema.validators.extend
    reference = _Reference(shapes(corpus, format_name, direction))
    keywords = {"$ref": reference, "additionalProperties": _in_order, "pattern": _pattern}
    return extend(jsonschema.Draft202012Validator, keywords)(schema, registry=registry)


@cache
def shapes(corpus: Corpus, format_name: str, direction: str) -> Shapes:
    """The same schema, compiled to tell fast what is right."""
    return Shapes(corpus.schema(format_name, direction))


class _Reference:
    """The keyword ``$ref``, which passes over the parts of a wrong body that are right."""

    def __init__(self, shapes: Shapes) -> None:
        self._shapes = shapes

    def __call__(self, validator: Any, reference: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
        del schema
        if not self._shapes.fits(instance, reference):
            yield from validator._validate_reference(ref=reference, instance=instance)  # noqa: SLF001 - as `$ref` does


def _in_order(validator: Any, said: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """The keyword ``additionalProperties``, with errors in the order of the body; jsonschema's own is that of a set."""
    errors = list(jsonschema.Draft202012Validator.VALIDATORS["additionalProperties"](validator, said, instance, schema))
    if len(errors) > 1:
        places = {key: place for place, key in enumerate(instance)}
        errors.sort(key=lambda error: places[error.relative_path[0]])
    yield from errors


def _pattern(validator: Any, said: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """The keyword ``pattern``: jsonschema's own lets a line break stand behind the end."""
    del schema
    if validator.is_type(instance, "string") and not whole(said).search(instance):
        yield ValidationError(f"{instance!r} does not match {said!r}")


def breaches(corpus: Corpus, format_name: str, direction: str, body: Any) -> Iterator[tuple[str, Breach]]:
    """Yield (rule id, breach) for every violation of the format's schema."""
    seen: set[tuple[str, str]] = set()
    try:
        if shapes(corpus, format_name, direction).fits(body):
            return
        errors = list(validator(corpus, format_name, direction).iter_errors(body))
        compiled = shapes(corpus, format_name, direction)
        wants = Wants(corpus.schema(format_name, direction), compiled, pieces=direction == "stream")
    except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
        # Far beyond what any provider takes; readers and rule functions still run.
        yield f"{format_name}/shape", Breach("", message="nested too deeply to be checked")
        return
    for error in errors:
        for leaf in _leaves(error):
            rule_id = _rule_of(leaf) or f"{format_name}/shape"
            pointer = join("", *leaf.absolute_path)
            if (rule_id, pointer) not in seen:
                seen.add((rule_id, pointer))
                yield rule_id, Breach(pointer, sentence(leaf, wants), wants.wanted(leaf), _got(leaf))


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The errors to report: a failed ``anyOf``/``oneOf`` as a whole when it names a rule, else its best branch."""
    if error.context and error.validator in ("anyOf", "oneOf") and not _own_rule(error):
        # No schema of ours comes here; one of a format to come may.
        best = jsonschema.exceptions.best_match([error])  # pragma: no cover - see above
        yield best if best is not None else error  # pragma: no cover - see above
    else:
        yield error


def _own_rule(error: ValidationError) -> str | None:
    schema = error.schema
    found = schema.get("x-rule") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None


def _rule_of(error: ValidationError) -> str | None:
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


def _got(error: ValidationError) -> Any:
    return MISSING if asks_for_keys(error) else error.instance
