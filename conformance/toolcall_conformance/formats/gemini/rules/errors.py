"""Rules about error replies that no schema can say."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.reading import Node
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.rule import Subject, rule


@rule("gemini/error-code", "error")
def error_code(subject: Subject) -> Iterator[Breach]:
    """The code is the HTTP status; a status that is none of an error is another rule's matter."""
    failure = subject.reading.failure
    code = Node(subject.body).child("body").child("error").child("code")
    if failure is None or failure.status is None or failure.status < 400:
        return
    if isinstance(code.value, int) and not isinstance(code.value, bool) and code.value != failure.status:
        yield Breach(code.pointer, want=failure.status, got=code.value)


@rule("gemini/error-details", "error")
def error_details(subject: Subject) -> Iterator[Breach]:
    """Each type of detail comes once; the form of one is the schema's matter."""
    types: set[str] = set()
    for detail in Node(subject.body).child("body").child("error").child("details").each():
        kind = detail.get("@type")
        if isinstance(kind, str) and kind in types:
            yield Breach(detail.pointer, "two details of one type", want=MISSING, got=kind)
        elif isinstance(kind, str):
            types.add(kind)
