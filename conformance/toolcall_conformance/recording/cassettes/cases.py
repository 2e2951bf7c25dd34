"""Recorded exchanges as cases: each exchange in a folder of cassettes gets its own id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from toolcall_conformance.basics.visible_text import pluralize, visible
from toolcall_conformance.library import Case, Corpus, Exchange
from toolcall_conformance.recording.cassettes.files import NoCassetteError, read
from toolcall_conformance.recording.cassettes.interactions import (
    CassetteError,
    RecordedExchange,
    SkippedInteraction,
    identify,
)

FAMILY = "recorded"
SUFFIXES = (".json", ".yaml", ".yml", ".gz")
_NO_CASSETTE = "a file that is not a cassette"


class RecordedCase(Case):
    """One recorded exchange. Its id is ``recorded/FILE#NUMBER``; it has one format, and one exchange in it."""

    def __init__(self, id: str, recorded: RecordedExchange, formats: Sequence[str]) -> None:
        scenario = {"id": id, "title": f"recorded: {recorded.path.name}", "features": [], "models": {}}
        super().__init__(recorded.path.parent, scenario)
        self.recorded = recorded
        self._formats = tuple(formats)

    @property
    def file(self) -> Path:
        return self.recorded.path

    @cached_property
    def formats(self) -> tuple[str, ...]:
        """All formats: an exchange can be translated into each."""
        return self._formats

    @property
    def dialects(self) -> frozenset[str]:
        return frozenset() if self.recorded.official else frozenset({self.recorded.format})

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """The one exchange, for every format: the other formats have no golden of it."""
        del format_name
        recording = self.recorded
        return (Exchange(1, recording.request, recording.response, recording.path, recording.path, recording.error),)


@dataclass(frozen=True)
class Cassettes:
    """The exchanges found in folders of cassettes; ``skipped`` counts other interactions and files by reason.

    ``damaged`` has a sentence for each file that cannot be used: which, where in it, what to do.
    """

    cases: Mapping[str, RecordedCase]
    files: int
    skipped: Mapping[str, int]
    damaged: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """For a report: the number of exchanges and cassettes, and what was skipped, by reason."""
        return {"exchanges": len(self.cases), "cassettes": self.files, "skipped": dict(self.skipped)} | (
            {"damaged": list(self.damaged)} if self.damaged else {}
        )

    @property
    def summary(self) -> str:
        """What was found, in a sentence."""
        text = f"{pluralize(len(self.cases), 'recorded exchange')} in {pluralize(self.files, 'cassette')}"
        if self.skipped:
            text += "; skipped: " + ", ".join(f"{count} × {reason}" for reason, count in self.skipped.items())
        if self.damaged:
            text += f"; damaged and skipped: {len(self.damaged)}"
        return text


def load(corpus: Corpus, folders: Sequence[Path]) -> Cassettes:
    """Load the recorded exchanges of folders and of single files. Raises CassetteError.

    A JSON or YAML file in a folder that is not a cassette is counted and skipped, and so is a damaged one;
    one that was named itself is an error.
    """
    cases: dict[str, RecordedCase] = {}
    skipped: Counter[str] = Counter()
    examples: dict[str, str] = {}
    damaged: list[str] = []
    file_count = cassette_count = 0
    for folder in folders:
        for path in _files(folder):
            file_count += 1
            try:
                interactions = read(path)
            except NoCassetteError:
                if path == folder:
                    raise
                skipped[_NO_CASSETTE] += 1
                continue
            except CassetteError as error:
                if path == folder:
                    raise
                damaged.append(str(error))
                continue
            cassette_count += 1
            name = path.name if path == folder else path.relative_to(folder).as_posix()
            answered = 0
            for interaction in interactions:
                recording = identify(path, interaction, corpus)
                if isinstance(recording, SkippedInteraction):
                    skipped[recording.reason] += 1
                    examples.setdefault(recording.reason, recording.address)
                    continue
                answered += recording.error is None
                recording = replace(recording, exchange=max(1, answered))
                id = f"{FAMILY}/{visible(name)}#{interaction.number}"
                if id in cases:
                    raise CassetteError(
                        f"{path}: {cases[id].file} has the same name; give the folder above both, or rename one"
                    )
                cases[id] = RecordedCase(id, recording, corpus.formats)
    if not cases and damaged:
        more = f"\nand {len(damaged) - 1} further damaged files" if len(damaged) > 1 else ""
        raise CassetteError(damaged[0] + more)
    if not cases:
        del skipped[_NO_CASSETTE]
        why = _empty_reason(
            corpus, file_count, cassette_count, [_example(*each, examples) for each in skipped.most_common()]
        )
        raise CassetteError(
            f"{', '.join(map(str, folders))}: {why}; give a folder of cassettes of vcrpy or VCR for Ruby, or record "
            "some: toolcall-conformance record --help"
        )
    return Cassettes(cases, cassette_count, dict(skipped.most_common()), tuple(damaged))


def _empty_reason(corpus: Corpus, file_count: int, cassette_count: int, skipped: Sequence[str]) -> str:
    """Why no exchange was found: of ``file_count`` files ``cassette_count`` are cassettes, which hold ``skipped``."""
    if not file_count:
        return f"no file there ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
    if not cassette_count:
        return f"none of its {file_count} files is a cassette" if file_count > 1 else "its one file is no cassette"
    where = f"in its {cassette_count} cassette{'s' if cassette_count > 1 else ''}"
    if not skipped:
        return f"no exchange is recorded {where}"
    tails = ", ".join(dict.fromkeys(tail for name in corpus.transports.values() for tail in name.get("tails", ())))
    return f"no exchange of a known API is recorded {where}, but {', '.join(skipped)}; the known ones end in {tails}"


def _example(reason: str, count: int, examples: Mapping[str, str]) -> str:
    example = examples.get(reason)
    return f"{count} × {reason} (for example {example})" if example else f"{count} × {reason}"


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    if not folder.is_dir():
        raise CassetteError(f"{folder}: no such file or folder; --toolcall-cassettes takes a folder of cassettes")
    yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in SUFFIXES)
