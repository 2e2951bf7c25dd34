"""A corpus folder as one object: the manifest, and the contents of the files next to it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.library.cases import Case
from toolcall_conformance.library.circumstances import Circumstance, read_circumstance
from toolcall_conformance.library.equivalences import Criteria, Equivalence
from toolcall_conformance.library.files import CorpusError, read_json, require
from toolcall_conformance.library.formats import FormatFiles
from toolcall_conformance.library.own_tools import OwnTools
from toolcall_conformance.library.rules import Rule, Rules
from toolcall_conformance.library.scenarios import Scenarios


class Corpus:
    """A corpus folder, with private ones."""

    def __init__(self, root: Path, extra: Sequence[Path] = ()) -> None:
        self.root = root
        self.extra = tuple(extra)
        self.manifest: Mapping[str, Any] = _read_manifest(root / "corpus.json")

    @property
    def version(self) -> str:
        return str(self.manifest["version"])

    @cached_property
    def formats(self) -> tuple[str, ...]:
        """The formats that have a folder: first those in the manifest, in its order, then the others by name."""
        listed = tuple(self.manifest["formats"])
        names = sorted(path.parent.name for path in self.root.glob("formats/*/format.json"))
        return (*listed, *(name for name in names if name not in listed))

    @cached_property
    def needing_memory(self) -> frozenset[str]:
        """The features of conversations in which a translator needs memory from one exchange to the next."""
        return self._features_with("remembered")

    @cached_property
    def streamed(self) -> frozenset[str]:
        """The features of conversations that are also played with all replies streamed."""
        return self._features_with("streamed")

    @cached_property
    def cut_finely(self) -> frozenset[str]:
        """The features of replies whose streams are also cut in hostile places, and cut short."""
        return self._features_with("cut_finely")

    @cached_property
    def streamed_at_once(self) -> frozenset[str]:
        """The features of replies whose streams are also read in turns with another one's."""
        return self._features_with("streamed_at_once")

    @cached_property
    def quick(self) -> Mapping[str, Mapping[str, Sequence[str]]]:
        """The items of ``toolcall::@quick``: cases by check and the last part of a node id. Raises CorpusError."""
        items: Mapping[str, Mapping[str, Sequence[str]]] = read_json(self.root / "quick.json")["items"]
        return items

    def _features_with(self, key: str) -> frozenset[str]:
        return frozenset(name for name, entry in self.manifest["features"].items() if entry.get(key))

    @cached_property
    def cases(self) -> Mapping[str, Case]:
        """Every case by id, in the order of ids. Raises CorpusError for a case that cannot be run."""
        return Scenarios(self.root, self.extra, self.manifest["features"], self.formats).cases()

    @cached_property
    def families(self) -> Mapping[str, str]:
        """The families that have cases, each with what its cases are about; empty where the corpus does not say."""
        path = self.root / "families.json"
        descriptions = read_json(path) if path.is_file() else {}  # a small corpus may do without
        return {name: str(descriptions.get(name, "")) for name in sorted({case.split("/")[0] for case in self.cases})}

    @cached_property
    def rules(self) -> Rules:
        """Every rule by id. A rule's file is read when the rule is first needed."""
        folders = {name: self.root / "formats" / name / "rules" for name in self.formats}
        folders["translation"] = self.root / "translation" / "rules"
        drift = self.root / "drift" / "rules"
        if drift.is_dir():  # a small corpus may do without
            folders["drift"] = drift
        otel = self.root / "otel" / "rules"
        if otel.is_dir():
            folders["otel"] = otel
        return Rules(folders)

    def rule(self, rule_id: str) -> Rule:
        """A rule by id. Raises CorpusError for an unknown id."""
        try:
            return self.rules[rule_id]
        except KeyError:
            close = difflib.get_close_matches(rule_id, self.rules, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise CorpusError(f"no rule {rule_id!r} in {self.root}{hint}") from None

    @cached_property
    def retired(self) -> Mapping[str, tuple[str, ...]]:
        """The ids that rules had once, each with the ids that replace it; no rule gets such an id again."""
        path = self.root / "retired-rules.json"
        return {was: tuple(now) for was, now in read_json(path).items()} if path.is_file() else {}

    @property
    def equivalences(self) -> Mapping[str, Equivalence]:
        """The accepted differences, by name."""
        paths = sorted(self.root.glob("equivalences/*/equivalence.json"))
        return {path.parent.name: self.equivalence(path.parent.name) for path in paths}

    def equivalence(self, name: str) -> Equivalence:
        """An equivalence by name. Raises CorpusError for an unknown name."""
        if name not in self._equivalences:
            self._equivalences[name] = _read_equivalence(self.root / "equivalences" / name / "equivalence.json")
        return self._equivalences[name]

    @cached_property
    def _equivalences(self) -> dict[str, Equivalence]:
        """The equivalences read so far: a judge needs the words of a few, and a small run must start quickly."""
        return {}

    @cached_property
    def alignment(self) -> Criteria:
        """How a judge matches the calls, tools and texts of a translation with those of its source."""
        return Criteria(read_json(self.root / "translation" / "alignment.json"))

    @cached_property
    def places(self) -> Mapping[str, Mapping[str, Any]]:
        """Which keys of a JSON Pointer lead to what a user names; the content of ``translation/places.json``."""
        places: Mapping[str, Mapping[str, Any]] = read_json(self.root / "translation" / "places.json")
        return places

    @cached_property
    def harm(self) -> Mapping[str, Mapping[str, Any]]:
        """Which findings reports show first, and which mean the same; the content of ``translation/harm.json``."""
        harm: Mapping[str, Mapping[str, Any]] = read_json(self.root / "translation" / "harm.json")
        return harm

    @cached_property
    def consequences(self) -> Mapping[str, Any]:
        """Which finding follows from which other one; the content of ``translation/consequences.json``."""
        consequences: Mapping[str, Any] = read_json(self.root / "translation" / "consequences.json")
        return consequences

    @cached_property
    def otel(self) -> Mapping[str, Any]:
        """What is known of OpenTelemetry's GenAI messages; the content of ``otel/otel.json``."""
        document: Mapping[str, Any] = read_json(self.root / "otel" / "otel.json")
        return document

    def otel_schema(self, name: str) -> Any:
        """An official schema of these messages, as it was published."""
        return read_json(self.root / "otel" / "schemas" / name)

    @cached_property
    def words(self) -> Mapping[str, Mapping[str, Mapping[str, str]]]:
        """What the words of runs and reports mean, by the kind of word: verdicts, levels, losses, checks, variants."""
        path = self.root / "words.json"
        return read_json(path) if path.is_file() else {}  # a small corpus may do without

    @property
    def circumstances(self) -> Mapping[str, Circumstance]:
        """The circumstances that lower the level of findings, by name."""
        names = sorted(path.stem for path in (self.root / "circumstances").glob("*.json"))
        return {name: self.circumstance(name) for name in names}

    def circumstance(self, name: str) -> Circumstance:
        """A circumstance by name. Raises CorpusError for an unknown name."""
        if name not in self._circumstances:
            self._circumstances[name] = read_circumstance(self.root / "circumstances" / f"{name}.json")
        return self._circumstances[name]

    @cached_property
    def _circumstances(self) -> dict[str, Circumstance]:
        return {}

    @cached_property
    def _format_files(self) -> FormatFiles:
        return FormatFiles(self.root, self.formats)

    @property
    def transports(self) -> Mapping[str, Mapping[str, Any]]:
        """How bodies are sent, by format: the content of ``transport.json``."""
        return self._format_files.transports

    def format(self, format_name: str) -> Mapping[str, Any]:
        """The content of a format's ``format.json``: limits, marks, aliases, defaults."""
        return self._format_files.formats[format_name]

    def own_tools(self, format_name: str) -> OwnTools:
        """The tools that a format's API itself defines."""
        return self._format_files.own_tools[format_name]

    def expression(self, format_name: str, element: str) -> Mapping[str, Any]:
        """The entry of ``expresses.json`` for an element: ``how``, ``as`` and ``conventions``."""
        return self._format_files.expression(format_name, element)

    def expresses(self, format_name: str, element: str) -> str:
        """How a format expresses an element: ``native``, ``convention`` or ``no``."""
        return str(self.expression(format_name, element)["how"])

    @property
    def elements(self) -> Mapping[str, Mapping[str, Any]]:
        """Every element by name: what it is, and whether requests or replies have it."""
        elements: Mapping[str, Mapping[str, Any]] = self._format_files.translation["elements"]
        return elements

    @property
    def exceptions(self) -> Sequence[Mapping[str, Any]]:
        """Elements that two formats both express, but that need not survive between them."""
        exceptions: Sequence[Mapping[str, Any]] = self._format_files.translation["exceptions"]
        return exceptions

    def schema(self, format_name: str, direction: str) -> Any:
        """The JSON Schema of a format's ``request`` or ``response`` bodies, or of its ``error`` replies."""
        return self._format_files.schema(format_name, direction)


def _read_manifest(path: Path) -> Mapping[str, Any]:
    if not path.parent.is_dir():
        raise CorpusError(f"{path.parent}: no such folder; give the folder that holds corpus.json")
    manifest: Mapping[str, Any] = read_json(path)
    require(path, manifest, version=str, formats=list, features=dict)
    return manifest


def _read_equivalence(path: Path) -> Equivalence:
    raw = read_json(path)
    require(path, raw, name=str, explanation=str, evidence=list, since=str)
    if raw["name"] != path.parent.name:
        raise CorpusError(f"{path}: the name {raw['name']!r} differs from the folder's; make the two the same")
    return Equivalence.of(raw)
