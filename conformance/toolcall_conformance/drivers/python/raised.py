"""What an exception of the translator means, by the name of its class."""

from __future__ import annotations

from toolcall_conformance.drivers.outcomes import Crashed, RefusedOutcome, UnsupportedOutcome
from toolcall_conformance.drivers.python.foreign import class_names, text_of
from toolcall_conformance.drivers.python.refusals import is_refusal
from toolcall_conformance.drivers.python.tracebacks import format_own_frames


def exception_outcome(error: BaseException) -> UnsupportedOutcome | RefusedOutcome | Crashed:
    """The outcome of a call that raised. Reads the exception here, where the time of the call still counts."""
    names = class_names(error)
    if "Unsupported" in names:
        return UnsupportedOutcome(text_of(error))
    if "Refused" in names:
        return RefusedOutcome(text_of(error))
    return Crashed(error, format_own_frames(error), exception_text=text_of(error), refuses=is_refusal(error))
