"""The pairs of a file as cases and items: each output is an item, which needs no translator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.visible_text import pluralize, visible
from toolcall_conformance.checks.base import Harness, ItemResult, OpenSession, Tally
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.library import Case, Corpus, Exchange
from toolcall_conformance.recording.pairs import readers
from toolcall_conformance.recording.pairs.description import (
    Description,
    PairsError,
    PairTable,
    UnreadableGoldenError,
    read_description,
)
from toolcall_conformance.recording.pairs.hidden_values import HiddenValues, judge_pair

FAMILY = "pairs"
_UNJUDGED = " is not judged"
_REASONS = 6
CHECK_OF = {"request": "request", "response": "response", "error": "response", "stream": "stream"}
"""The check in whose column of a report an item counts, by direction."""


class PairCase(Case):
    """One pair. Its id is ``pairs/`` and the path of the output; ``source`` and ``output`` are the bodies."""

    def __init__(
        self, id: str, file: Path, kind: PairTable, route: Route, bodies: tuple[Any, Any], hidden: HiddenValues
    ) -> None:
        super().__init__(file.parent, {"id": id, "title": f"golden file {file.name}", "features": [], "models": {}})
        self._file, self.direction, self.route = file, kind.direction, route
        self.ends = Ends(route.client, route.upstream, kind.client_model, kind.upstream_model)
        self.source, self.output = bodies
        self.hidden = hidden

    @property
    def file(self) -> Path:
        return self._file

    @property
    def check(self) -> str:
        return CHECK_OF[self.direction]

    @property
    def formats(self) -> tuple[str, ...]:
        return tuple(sorted({self.route.client, self.route.upstream}))

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """One exchange, of whose bodies only those of the pair are known."""
        del format_name
        return (Exchange(1, self.source, None, self._file, self._file),)


@dataclass(frozen=True)
class Pairs:
    """What a file of pairs leads to. ``left_out`` has the files that are not judged, by reason."""

    description: Description
    cases: Mapping[str, PairCase]
    left_out: Mapping[str, Sequence[str]]
    idle: Sequence[str] = ()
    """A sentence for each pattern that fits no file."""

    @property
    def hidden(self) -> int:
        """How many places of the outputs are hidden, and so not judged."""
        return sum(case.hidden.count(case.output) for case in self.cases.values())

    @property
    def summary(self) -> str:
        """What was found, in a sentence."""
        text = f"{len(self.cases)} pair{'' if len(self.cases) == 1 else 's'} of golden files"
        if self.hidden:
            text += f", {self.hidden} hidden value{'' if self.hidden == 1 else 's'} in them"
        if self.left_out:
            reasons = [f"{len(names)} × {reason}" for reason, names in self.left_out.items()][:_REASONS]
            more = (
                [f"{pluralize(len(self.left_out) - _REASONS, 'more reason')}"] if len(self.left_out) > _REASONS else []
            )
            text += f"; left out: {', '.join([*reasons, *more])}"
        return text

    @property
    def warnings(self) -> list[str]:
        """What may be a mistake in the file of pairs."""
        return [f"warning: {sentence}" for sentence in self.idle]

    def to_json(self) -> dict[str, Any]:
        """For a report."""
        return {
            "pairs": len(self.cases),
            "hidden": self.hidden,
            "left_out": {reason: [*names] for reason, names in self.left_out.items()},
            **({"idle": [*self.idle]} if self.idle else {}),
        }


def load_pairs(corpus: Corpus, path: Path) -> Pairs:
    """Find and read the pairs that a file describes. Raises PairsError, also where there are none."""
    description = read_description(path, corpus.formats)
    finder = _Finder(corpus, description)
    for kind in description.kinds:
        finder.find(kind)
    if not finder.cases:
        raise PairsError(f"{path}: {finder.empty_reason()}")
    return Pairs(description, finder.cases, finder.reasons(), [*finder.idle()])


class _Finder:
    def __init__(self, corpus: Corpus, description: Description) -> None:
        self._corpus, self._told = corpus, description
        self._hidden = HiddenValues(description.redacted)
        self._words = {end: frozenset(description.words) for end in ("client", "upstream")}
        self._models = {
            name: next(case.model(name) for case in corpus.cases.values() if name in case.formats)
            for name in corpus.formats
        }
        self._fitting: dict[str, int] = dict.fromkeys(description.leave_out, 0)
        self.cases: dict[str, PairCase] = {}
        self.left_out: defaultdict[str, list[str]] = defaultdict(list)
        self._seen = 0

    def find(self, kind: PairTable) -> None:
        """The pairs of one table."""
        for file in kind.output.files(self._told.folder):
            path = file.relative_to(self._told.folder).as_posix()
            if unwanted := [pattern for pattern in self._told.leave_out if fnmatch(path, pattern)]:
                self._fitting |= {pattern: self._fitting[pattern] + 1 for pattern in unwanted}
                continue
            for entry in self._entries(kind, file, path):
                fields = kind.output.match(path, entry, self._words)
                if fields is not None:
                    self._seen += 1
                    self._fitting[kind.output.text] = self._fitting.get(kind.output.text, 0) + 1
                    self._add(kind, file, path, entry, fields)

    def _entries(self, kind: PairTable, file: Path, path: str) -> list[Any]:
        if kind.output.entry is None:
            return [None]
        try:
            return readers.entry_names(file)
        except UnreadableGoldenError as error:
            self.left_out[str(error)].append(path)
            return []

    def _add(self, kind: PairTable, file: Path, path: str, entry: str | None, fields: Mapping[str, str]) -> None:
        name = path if entry is None else f"{path}#{entry}"
        ends = dict(kind.ends)
        for end in {"client", "upstream"} & fields.keys():
            word = fields[end]
            if word not in self._told.words:
                self.left_out[f"[formats] does not define {word!r}"].append(name)
                return
            format_name = self._told.words[word]
            if format_name is None:
                self.left_out[f"{word}{_UNJUDGED}"].append(name)
                return
            ends[end] = format_name
        source_path, source_entry = kind.source.fill(fields)
        source_file = self._told.folder / source_path
        if source_file == file and source_entry == entry and kind.source_body == kind.output_body:
            return
        if not source_file.is_file():
            self.left_out["its source is not there"].append(f"{name} ({source_path})")
            return
        id = f"{FAMILY}/{visible(_id(name))}"
        client, upstream = ends["client"], ends["upstream"]
        try:
            bodies = self._bodies(kind, (source_file, source_entry), (file, entry), ends)
        except UnreadableGoldenError as error:
            self.left_out[str(error)].append(name)
            return
        if id in self.cases:
            raise PairsError(f"{self._told.path}: two tables [[pairs]] take {path}; change one of their patterns")
        route = Route(
            client,
            upstream,
            kind.client_model or self._models[client],
            kind.upstream_model or self._models[upstream],
            stream=kind.direction == "stream",
        )
        self.cases[id] = PairCase(id, file, kind, route, bodies, self._hidden)

    def _bodies(
        self, kind: PairTable, source: tuple[Path, str | None], output: tuple[Path, str | None], ends: Mapping[str, str]
    ) -> tuple[Any, Any]:
        if kind.direction != "stream":
            return _body("its source", source, kind.source_body), _body("", output, kind.output_body)
        return (
            _stream("its source", source, kind.source_body, ends["upstream"], self._corpus),
            _stream("", output, kind.output_body, ends["client"], self._corpus),
        )

    def idle(self) -> Iterator[str]:
        """A sentence for each pattern that fits no file."""
        for number, kind in enumerate(self._told.kinds, 1):
            if not self._fitting.get(kind.output.text):
                yield f"[[pairs]] number {number}: no file fits {kind.output.text}"
        for pattern in self._told.leave_out:
            if not self._fitting[pattern]:
                yield f"leave_out: no file fits {pattern}"

    def reasons(self) -> dict[str, list[str]]:
        """The files that are left out, by reason, the most frequent first; not what another table has taken."""
        case_ids = {case.id for case in self.cases.values()}
        names_by_reason: defaultdict[str, list[str]] = defaultdict(list)
        # The user's own word for a file is a better reason than a pattern that does not fit.
        for reason in sorted(self.left_out, key=lambda reason: not reason.endswith(_UNJUDGED)):
            for name in self.left_out[reason]:
                if (id := f"{FAMILY}/{visible(_id(name))}") not in case_ids:
                    case_ids.add(id)
                    names_by_reason[reason].append(name)
        return dict(sorted(names_by_reason.items(), key=lambda entry: (_is_deliberate(entry[0]), -len(entry[1]))))

    def empty_reason(self) -> str:
        """Why there is no pair."""
        if self.left_out:
            reason, names = max(self.left_out.items(), key=lambda entry: len(entry[1]))
            more = (
                f"; and {pluralize(len(self.left_out) - 1, 'other reason')}" if self.left_out.keys() - {reason} else ""
            )
            return f"no pair can be judged: {len(names)} × {reason} (as {names[0]}){more}"
        if self._seen:
            return "no pair can be judged"
        examples = ", ".join(kind.output.text for kind in self._told.kinds[:3])
        return f"no file below {self._told.folder} fits {examples}; paths are from the folder of this file"


def _is_deliberate(reason: str) -> bool:
    """Whether the file of pairs leaves files out; reports name the unreadable ones first."""
    return reason.endswith(_UNJUDGED) or reason.startswith("[formats]")


def _id(name: str) -> str:
    """A name fit for a node id, whose parts two colons divide."""
    return name.replace("::", ":")


def _body(whose: str, place: tuple[Path, str | None], pointer: str) -> Any:
    try:
        return readers.body(*place, pointer)
    except UnreadableGoldenError as error:
        raise UnreadableGoldenError(f"{whose}: {error}" if whose else str(error)) from None


def _stream(whose: str, place: tuple[Path, str | None], pointer: str, name: str, corpus: Corpus) -> Any:
    """A stream; for the source also a unary reply."""
    try:
        return readers.stream(*place, pointer, name, corpus)
    except UnreadableGoldenError as error:
        if not whose:
            raise
        try:
            reply = readers.body(*place, pointer)
        except UnreadableGoldenError:
            raise UnreadableGoldenError(f"{whose}: {error}") from None
        if not isinstance(reply, dict):
            raise UnreadableGoldenError(f"{whose}: {error}") from None
        return reply


def play_pair(
    case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str = "", other: Case | None = None
) -> ItemResult:
    """Judge a pair of golden files."""
    del open_session, variant, other
    assert isinstance(case, PairCase)
    tally = Tally.of(harness, case, case.check, route)
    tally.played.append(PlayedBodies(case.direction, case.source, case.output, MISSING))
    judgement = judge_pair(harness.judge, case.direction, case.source, case.output, case.ends, case.hidden)
    tally.add_judgement(judgement, case.direction)
    return tally.result()
