"""Drawn scenarios as cases: what writes their bodies is reached by its name, as a translator is."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.library import Case, Exchange
from toolcall_conformance.trust.dialects import JOINED, Dialects

#: The renderer that the package has, a function of a scenario, its tools by name, and a format.
RENDERER = "toolcall_reference.render:texts"
DIALECT = "dialect"
"""The member of a scenario that names, by format, the habits of the server whose replies there are, joined."""
Renderer = Callable[[dict[str, Any], dict[str, dict[str, Any]], str], Mapping[str, str]]


class RendererError(Exception):
    """A renderer that cannot be used; the message says why and what to do."""


def load_renderer(spec: str) -> Renderer:
    """The function at ``package.module:function``. Raises RendererError."""
    name, colon, attribute = spec.partition(":")
    if not colon or not all(part.isidentifier() for part in (*name.split("."), attribute)):
        raise RendererError(f"{spec!r} names no function; write package.module:function")
    try:
        function = getattr(importlib.import_module(name), attribute, None)
    except ImportError as error:
        raise RendererError(f"{spec!r} cannot be imported: {error}; install it, or name another renderer") from None
    if not callable(function):
        raise RendererError(f"{spec!r} is no function; it must take a scenario, its tools by name, and a format")
    renderer: Renderer = function
    return renderer


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn scenario with its tools by name; ``key`` tells it from all others."""

    scenario: dict[str, Any]
    tools: dict[str, dict[str, Any]]

    @property
    def key(self) -> str:
        return json.dumps([self.scenario, self.tools], sort_keys=True)


class DrawnCase(Case):
    """A drawn scenario whose bodies no file holds. ``texts`` are those of its files, by format and name."""

    def __init__(self, drawn: Drawn, case_id: str, texts: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__(Path(case_id), {**drawn.scenario, "id": case_id})
        self.drawn = drawn
        self.texts = texts

    @cached_property
    def formats(self) -> tuple[str, ...]:
        return tuple(sorted(self.texts))

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        if format_name not in self._exchanges:
            texts, numbers = self.texts[format_name], range(1, 100)
            existing_numbers = [number for number in numbers if f"{number:02}-request.json" in texts]
            self._exchanges[format_name] = tuple(
                _exchange(self.path / format_name, texts, number) for number in existing_numbers
            )
        return self._exchanges[format_name]


def _exchange(folder: Path, texts: Mapping[str, str], number: int) -> Exchange:
    request, response, stream, error = (
        f"{number:02}-{part}" for part in ("request.json", "response.json", "response.sse", "error.json")
    )
    return Exchange(
        number,
        json.loads(texts[request]),
        json.loads(texts[response]),
        folder / request,
        folder / response,
        error=json.loads(texts[error]) if error in texts else None,
        error_path=folder / error if error in texts else None,
        stream_path=folder / stream if stream in texts else None,
        streamed=texts[stream].encode() if stream in texts else None,
    )


def rendered(drawn: Drawn, renderer: Renderer, case_id: str, formats: Iterable[str]) -> DrawnCase:
    """A drawn scenario as a case in some formats, in no dialect. Raises what the renderer raises."""
    scenario = {key: value for key, value in drawn.scenario.items() if key != DIALECT} | {"id": case_id}
    texts = {name: dict(renderer(scenario, drawn.tools, name)) for name in formats}
    return DrawnCase(drawn, case_id, texts)


def spoken(case: DrawnCase, dialects: Mapping[str, Dialects]) -> DrawnCase:
    """The same case with its replies in the dialects that its scenario names."""
    texts = dict(case.texts)
    for name, habits in case.drawn.scenario.get(DIALECT, {}).items():
        if name in texts:
            names, dialect = habits.split(JOINED), dialects[name]
            texts[name] = {file: dialect.written(names, file, text) for file, text in texts[name].items()}
    return DrawnCase(case.drawn, case.id, texts)
