"""Shape rules: the corpus's JSON Schemas, whose ``x-rule`` keywords name the rule that a violation breaks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import referencing
import referencing.exceptions
from jsonschema.exceptions import ValidationError

from toolcall_conformance.findings import MISSING
from toolcall_conformance.jsonvalue import join
from toolcall_conformance.library import Corpus
from toolcall_conformance.rules.registry import Breach


def _no_network(uri: str) -> Any:
    raise referencing.exceptions.NoSuchResource(ref=uri)


@cache
def validator(corpus: Corpus, format_name: str, direction: str) -> Any:
    """The validator for bodies of one format and direction. Never touches the network."""
    schema = corpus.schema(format_name, direction)
    registry: referencing.Registry[Any] = referencing.Registry(retrieve=_no_network)
    return jsonschema.Draft202012Validator(schema, registry=registry)


def breaches(corpus: Corpus, format_name: str, direction: str, body: Any) -> Iterator[tuple[str, Breach]]:
    """Yield (rule id, breach) for every violation of the format's schema."""
    seen: set[tuple[str, str]] = set()
    try:
        errors = list(validator(corpus, format_name, direction).iter_errors(body))
    except RecursionError:
        # Far beyond what any provider takes; readers and rule functions still run.
        yield f"{format_name}/shape", Breach("", message="nested too deeply to be checked")
        return
    for error in errors:
        for leaf in _leaves(error):
            rule_id = _rule_of(leaf) or f"{format_name}/shape"
            pointer = join("", *leaf.absolute_path)
            if (rule_id, pointer) not in seen:
                seen.add((rule_id, pointer))
                yield rule_id, Breach(pointer, message=_sentence(leaf), got=_got(leaf))


def _leaves(error: ValidationError) -> Iterator[ValidationError]:
    """The errors to report: a failed ``anyOf``/``oneOf`` as a whole when it names a rule, else its best branch."""
    if error.context and error.validator in ("anyOf", "oneOf") and not _own_rule(error):
        best = jsonschema.exceptions.best_match([error])
        yield best if best is not None else error
    else:
        yield error


def _own_rule(error: ValidationError) -> str | None:
    schema = error.schema
    found = schema.get("x-rule") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None


def _rule_of(error: ValidationError) -> str | None:
    """The ``x-rule`` nearest to the failed keyword.

    A failing subschema can name a rule for one keyword only: ``x-rule`` may be an object ``{keyword: rule id}``, with
    ``*`` for all others. Enclosing schemas are asked from the inside out, along the way that validation took.
    """
    node: ValidationError | None = error
    while node is not None:
        for schema, keyword in _enclosing(node):
            named = schema.get("x-rule")
            if isinstance(named, dict):
                named = named.get(keyword) or named.get("*")
            if isinstance(named, str):
                return named
        node = node.parent  # type: ignore[assignment]
    return None


def _enclosing(error: ValidationError) -> Iterator[tuple[dict[str, Any], str]]:
    """The schemas around a failed keyword, innermost first, each with the keyword taken inside it."""
    # jsonschema gives only the innermost schema; the outer ones are not reachable across $ref, so rules that concern a
    # whole object stand on the object's own schema.
    if isinstance(error.schema, dict):
        yield error.schema, str(error.validator)


def _sentence(error: ValidationError) -> str:
    named = error.schema.get("x-message") if isinstance(error.schema, dict) else None
    if isinstance(named, str):
        return named
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return f"the key {', '.join(map(repr, missing))} is missing"
    if error.validator == "not" or error.schema is False:
        return "this must not stand here"
    text = error.message
    return text if len(text) <= 200 else f"{text[:120]} … {text[-60:]}"


def _got(error: ValidationError) -> Any:
    return MISSING if error.validator == "required" else error.instance
