"""The corpus as Python objects: cases, rules, schemas, vocabularies. Data only; nothing here judges."""

from __future__ import annotations

import difflib
import importlib.resources
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.equivalences import Equivalence
from toolcall_conformance.findings import Level
from toolcall_conformance.jsonvalue import JSONError, join, parse


class CorpusError(Exception):
    """A corpus file is missing or wrong; the message names the file, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: an id, a level, which bodies it binds, and why."""

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

    def level_in(self, direction: str) -> Level:
        """The level in a body of this direction: what providers refuse says nothing about their replies."""
        own = self.raw.get("level_in_replies") if direction in ("response", "stream") else None
        return Level(own) if own else self.level


class Rules(Mapping[str, Rule]):
    """The rules by id, sorted. File names give the ids; a rule is read when first needed.

    ``<scope>/<slug>`` is ``<slug>.json`` in the folder of its scope.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders
        self._read: dict[str, Rule] = {}

    @cached_property
    def _paths(self) -> Mapping[str, Path]:
        found = {f"{scope}/{path.stem}": path for scope, folder in self._folders.items() for path in _listed(folder)}
        return dict(sorted(found.items()))

    def __getitem__(self, rule_id: str) -> Rule:
        if rule_id not in self._read:
            self._read[rule_id] = _rule(rule_id, self._paths[rule_id])
        return self._read[rule_id]

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self._paths  # Mapping would read the file

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A fact about the bodies or the run, not about a fault, that lowers the level of findings.

    ``at_most`` is the highest level that they keep. ``rules`` are those it applies to, None for all.
    """

    name: str
    at_most: Level
    rules: frozenset[str] | None
    explanation: str
    why: str
    evidence: tuple[Mapping[str, Any], ...]
    since: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply in one format; ``number`` counts from 1.

    ``error`` is the provider's first answer, ``{"status", "headers", "body"}``; ``response`` is then its reply to the
    same request, sent again. At least one is present. ``stream_path`` is the file of the streamed reply, or None.
    ``broken_path`` is an incomplete stream: it holds an error, breaks off, or reached the token limit in the middle of
    a call; ``response`` is then the reply to the same request, sent again.
    """

    number: int
    request: Any
    response: Any
    request_path: Path
    response_path: Path
    error: Any = None
    error_path: Path | None = None
    stream_path: Path | None = None
    broken_path: Path | None = None


class Case:
    """A scenario of the corpus with its wire bodies by format."""

    def __init__(self, path: Path, scenario: Mapping[str, Any]) -> None:
        self.path = path
        self.scenario = scenario
        self.id: str = scenario["id"]

    def __repr__(self) -> str:
        return f"Case({self.id!r})"

    @property
    def file(self) -> Path:
        """The file that describes the case."""
        return self.path / "scenario.json"

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
        """The formats of this case: its folders."""
        return tuple(sorted(entry.name for entry in self.path.iterdir() if entry.is_dir()))

    @property
    def dialects(self) -> frozenset[str]:
        """The formats whose replies here come from a compatible vendor, with its deviations."""
        return frozenset(self.scenario.get("dialect", ()))

    def streams(self, client: str, upstream: str) -> bool:
        """Whether a client of that format could receive the upstream's streams of this case."""
        return client == upstream or upstream not in self.scenario.get("streamed_to_own_clients", ())

    def model(self, format_name: str) -> str:
        """The model of this case's bodies in a format."""
        try:
            return str(self.scenario["models"][format_name])
        except KeyError:
            raise CorpusError(f"{self.path / 'scenario.json'}: `models` has no {format_name}; add its model") from None

    @cached_property
    def _exchanges(self) -> dict[str, tuple[Exchange, ...]]:
        return {}

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """The exchanges in one format, in order. Raises CorpusError for a folder with a gap."""
        if format_name not in self._exchanges:
            self._exchanges[format_name] = tuple(_exchanges(self.path / format_name))
        return self._exchanges[format_name]


