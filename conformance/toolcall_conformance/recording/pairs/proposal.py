"""A proposal of a file of pairs: which golden files of a folder probably belong together."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError, join
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.formats.recognition import has_container, recognise_body, recognise_events
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.pairs import jest, readers
from toolcall_conformance.recording.pairs.description import UnreadableGoldenError

_MOST_FILES, _MOST_BYTES = 20_000, 4_000_000
_SKIPPED = {"node_modules", "target", "vendor", "dist", "build", "venv", ".venv", "__pycache__"}
_SUFFIXES = re.compile(r"(?:\.(?:json|jsonl|sse|txt|snap|golden|yaml|yml|gz|expected|want|out))+$")
_ROLES = (
    ("input", "output"),
    ("input", "expected"),
    ("in", "out"),
    ("source", "output"),
    ("source", "expected"),
    ("source", "target"),
    ("given", "want"),
    ("given", "expected"),
    ("before", "after"),
    ("request", "expected"),
    ("original", "translated"),
)
_SOURCE_WORDS = {source_word for source_word, _ in _ROLES} - {"request"}
_BRACKETED = re.compile(r"\[[A-Za-z_ .-]+\]|<[A-Za-z_ .-]+>")
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class GoldenBody:
    """A body in a file: the pointer to it, and what it may be."""

    path: str
    pointer: str
    direction: str
    format: str

    @property
    def stem(self) -> str:
        return _SUFFIXES.sub("", self.path.rpartition("/")[2])

    @property
    def suffix(self) -> str:
        """The ending; a source and its output in one folder differ in it."""
        return self.path.rpartition(".")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class ProposedTable:
    """One table of the file: the patterns, the formats that they do not show, and how many pairs they found."""

    source: str
    output: str
    direction: str
    ends: tuple[tuple[str, str], ...]
    source_body: str
    output_body: str

    def lines(self) -> Iterator[tuple[str, str]]:
        """Its keys and values in the file."""
        yield from (("direction", self.direction), ("source", self.source), ("output", self.output), *self.ends)
        yield from (("source_body", self.source_body),) if self.source_body else ()
        yield from (("output_body", self.output_body),) if self.output_body else ()


@dataclass
class Proposal:
    """The bodies and the tables of pairs in a folder. ``redacted`` counts texts that may hide values."""

    folder: Path
    files: int = 0
    bodies: Sequence[GoldenBody] = ()
    tables: Counter[ProposedTable] = field(default_factory=Counter)
    redacted: Counter[str] = field(default_factory=Counter)

    def toml(self) -> str:
        """The file of pairs."""
        lines = ["# Which golden files belong together. Check the patterns, then run:"]
        lines += ["# toolcall-conformance judge --pairs pairs.toml", ""]
        if self.redacted:
            patterns = ", ".join(f"'{re.escape(text)}'" for text in sorted(self.redacted))
            lines += [f"redacted = [{patterns}]", ""]
        for table, _ in self.tables.most_common():
            lines += ["[[pairs]]", *(f"{key} = {json.dumps(value)}" for key, value in table.lines()), ""]
        return "\n".join(lines)


def propose(corpus: Corpus, folder: Path) -> Proposal:
    """Look through a folder.

    What most pairs of a pattern are decides on its formats; files of another kind draw findings, which says so.
    """
    proposal = Proposal(folder)
    proposal.bodies = bodies = [*_bodies(corpus, proposal)]
    votes: defaultdict[tuple[str, str, str], Counter[ProposedTable]] = defaultdict(Counter)
    for source, output in _pairs(bodies):
        table = _table(source, output)
        votes[table.source, table.output, table.direction][table] += 1
    for counted in votes.values():
        table, most = counted.most_common(1)[0]
        if most * 2 > counted.total():
            proposal.tables[table] = counted.total()
    return proposal


def _bodies(corpus: Corpus, proposal: Proposal) -> Iterator[GoldenBody]:
    for path in sorted(proposal.folder.rglob("*")):
        parts = path.relative_to(proposal.folder).parts
        if any(part in _SKIPPED or part.startswith(".") for part in parts) or not path.is_file():
            continue
        proposal.files += 1
        if proposal.files > _MOST_FILES or path.stat().st_size > _MOST_BYTES:
            continue
        try:
            text = readers.text_of(path)
        except UnreadableGoldenError:
            continue
        name = "/".join(parts)
        if not jest.is_snapshot(text) and (body := _body(corpus, name, readers.without_front_matter(text))) is not None:
            proposal.redacted.update(_BRACKETED.findall(" ".join(re.findall(r'"([^"\\]{3,20})"', text))))
            yield body


def _body(corpus: Corpus, name: str, text: str) -> GoldenBody | None:
    try:
        value = parse_json(text)
    except JSONError:
        value = None
    if value is None:
        if not readers.FIELD.search(text):
            return None
        names = recognise_events(corpus, [event["data"] for event in parse(text.encode())["events"]])
        return GoldenBody(name, "", "stream", names[0]) if names else None
    inside = next(_bodies_inside(corpus, value, "", 0), None)
    return GoldenBody(name, inside[0], inside[1], inside[2]) if inside else None


def _bodies_inside(corpus: Corpus, value: Any, pointer: str, depth: int) -> Iterator[tuple[str, str, str]]:
    """The bodies in a value, the outer ones first."""
    if (kinds := recognise_body(corpus, value)) and has_container(corpus, kinds[0], value):
        yield pointer, kinds[0].direction, kinds[0].format
    elif depth < _DEPTH and isinstance(value, dict):
        for key, entry in value.items():
            yield from _bodies_inside(corpus, entry, join(pointer, key), depth + 1)


def _pairs(bodies: Sequence[GoldenBody]) -> Iterator[tuple[GoldenBody, GoldenBody]]:
    """Each output with its source."""
    by_path = {body.path: body for body in bodies}
    by_folder: defaultdict[str, list[GoldenBody]] = defaultdict(list)
    for body in bodies:
        by_folder[body.folder].append(body)
    for output in bodies:
        beside = [
            body
            for body in by_folder[output.folder]
            if body is not output and _continues(body, output) and _fits(body, output)
        ]
        source = max(beside, key=lambda body: len(body.stem), default=None) or _by_role(output, by_path)
        if source is not None:
            says = set(re.split(r"[._-]", output.stem[len(source.stem) :])) if output.folder == source.folder else set()
            yield (output, source) if says & _SOURCE_WORDS else (source, output)


def _continues(source: GoldenBody, output: GoldenBody) -> bool:
    """Whether an output's name begins with its source's. `plain` and `plain_more` of one ending are two inputs."""
    separator = "[.]" if source.suffix == output.suffix else "[._-]|$"
    return re.match(f"{re.escape(source.stem)}(?:{separator})", output.stem) is not None


def _by_role(output: GoldenBody, by_path: Mapping[str, GoldenBody]) -> GoldenBody | None:
    """The source whose path differs in one word that says which it is: ``input`` and ``expected``."""
    for source_word, output_word in _ROLES:
        for word in re.finditer(rf"(?<![A-Za-z]){output_word}(?![A-Za-z])", output.path):
            path = output.path[: word.start()] + source_word + output.path[word.end() :]
            stem = _SUFFIXES.sub("", path)
            for candidate in (path, f"{stem}.json", f"{stem}.sse"):
                if candidate in by_path and _fits(by_path[candidate], output):
                    return by_path[candidate]
    return None


def _fits(source: GoldenBody, output: GoldenBody) -> bool:
    return source.direction == output.direction or (source.direction, output.direction) == ("response", "stream")


def _table(source: GoldenBody, output: GoldenBody) -> ProposedTable:
    request = output.direction == "request"
    formats = (source.format, output.format) if request else (output.format, source.format)
    ends = tuple(zip(("client", "upstream"), formats, strict=True))
    if output.folder != source.folder or not output.stem.startswith(source.stem):
        source_pattern, output_pattern = _patterns(source.path, output.path)
    else:
        prefix = f"{output.folder}/" if output.folder else ""
        source_pattern, output_pattern = (
            f"{prefix}{{name}}{body.path.rpartition('/')[2][len(source.stem) :]}" for body in (source, output)
        )
    return ProposedTable(source_pattern, output_pattern, output.direction, ends, source.pointer, output.pointer)


def _patterns(source: str, output: str) -> tuple[str, str]:
    """Two paths, with a field in place of their longest common part."""
    ours, theirs = source.split("/"), output.split("/")
    same = [place for place, (left, other) in enumerate(zip(ours, theirs, strict=False)) if left == other]
    if len(ours) == len(theirs) and same and ours[:-1] != theirs[:-1]:
        for parts in (ours, theirs):
            parts[same[-1]] = "{name}"
        return "/".join(ours), "/".join(theirs)
    stem = _common(ours[-1], theirs[-1])
    if stem:
        ours[-1], theirs[-1] = ours[-1].replace(stem, "{name}", 1), theirs[-1].replace(stem, "{name}", 1)
    return "/".join(ours), "/".join(theirs)


def _common(left: str, other: str) -> str:
    length = next(
        (at for at, (a, b) in enumerate(zip(left, other, strict=False)) if a != b), min(len(left), len(other))
    )
    return left[:length].rstrip("._-")
