"""Generated scenarios as cases: rendered, in the dialects of compatible servers, as a folder, and all as one case.

The renderer of their bodies is named as a translator is: ``package.module:function``.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
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
class GeneratedScenario:
    """A generated scenario with its tools by name; ``key`` identifies it."""

    scenario: dict[str, Any]
    tools: dict[str, dict[str, Any]]

    @property
    def key(self) -> str:
        return json.dumps([self.scenario, self.tools], sort_keys=True)


class GeneratedCase(Case):
    """A generated scenario whose bodies no file holds. ``texts`` are those of its files, by format and name."""

    def __init__(self, generated: GeneratedScenario, case_id: str, texts: Mapping[str, Mapping[str, str]]) -> None:
        super().__init__(Path(case_id), {**generated.scenario, "id": case_id})
        self.generated = generated
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


def render(drawn: GeneratedScenario, renderer: Renderer, case_id: str, formats: Iterable[str]) -> GeneratedCase:
    """A generated scenario as a case in some formats, in no dialect. Raises what the renderer raises."""
    scenario = {key: value for key, value in drawn.scenario.items() if key != DIALECT} | {"id": case_id}
    texts = {name: dict(renderer(scenario, drawn.tools, name)) for name in formats}
    return GeneratedCase(drawn, case_id, texts)


def in_dialects(case: GeneratedCase, dialects: Mapping[str, Dialects]) -> GeneratedCase:
    """The same case with its replies in the dialects that its scenario names."""
    texts = dict(case.texts)
    for name, habits in case.generated.scenario.get(DIALECT, {}).items():
        if name in texts:
            names, dialect = habits.split(JOINED), dialects[name]
            texts[name] = {file: dialect.rewrite_file(names, file, text) for file, text in texts[name].items()}
    return GeneratedCase(case.generated, case.id, texts)


def write(folder: Path, case: GeneratedCase) -> None:
    """Write a corpus folder with this one case; a folder of that name is replaced. Raises OSError."""
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        place = temporary / "scenarios" / case.id
        place.mkdir(parents=True)
        (temporary / "tools").mkdir()
        _write_json(place / "scenario.json", dict(case.scenario))
        for name, tool in case.generated.tools.items():
            _write_json(temporary / "tools" / f"{name}.json", tool)
        for format_name, texts in case.texts.items():
            (place / format_name).mkdir()
            for name, text in texts.items():
                (place / format_name / name).write_bytes(text.encode())
        shutil.rmtree(folder, ignore_errors=True)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


FAMILY = "fuzz"
CHECK = "conversations"
CASE = f"{FAMILY}/drawn"


class AllGenerated(Case):
    """The case ``fuzz/drawn``: all generated conversations together, in all formats, without bodies of its own."""

    def __init__(self, formats: Sequence[str], root: Path) -> None:
        title = "generated conversations"
        super().__init__(root, {"id": CASE, "title": title, "features": [], "models": {}})
        self._formats = tuple(formats)

    @property
    def file(self) -> Path:
        return self.path

    @cached_property
    def formats(self) -> tuple[str, ...]:
        return self._formats

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        del format_name
        return ()