class Corpus:
    """A corpus folder, with private ones beside it."""

    def __init__(self, root: Path, extra: Sequence[Path] = ()) -> None:
        self.root = root
        self.extra = tuple(extra)
        self.manifest: Mapping[str, Any] = _manifest(root / "corpus.json")

    @property
    def version(self) -> str:
        return str(self.manifest["version"])

    @cached_property
    def formats(self) -> tuple[str, ...]:
        """The formats that have a folder, in the order of the manifest; those that it does not list come last."""
        listed = tuple(self.manifest["formats"])
        found = sorted(path.parent.name for path in self.root.glob("formats/*/format.json"))
        return (*listed, *(name for name in found if name not in listed))

    @cached_property
    def needing_memory(self) -> frozenset[str]:
        """The features of conversations in which a translator must remember something between exchanges."""
        return frozenset(name for name, entry in self.manifest["features"].items() if entry.get("remembered"))

    @cached_property
    def streamed(self) -> frozenset[str]:
        """The features of conversations that are also played with all replies streamed."""
        return frozenset(name for name, entry in self.manifest["features"].items() if entry.get("streamed"))

    @cached_property
    def cut_finely(self) -> frozenset[str]:
        """The features of replies whose streams are also cut in hostile places, and cut short."""
        return frozenset(name for name, entry in self.manifest["features"].items() if entry.get("cut_finely"))

    @cached_property
    def rules(self) -> Rules:
        """Every rule by id; each is read when first needed."""
        folders = {name: self.root / "formats" / name / "rules" for name in self.formats}
        folders["translation"] = self.root / "translation" / "rules"
        drift = self.root / "drift" / "rules"
        if drift.is_dir():  # a small corpus may do without
            folders["drift"] = drift
        return Rules(folders)

    @cached_property
    def retired(self) -> Mapping[str, tuple[str, ...]]:
        """The former rule ids, each with the ids that replaced it; no new rule gets such an id."""
        path = self.root / "retired-rules.json"
        return {was: tuple(now) for was, now in read_json(path).items()} if path.is_file() else {}

    def rule(self, rule_id: str) -> Rule:
        """A rule by id. Raises CorpusError for an unknown id."""
        try:
            return self.rules[rule_id]
        except KeyError:
            raise CorpusError(f"no rule {rule_id!r} in {self.root}") from None

    @cached_property
    def equivalences(self) -> Mapping[str, Equivalence]:
        """The accepted differences, by name."""
        return {path.parent.name: self._equivalence(path) for path in sorted(self.root.glob(_EQUIVALENCE.format("*")))}

    def _equivalence(self, path: Path) -> Equivalence:
        raw = read_json(path)
        _require(path, raw, name=str, explanation=str, evidence=list, since=str)
        if raw["name"] != path.parent.name:
            raise CorpusError(f"{path}: the name {raw['name']!r} differs from the folder's; make the two the same")
        return Equivalence.of(raw)

    def equivalence(self, name: str) -> Equivalence:
        """An equivalence by name. Raises CorpusError for an unknown name."""
        known = self._equivalences.get(name)
        if known is None:
            known = self._equivalences[name] = self._equivalence(self.root / _EQUIVALENCE.format(name))
        return known

    @cached_property
    def _equivalences(self) -> dict[str, Equivalence]:
        """The equivalences read so far: a judge needs only a few, so a start reads no others."""
        return {}

    @cached_property
    def _circumstances(self) -> dict[str, Circumstance]:
        return {}

    def circumstance(self, name: str) -> Circumstance:
        """A circumstance by name. Raises CorpusError for an unknown name."""
        if name not in self._circumstances:
            self._circumstances[name] = _circumstance(self.root / "circumstances" / f"{name}.json")
        return self._circumstances[name]

    @property
    def circumstances(self) -> Mapping[str, Circumstance]:
        """All circumstances, by name."""
        names = sorted(path.stem for path in (self.root / "circumstances").glob("*.json"))
        return {name: self.circumstance(name) for name in names}

    @cached_property
    def cases(self) -> Mapping[str, Case]:
        """Every case by id, in the order of ids. Raises CorpusError for a case that cannot run."""
        found: dict[str, Case] = {}
        for root in (self.root, *self.extra):
            if not (root / "scenarios").is_dir():
                raise CorpusError(
                    f"{root}: no folder `scenarios` in it; a corpus holds scenarios/<family>/<case>/scenario.json"
                )
            for path in sorted((root / "scenarios").glob("*/*/scenario.json")):
                case = self._case(path, root)
                if case.id in found:
                    raise CorpusError(
                        f"{path}: the case {case.id} exists twice, also in {found[case.id].path}; rename one"
                    )
                found[case.id] = case
        return dict(sorted(found.items()))

    def _case(self, path: Path, root: Path) -> Case:
        scenario = read_json(path)
        _require(path, scenario, id=str, title=str, features=list, models=dict)
        if root != self.root:
            self._check_shape(path, scenario)
        case = Case(path.parent, scenario)
        folder = "/".join(path.parts[-3:-1])
        if case.id != folder:
            raise CorpusError(f"{path}: the id {case.id!r} differs from the folder, {folder}; make the two the same")
        self._known(path, "feature", scenario["features"], self.manifest["features"])
        self._known(path, "folder of a format", case.formats, self.formats)
        for name in scenario.get("tools", []):
            places = [place / "tools" / f"{name}.json" for place in (root, self.root)]
            if not any(place.is_file() for place in places):
                raise CorpusError(f"{path}: the tool {name!r} has no file; add {places[0]} or correct the name")
        return case

    def _check_shape(self, path: Path, scenario: Any) -> None:
        """Check a private scenario against the schema; the project's tests check those of the corpus."""
        import jsonschema

        schema = read_json(self.root / "schemas" / "scenario.schema.json")
        error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(scenario))
        if error is not None:
            place = join("", *error.absolute_path) or "the whole file"
            raise CorpusError(f"{path}: {place}: {error.message[:300]}; corpus/README.md describes the file")

    def _known(self, path: Path, what: str, names: Iterable[str], vocabulary: Iterable[str]) -> None:
        known = list(vocabulary)
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(str(name), known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
                raise CorpusError(f"{path}: unknown {what} {name!r}; {hint}")

    @cached_property
    def _expresses(self) -> dict[str, Mapping[str, Any]]:
        return {name: read_json(self.root / "formats" / name / "expresses.json")["elements"] for name in self.formats}

    @cached_property
    def _formats(self) -> dict[str, Mapping[str, Any]]:
        return {name: read_json(self.root / "formats" / name / "format.json") for name in self.formats}

    @cached_property
    def transports(self) -> Mapping[str, Mapping[str, Any]]:
        """How bodies are sent, by format: the content of ``transport.json``."""
        return {name: read_json(self.root / "formats" / name / "transport.json") for name in self.formats}

    def format(self, format_name: str) -> Mapping[str, Any]:
        """The content of a format's ``format.json``: limits, marks, aliases, defaults."""
        return self._formats[format_name]

    def expression(self, format_name: str, element: str) -> Mapping[str, Any]:
        """The entry of ``expresses.json`` for an element: ``how``, ``as`` and ``conventions``."""
        try:
            entry: Mapping[str, Any] = self._expresses[format_name][element]
        except KeyError:
            raise CorpusError(
                f"{self.root}/formats/{format_name}/expresses.json has no {element!r}; add an entry"
            ) from None
        return entry

    def expresses(self, format_name: str, element: str) -> str:
        """How a format expresses an element: ``native``, ``convention`` or ``no``."""
        return str(self.expression(format_name, element)["how"])

    @cached_property
    def _translation(self) -> Mapping[str, Any]:
        path = self.root / "translation" / "elements.json"
        content: Mapping[str, Any] = read_json(path)
        _require(path, content, elements=dict, exceptions=list)
        return content

    @property
    def elements(self) -> Mapping[str, Mapping[str, Any]]:
        """Every element by name: what it is, and whether requests or replies have it."""
        elements: Mapping[str, Mapping[str, Any]] = self._translation["elements"]
        return elements

    @property
    def exceptions(self) -> Sequence[Mapping[str, Any]]:
        """Elements that two formats both express, but that may be lost between them."""
        exceptions: Sequence[Mapping[str, Any]] = self._translation["exceptions"]
        return exceptions

    @cached_property
    def _schemas(self) -> dict[tuple[str, str], Any]:
        return {}

    def schema(self, format_name: str, direction: str) -> Any:
        """The JSON Schema of a format's ``request`` or ``response`` bodies, or of its ``error`` replies."""
        key = (format_name, direction)
        if key not in self._schemas:
            self._schemas[key] = read_json(self.root / "formats" / format_name / f"{direction}.schema.json")
        return self._schemas[key]


_EQUIVALENCE = "equivalences/{}/equivalence.json"
_KINDS = {str: "a text", list: "a list", dict: "an object", bool: "true or false"}


def _require(path: Path, value: Any, **keys: type) -> None:
    """Raise CorpusError unless ``value`` is an object that has ``keys`` with these types."""
    if not isinstance(value, dict):
        raise CorpusError(f"{path}: the file must hold an object")
    for key, kind in keys.items():
        if key not in value:
            raise CorpusError(f"{path}: the key `{key}` is missing; add it")
        if not isinstance(value[key], kind):
            raise CorpusError(f"{path}: `{key}` must be {_KINDS[kind]}")


def _listed(folder: Path) -> Iterator[Path]:
    """The rule files of a folder."""
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no such folder; the corpus is incomplete, install it anew or restore the folder")
    return folder.glob("*.json")


def _rule(rule_id: str, path: Path) -> Rule:
    raw = read_json(path)
    texts = dict.fromkeys(("id", "level", "face", "element", "sentence", "breach", "why", "since"), str)
    _require(path, raw, **texts, evidence=list)
    if raw["id"] != rule_id:
        raise CorpusError(f"{path}: the id {raw['id']!r} differs from the file, {rule_id}; make the two the same")
    return Rule(
        id=rule_id,
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


def _circumstance(path: Path) -> Circumstance:
    raw = read_json(path)
    _require(path, raw, **dict.fromkeys(("name", "at_most", "explanation", "why", "since"), str), evidence=list)
    if raw["name"] != path.stem:
        raise CorpusError(f"{path}: the name {raw['name']!r} differs from the file's; make the two the same")
    rules = frozenset(raw["rules"]) if "rules" in raw else None
    return Circumstance(
        name=raw["name"],
        at_most=Level(raw["at_most"]),
        rules=rules,
        explanation=raw["explanation"],
        why=raw["why"],
        evidence=tuple(raw["evidence"]),
        since=raw["since"],
    )


def _manifest(path: Path) -> Mapping[str, Any]:
    if not path.parent.is_dir():
        raise CorpusError(f"{path.parent}: no such folder; give the folder that holds corpus.json")
    manifest: Mapping[str, Any] = read_json(path)
    _require(path, manifest, version=str, formats=list, features=dict)
    return manifest


def _exchanges(folder: Path) -> Iterator[Exchange]:
    """The exchanges of one folder; they count from 1 without a gap, each with a request and a reply.

    Any may have an error before its reply; the last may have an error instead of one.
    """
    names = {path.name for path in folder.glob("[0-9][0-9]-*")}
    numbers = sorted({name[:2] for name in names if name[3:] in ("request.json", "response.json", "error.json")})
    if not numbers:
        raise CorpusError(f"{folder}: no 01-request.json in it; render the case or delete the folder")
    for expected, number in enumerate(numbers, 1):
        if int(number) != expected:
            raise CorpusError(f"{folder}: {expected:02}-request.json is missing, though {number} is there; add it")
        request, response, error = (folder / f"{number}-{part}.json" for part in ("request", "response", "error"))
        stream, broken = (folder / f"{number}-{part}.sse" for part in ("response", "broken"))
        failed = error.name in names
        ends = failed and number == numbers[-1] and response.name not in names
        yield Exchange(
            expected,
            read_json(request),
            None if ends else read_json(response),
            request,
            response,
            read_json(error) if failed else None,
            error if failed else None,
            stream if stream.name in names else None,
            broken if broken.name in names else None,
        )


def read_json(path: Path) -> Any:
    """Read a JSON file of the corpus. Raises CorpusError if it is missing or not JSON."""
    try:
        return parse(path.read_bytes())
    except FileNotFoundError:
        raise CorpusError(
            f"{path}: no such file; the corpus is incomplete, install it anew or restore the file"
        ) from None
    except JSONError as error:
        raise CorpusError(f"{path}: {error}; fix the file") from None
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from None


def default_root() -> Path:
    """The corpus folder: inside the installed package, or beside it in a checkout."""
    inside = Path(str(importlib.resources.files("toolcall_conformance"))) / "corpus"
    if (inside / "corpus.json").is_file():
        return inside
    return Path(__file__).resolve().parents[2] / "corpus"


_loaded: dict[tuple[Path, tuple[Path, ...]], Corpus] = {}


def load_corpus(root: Path | None = None, extra: Sequence[Path] = ()) -> Corpus:
    """Load the corpus at ``root`` (default: the project's), with private folders. Loads each once per process."""
    key = (root or default_root(), tuple(extra))
    if key not in _loaded:
        _loaded[key] = Corpus(*key)
    return _loaded[key]
