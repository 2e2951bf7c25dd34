"""Whether the call of a reply stands under the key at which its client looks, where a format has two."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.judge.translation.pair import Sides


def compare_form(sides: Sides, request: Reading | None) -> Iterator[Finding]:
    """A single call under another key than the declared tools are called with; ``request`` is the client's request.

    Several calls at once may be beyond the older of the two, so they may stand under the newer.
    """
    forms = {tool.form for tool in request.tools} if request is not None else set()
    if len(forms) != 1 or len(sides.output.calls) != 1:
        return
    (expected_form,), (call,) = forms, sides.output.calls
    if call.form != expected_form:
        yield sides.finding(
            "translation/call-form", call.pointer, want=expected_form, got=call.form, subject=call.name or ""
        )
