"""Recorded exchanges as cases: each exchange in a folder of cassettes gets its own id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from toolcall_conformance.cassettes.identify import Recorded, SkippedInteraction, identify
from toolcall_conformance.cassettes.interactions import CassetteError
from toolcall_conformance.cassettes.reading import NoCassetteError, read
from toolcall_conformance.library import Case, Corpus, Exchange
from toolcall_conformance.showing import many, visible

FAMILY = "recorded"
SUFFIXES = (".json", ".yaml", ".yml", ".gz")
_NO_CASSETTE = "a file that is not a cassette"


class RecordedCase(Case):
    """One recorded exchange. Its id is ``recorded/FILE#NUMBER``; it has one format, and one exchange in it."""

    def __init__(self, id: str, recorded: Recorded, formats: Sequence[str]) -> None:
        said = {"id": id, "title": f"recorded: {recorded.path.name}", "features": [], "models": {}}
        super().__init__(recorded.path.parent, said)
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
        one = self.recorded
        return (Exchange(1, one.request, one.response, one.path, one.path, one.error),)


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
        said = f"{many(len(self.cases), 'recorded exchange')} in {many(self.files, 'cassette')}"
        if self.skipped:
            said += "; skipped: " + ", ".join(f"{count} × {reason}" for reason, count in self.skipped.items())
        if self.damaged:
            said += f"; damaged and skipped: {len(self.damaged)}"
        return said


def load(corpus: Corpus, folders: Sequence[Path]) -> Cassettes:
    """Load the recorded exchanges of folders and of single files. Raises CassetteError.

    A JSON or YAML file in a folder that is not a cassette is counted and skipped, and so is a damaged one;
    one that was named itself is an error.
    """
    cases: dict[str, RecordedCase] = {}
    skipped: Counter[str] = Counter()
    examples: dict[str, str] = {}
    damaged: list[str] = []
    seen = files = 0
    for folder in folders:
        for path in _files(folder):
            seen += 1
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
            files += 1
            name = path.name if path == folder else path.relative_to(folder).as_posix()
            answered = 0
            for one in interactions:
                found = identify(path, one, corpus)
                if isinstance(found, SkippedInteraction):
                    skipped[found.reason] += 1
                    examples.setdefault(found.reason, found.address)
                    continue
                answered += found.error is None
                found = replace(found, exchange=max(1, answered))
                id = f"{FAMILY}/{visible(name)}#{one.number}"
                if id in cases:
                    raise CassetteError(
                        f"{path}: {cases[id].file} has the same name; give the folder above both, or rename one"
                    )
                cases[id] = RecordedCase(id, found, corpus.formats)
    if not cases and damaged:
        more = f"\nand {len(damaged) - 1} further damaged files" if len(damaged) > 1 else ""
        raise CassetteError(damaged[0] + more)
    if not cases:
        del skipped[_NO_CASSETTE]
        why = _why_none(corpus, seen, files, [_example(*each, examples) for each in skipped.most_common()])
        raise CassetteError(
            f"{', '.join(map(str, folders))}: {why}; give a folder of cassettes of vcrpy or VCR for Ruby, or record "
            "some: toolcall-conformance record --help"
        )
    return Cassettes(cases, files, dict(skipped.most_common()), tuple(damaged))


def _why_none(corpus: Corpus, seen: int, files: int, skipped: Sequence[str]) -> str:
    """Why no exchange was found: there are ``seen`` files, of them ``files`` cassettes, and what these hold."""
    if not seen:
        return f"no file there ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
    if not files:
        return f"none of its {seen} files is a cassette" if seen > 1 else "its one file is no cassette"
    where = f"in its {files} cassette{'s' if files > 1 else ''}"
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
