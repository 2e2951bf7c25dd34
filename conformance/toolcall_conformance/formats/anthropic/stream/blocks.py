"""One content block of a streamed reply, assembled from its deltas."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words, one_of
from toolcall_conformance.basics.jsonvalue import (
    JSONError,
    TooMuchError,
    append_text,
    deep_copy,
    join_text,
    parse_arguments,
)
from toolcall_conformance.formats.anthropic.parts import is_hosted
from toolcall_conformance.formats.anthropic.stream.partial_json import parse_beginning
from toolcall_conformance.formats.stream_machine import Report

#: By the type of a delta: the types of blocks that it continues, and its key with the fragment.
DELTA_TYPES = {
    "text_delta": (("text",), "text"),
    "citations_delta": (("text",), "citation"),
    "input_json_delta": (("tool_use", "server_tool_use", "mcp_tool_use"), "partial_json"),
    "thinking_delta": (("thinking",), "thinking"),
    "signature_delta": (("thinking",), "signature"),
    "compaction_delta": (("compaction",), "content"),
}


@dataclass(slots=True)
class StreamedBlock:
    """A block of the content; ``body`` is changed in place, ``pointer`` is that of the event that started it."""

    body: Any
    pointer: str
    closed: bool = False
    has_signature: bool = False
    has_arguments: bool = False
    """Whether its fragments hold more than white space so far."""
    fragments: list[str] = field(default_factory=list)
    last_fragment_pointer: str = ""
    """The pointer of the last fragment."""
    delta_pointers: list[str] = field(default_factory=list)
    """The pointers of its deltas."""

    @property
    def kind(self) -> str:
        """The block's type; empty if it has none."""
        kind = self.body.get("type") if isinstance(self.body, dict) else None
        return kind if isinstance(kind, str) else ""

    @property
    def accepted_deltas(self) -> Any:
        """The types of the deltas that continue it; MISSING for a block without deltas."""
        kinds = [kind for kind, (kinds, _) in DELTA_TYPES.items() if self.kind in kinds]
        return Words(" or ".join(kinds)) if kinds else MISSING

    def accepts(self, delta: dict[str, Any]) -> bool:
        """Whether a delta is of a type that continues this block."""
        kind = delta.get("type")
        return isinstance(kind, str) and kind in DELTA_TYPES and self.kind in DELTA_TYPES[kind][0]

    def add_delta(self, pointer: str, delta: dict[str, Any], report: Report, *, is_meant_for_it: bool = True) -> None:
        """Add a delta, and report what is wrong with it. A delta of another type of block adds nothing, as in the SDK.

        ``is_meant_for_it``: the delta is surely meant for this block, so its type must fit.
        """
        kind = delta.get("type")
        if not isinstance(kind, str) or kind not in DELTA_TYPES:
            self._report_unknown_delta(pointer, delta, report)
            return
        kinds, key = DELTA_TYPES[kind]
        if self.kind not in kinds:
            if is_meant_for_it and _is_known(self.kind):
                message = (
                    f"the block of this index is a {self.kind} block, as started at {self.pointer}; it takes no {kind}"
                )
                report.add("stream-delta-kind", f"{pointer}/type", message, want=self.accepted_deltas, got=kind)
            return
        if kind == "signature_delta":
            if self.has_signature:
                message = "a second signature_delta; a thought has one signature, whole"
                report.add("stream-signature-once", pointer, message, want=MISSING, got=kind)
            self.has_signature = True
        self._add_piece(kind, f"{pointer}/{key}", delta.get(key), delta, report)

    def _report_unknown_delta(self, pointer: str, delta: dict[str, Any], report: Report) -> None:
        """Report a delta of an unknown type: as wrong if it has the fragment of a known one, else as perhaps new."""
        kind = delta.get("type")
        delta_types = [
            delta_type
            for delta_type, (kinds, key) in DELTA_TYPES.items()
            if self.kind in kinds and delta.get(key) is not None
        ]
        message = f"the API has no delta of type {kind!r}"
        if delta_types and isinstance(kind, str):
            report.add("stream-delta-type", f"{pointer}/type", message, want=one_of(delta_types), got=kind)
        else:
            report.add("stream-unknown", pointer, message, want=self.accepted_deltas, got=kind)

    def _add_piece(self, kind: str, pointer: str, piece: Any, delta: dict[str, Any], report: Report) -> None:
        """Add the piece of a delta to the body; the JSON of ``input`` is collected until the end."""
        if kind == "compaction_delta":
            self.body.update(deep_copy({key: value for key, value in delta.items() if key != "type"}))
        elif kind == "citations_delta":
            cited = self.body.get("citations")
            self.body["citations"] = [*(cited if isinstance(cited, list) else ()), deep_copy(piece)]
        elif not isinstance(piece, str):
            return
        elif kind == "input_json_delta":
            self.fragments.append(piece)
            self.last_fragment_pointer = pointer
            self.has_arguments = self.has_arguments or bool(piece.strip())
            if piece and not self.has_arguments:
                # The SDK parses the text so far at every fragment, and raises at white space alone.
                message = "the arguments start with a fragment of only white space"
                report.add_once("stream-arguments-json", pointer, message, want="", got=piece)
        elif kind == "signature_delta":
            self.body["signature"] = piece
        else:
            key = "text" if kind == "text_delta" else "thinking"
            self.body[key] = append_text(self.body[key] if isinstance(self.body.get(key), str) else "", piece)

    def parse_input(self) -> bool:
        """Set ``input`` to the JSON of the fragments, and return whether that is a whole object.

        If the fragments are empty, the input stays what the block started with.
        """
        text = join_text(self.fragments)
        if not text:
            return True
        try:
            self.body["input"] = parse_arguments(text)
        except JSONError as error:
            self.body["input"] = parse_beginning(text)
            return isinstance(error, TooMuchError)
        return isinstance(self.body["input"], dict)


def _is_known(kind: str) -> bool:
    """Whether the API documents blocks of this type, and so their deltas."""
    return kind in ("text", "thinking", "redacted_thinking", "tool_use") or is_hosted(kind)
