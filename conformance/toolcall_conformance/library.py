"""The corpus as Python objects: cases, rules, schemas, vocabularies. Data only; nothing here judges."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.findings import Level
from toolcall_conformance.jsonvalue import JSONError, parse


class CorpusError(Exception):
    """A corpus file that is missing or wrong; the message says which file, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: an id, a level, whom it binds, and why."""

    id: str
    level: Level
    face: str
    sentence: str
    breach: str
    why: str
    element: str
    since: str
    evidence: tuple[Mapping[str, Any], ...]
    raw: Mapping[str, Any] = field(repr=False, hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply in one format; ``number`` counts from 1."""

    number: int
    request: Any
    response: Any
    request_path: Path
    response_path: Path


class Case:
    """A scenario of the corpus with its wire bodies by format."""

    def __init__(self, path: Path, scenario: Mapping[str, Any]) -> None:
        self.path = path
        self.scenario = scenario
        self.id: str = scenario["id"]

    def __repr__(self) -> str:
        return f"Case({self.id!r})"

    @property
    def family(self) -> str:
        return self.id.split("/")[0]

    @property
    def title(self) -> str:
        return str(self.scenario["title"])

    @property
    def features(self) -> frozenset[str]:
        return frozenset(self.scenario["features"])

    @cached_property
    def formats(self) -> tuple[str, ...]:
        """The formats that this case has been rendered in: its folders."""
        return tuple(sorted(entry.name for entry in self.path.iterdir() if entry.is_dir()))

    def model(self, format_name: str) -> str:
        """The model that this case's bodies of a format are addressed to."""
        return str(self.scenario["models"][format_name])

    @cached_property
    def _exchanges(self) -> dict[str, tuple[Exchange, ...]]:
        return {}

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """The exchanges in one format, in order."""
        if format_name not in self._exchanges:
            folder = self.path / format_name
            found = []
            for request in sorted(folder.glob("[0-9][0-9]-request.json")):
                response = folder / request.name.replace("request", "response")
                found.append(
                    Exchange(int(request.name[:2]), read_json(request), read_json(response), request, response)
                )
            self._exchanges[format_name] = tuple(found)
        return self._exchanges[format_name]


class Corpus:
    """A corpus folder, and private ones beside it."""

    def __init__(self, root: Path, extra: Sequence[Path] = ()) -> None:
        self.root = root
        self.extra = tuple(extra)
        self.manifest: Mapping[str, Any] = read_json(root / "corpus.json")

    @property
    def version(self) -> str:
        return str(self.manifest["version"])

    @property
    def formats(self) -> tuple[str, ...]:
        return tuple(self.manifest["formats"])

    @cached_property
    def rules(self) -> Mapping[str, Rule]:
        """Every rule by id."""
        files = [self.root / "formats" / name / "rules.json" for name in self.formats]
        files.append(self.root / "translation" / "rules.json")
        found: dict[str, Rule] = {}
        for path in files:
            for raw in read_json(path)["rules"]:
                if raw["id"] in found:
                    raise CorpusError(f"{path}: the rule {raw['id']} is there twice; rename one of the two")
                found[raw["id"]] = Rule(
                    id=raw["id"],
                    level=Level(raw["level"]),
                    face=raw["face"],
                    sentence=raw["sentence"],
                    breach=raw["breach"],
                    why=raw["why"],
                    element=raw["element"],
                    since=raw["since"],
                    evidence=tuple(raw["evidence"]),
                    raw=raw,
                )
        return found

    def rule(self, rule_id: str) -> Rule:
        """A rule by id; CorpusError for an id that no file has."""
        try:
            return self.rules[rule_id]
        except KeyError:
            raise CorpusError(f"no rule {rule_id!r} in {self.root}") from None

    @cached_property
    def cases(self) -> Mapping[str, Case]:
        """Every case by id, in the order of ids."""
        found: dict[str, Case] = {}
        for root in (self.root, *self.extra):
            for path in sorted((root / "scenarios").glob("*/*/scenario.json")):
                case = Case(path.parent, _scenario(path))
                if case.id in found:
                    raise CorpusError(f"{path}: the case {case.id} is there twice ({found[case.id].path})")
                found[case.id] = case
        return dict(sorted(found.items()))

    @cached_property
    def _expresses(self) -> dict[str, Mapping[str, Any]]:
        return {name: read_json(self.root / "formats" / name / "expresses.json")["elements"] for name in self.formats}

    @cached_property
    def _formats(self) -> dict[str, Mapping[str, Any]]:
        return {name: read_json(self.root / "formats" / name / "format.json") for name in self.formats}

    def format(self, format_name: str) -> Mapping[str, Any]:
        """What ``format.json`` says of a format: limits, marks, aliases, defaults."""
        return self._formats[format_name]

    def expresses(self, format_name: str, element: str) -> str:
        """How a format expresses an element: ``native``, ``convention`` or ``no``."""
        try:
            return str(self._expresses[format_name][element]["how"])
        except KeyError:
            raise CorpusError(
                f"{self.root}/formats/{format_name}/expresses.json says nothing of {element!r}; add an entry"
            ) from None

    @cached_property
    def _schemas(self) -> dict[tuple[str, str], Any]:
        return {}

    def schema(self, format_name: str, direction: str) -> Any:
        """The JSON Schema of a format's ``request`` or ``response`` bodies."""
        key = (format_name, direction)
        if key not in self._schemas:
            self._schemas[key] = read_json(self.root / "formats" / format_name / f"{direction}.schema.json")
        return self._schemas[key]


def _scenario(path: Path) -> Mapping[str, Any]:
    """A case's scenario.json, with the keys that the rest relies on. Raises CorpusError."""
    raw = read_json(path)
    if not isinstance(raw, dict):
        raise CorpusError(f"{path}: a scenario is a JSON object")
    for key, kind, name in (
        ("id", str, "text"),
        ("title", str, "text"),
        ("features", list, "a list"),
        ("models", dict, "an object"),
    ):
        if not isinstance(raw.get(key), kind):
            raise CorpusError(f"{path}: `{key}` must be there and be {name}")
    folder = "/".join(path.parts[-3:-1])
    if raw["id"] != folder:
        raise CorpusError(f"{path}: the id {raw['id']!r} differs from the folder, {folder}; make the two the same")
    return raw


def read_json(path: Path) -> Any:
    """A corpus file's JSON; CorpusError with the path if it is missing or not JSON."""
    try:
        return parse(path.read_bytes())
    except FileNotFoundError:
        raise CorpusError(
            f"{path}: no such file; the corpus is incomplete, install it anew or restore the file"
        ) from None
    except JSONError as error:
        raise CorpusError(f"{path}: {error}; mend the file") from None
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None


def default_root() -> Path:
    """Where the corpus is: inside the installed package, else beside it in a checkout."""
    inside = Path(str(importlib.resources.files("toolcall_conformance"))) / "corpus"
    if (inside / "corpus.json").is_file():
        return inside
    return Path(__file__).resolve().parents[2] / "corpus"


_loaded: dict[tuple[Path, tuple[Path, ...]], Corpus] = {}


def load_corpus(root: Path | None = None, extra: Sequence[Path] = ()) -> Corpus:
    """The corpus at ``root`` (by default ours), with private folders beside it. Loaded once a process."""
    key = (root or default_root(), tuple(extra))
    if key not in _loaded:
        _loaded[key] = Corpus(*key)
    return _loaded[key]
