"""Reads the scenarios of corpus folders, and says what is wrong with one that cannot be run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.close_names import close_name_advice
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.library import packs
from toolcall_conformance.library.cases import Case
from toolcall_conformance.library.files import CorpusError, read_json, require


@dataclass(frozen=True)
class Scenarios:
    """The scenarios of a corpus at ``root`` and of private folders, with the names that they may use."""

    root: Path
    extra: Sequence[Path]
    features: Iterable[str]
    formats: Sequence[str]

    def cases(self) -> Mapping[str, Case]:
        """Every case by id, in the order of ids. Raises CorpusError for a case that cannot be run."""
        cases: dict[str, Case] = {}
        for root in (self.root, *self.extra):
            if not (root / "scenarios").is_dir():
                raise CorpusError(
                    f"{root}: no folder `scenarios` in it; a corpus holds scenarios/<family>/<case>/scenario.json"
                )
            for path in sorted(_files(root / "scenarios")):
                case = self._case(path, root)
                if case.id in cases:
                    raise CorpusError(
                        f"{path}: the case {case.id} exists twice, also in {cases[case.id].path}; rename one"
                    )
                cases[case.id] = case
        return dict(sorted(cases.items()))

    def _case(self, path: Path, root: Path) -> Case:
        scenario = read_json(path, packs.folder(path.parent).read)
        require(path, scenario, id=str, title=str, features=list, models=dict)
        if root != self.root:
            self._check_schema(path, scenario)
        case = Case(path.parent, scenario)
        folder = "/".join(path.parts[-3:-1])
        if case.id != folder:
            raise CorpusError(f"{path}: the id {case.id!r} differs from the folder, {folder}; make the two the same")
        _check_names(path, "feature", scenario["features"], self.features)
        _check_names(path, "folder of a format", case.formats, self.formats)
        for name in scenario.get("tools", []):
            files = [each / "tools" / f"{name}.json" for each in (root, self.root)]
            if not any(os.path.isfile(file) for file in files):  # noqa: PTH113 - Path's raises for a name too long
                tool_name, file = f"{name!r:.100}", f"{files[0]!s:.200}"
                raise CorpusError(f"{path}: the tool {tool_name} has no file; add {file} or correct the name")
        return case

    def _check_schema(self, path: Path, scenario: Any) -> None:
        """Check a private scenario against the schema; ours are checked in the project's own tests."""
        import jsonschema

        schema = read_json(self.root / "schemas" / "scenario.schema.json")
        listed = {"files": {}, **scenario}  # who made a private body, its owner knows; rendering fills it in
        error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(listed))
        if error is not None:
            place = join("", *error.absolute_path) or "the whole file"
            raise CorpusError(f"{path}: {place}: {error.message[:300]}; corpus/keys.md describes the file")


def _files(scenarios: Path) -> Iterator[Path]:
    """The file of each scenario, be it on the disk or in a pack."""
    yield from scenarios.glob("*/*/scenario.json")
    for pack in scenarios.glob(f"*/*{packs.SUFFIX}"):
        yield pack.with_name(pack.name.removesuffix(packs.SUFFIX)) / "scenario.json"


def _check_names(path: Path, noun: str, names: Iterable[str], vocabulary: Iterable[str]) -> None:
    choices = list(vocabulary)
    for name in names:
        if name not in choices:
            advice = close_name_advice(name, choices, f"known are {', '.join(sorted(choices))}")
            raise CorpusError(f"{path}: unknown {noun} {name!r}; {advice}")
