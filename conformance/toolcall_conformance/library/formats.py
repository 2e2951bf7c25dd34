"""What the corpus says of each format: limits, transport, schemas, and the elements that it can express."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.library.files import CorpusError, read_json, require
from toolcall_conformance.library.own_tools import OwnTools


@dataclass(frozen=True)
class FormatFiles:
    """The files in ``formats/<name>/``, and ``translation/elements.json``; each is read when it is first needed."""

    root: Path
    names: Sequence[str]

    @cached_property
    def formats(self) -> dict[str, Mapping[str, Any]]:
        """The content of ``format.json``, by format."""
        return {name: read_json(self._path(name, "format.json")) for name in self.names}

    @cached_property
    def transports(self) -> Mapping[str, Mapping[str, Any]]:
        """The content of ``transport.json``, by format."""
        return {name: read_json(self._path(name, "transport.json")) for name in self.names}

    @cached_property
    def expresses(self) -> dict[str, Mapping[str, Any]]:
        """The elements of ``expresses.json``, by format."""
        return {name: read_json(self._path(name, "expresses.json"))["elements"] for name in self.names}

    @cached_property
    def own_tools(self) -> dict[str, OwnTools]:
        """The content of ``own-tools.json``, by format."""
        return {name: OwnTools.of(read_json(self._path(name, "own-tools.json"))) for name in self.names}

    def expression(self, format_name: str, element: str) -> Mapping[str, Any]:
        """The entry of ``expresses.json`` for an element. Raises CorpusError where there is none."""
        try:
            entry: Mapping[str, Any] = self.expresses[format_name][element]
        except KeyError:
            path = self._path(format_name, "expresses.json")
            raise CorpusError(f"{path} has no entry for {element!r}; add an entry") from None
        return entry

    @cached_property
    def translation(self) -> Mapping[str, Any]:
        """The content of ``translation/elements.json``: ``elements`` and ``exceptions``."""
        path = self.root / "translation" / "elements.json"
        content: Mapping[str, Any] = read_json(path)
        require(path, content, elements=dict, exceptions=list)
        return content

    def schema(self, format_name: str, direction: str) -> Any:
        """The content of ``<direction>.schema.json`` of a format."""
        key = (format_name, direction)
        if key not in self._schemas:
            self._schemas[key] = read_json(self._path(format_name, f"{direction}.schema.json"))
        return self._schemas[key]

    @cached_property
    def _schemas(self) -> dict[tuple[str, str], Any]:
        return {}

    def _path(self, format_name: str, file: str) -> Path:
        return self.root / "formats" / format_name / file
