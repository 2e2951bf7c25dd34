"""The shape of what an instrumentation tells: the official schemas, part by part.

The schemas take any part as a generic one, so a part is held to the definition of its own type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.otel.facts import ATTRIBUTES, definitions, errors
from toolcall_conformance.library import Corpus

_GENERIC = "generic"


def compare_shape(corpus: Corpus, output: Any) -> Iterator[Finding]:
    """What is wrong with the shape of an instrumentation's four lists."""
    for attribute in ATTRIBUTES:
        value = output.get(attribute, []) if isinstance(output, dict) else None
        wrong = list(errors(corpus, attribute, value))
        for error in wrong:
            pointer = join(f"/{attribute}" if isinstance(output, dict) else "", *error.absolute_path)
            yield make_finding(corpus, "otel/shape", pointer, error.message, got=error.instance)
        if not wrong:
            yield from _parts(corpus, attribute, value)


def _parts(corpus: Corpus, attribute: str, value: Any) -> Iterator[Finding]:
    definitions_by_type = definitions(corpus, attribute)
    for pointer, part in parts_of(attribute, value):
        definition = definitions_by_type.get(part["type"])
        if definition is not None:
            for error in errors(corpus, attribute, part, definition):
                where = join(pointer, *error.absolute_path)
                message = f"{part['type']}: {error.message}"
                yield make_finding(corpus, "otel/part-shape", where, message, got=error.instance)
        elif attribute != ATTRIBUTES[3] and part["type"] != _GENERIC and part["type"] not in corpus.otel["new_parts"]:
            yield make_finding(corpus, "otel/part-type", join(pointer, "type"), want=_GENERIC, got=part["type"])
        uri = part.get("uri")
        if part["type"] == "uri" and isinstance(uri, str) and uri.startswith("data:"):
            yield make_finding(corpus, "otel/data-address", join(pointer, "uri"), got=uri[:40])


def parts_of(attribute: str, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of messages, or the entries of the other lists, each with its pointer."""
    for place, entry in enumerate(value):
        if "messages" in attribute:
            for number, part in enumerate(entry["parts"]):
                yield join(f"/{attribute}", place, "parts", number), part
        else:
            yield join(f"/{attribute}", place), entry
