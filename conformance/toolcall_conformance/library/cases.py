"""The cases as objects: a scenario, and its exchanges in each format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.library import packs
from toolcall_conformance.library.files import CorpusError, read_json, verify_readable

_NUMBERED = re.compile("[0-9][0-9]-")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply in one format; ``number`` counts from 1.

    ``error`` is the provider's first answer, ``{"status", "headers", "body"}``; ``response`` is then its reply to the
    same request, sent again. Either may be None, but not both. ``stream_path`` is the file with the reply as the
    provider streams it, None where the corpus has none. ``broken_path`` is a failed stream: it holds an error, breaks
    off, or hits the token limit in the middle of a call. ``response`` is the reply to the same request, sent again.
    ``streamed`` are the bytes of the stream where they are not those of its file. In a wheel no path is on the disk:
    ``read`` gives what stands there.
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
    streamed: bytes | None = None
    read: Callable[[Path], bytes] = field(default=Path.read_bytes, repr=False, compare=False)

    def stream(self) -> bytes:
        """The bytes of the stream. The exchange must have one."""
        assert self.stream_path is not None
        return self.read(self.stream_path) if self.streamed is None else self.streamed

    def broken(self) -> bytes:
        """The bytes of the failed stream. The exchange must have one."""
        assert self.broken_path is not None
        return self.read(self.broken_path)


class Case:
    """A scenario of the corpus with its wire bodies by format."""

    def __init__(self, path: Path, scenario: Mapping[str, Any]) -> None:
        self.path = path
        self.files = packs.folder(path)
        self.scenario = scenario
        self.id: str = scenario["id"]

    def __repr__(self) -> str:
        return f"Case({self.id!r})"

    @property
    def file(self) -> Path:
        """The file that describes the case: ``scenario.json``, or in a wheel the pack that holds it."""
        return self.path / "scenario.json" if self.files.place == self.path else self.files.place

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
        """The formats that this case is rendered in: its folders."""
        return tuple(self.files.folders())

    @property
    def dialects(self) -> frozenset[str]:
        """The formats whose replies here are in the dialect of a compatible vendor."""
        return frozenset(self.scenario.get("dialect", ()))

    def replies(self, client: str, upstream: str) -> bool:
        """Whether a client of that format could receive the upstream's replies of this case."""
        replies_to: Mapping[str, Sequence[str]] = self.scenario.get("replies_to", {})
        own_only = self.scenario.get("replies_to_own_clients", ())
        return client in replies_to.get(upstream, (client,)) and (client == upstream or upstream not in own_only)

    def streams(self, client: str, upstream: str) -> bool:
        """Whether a client of that format could receive the upstream's streams of this case."""
        own_only = self.scenario.get("streamed_to_own_clients", ())
        return self.replies(client, upstream) and (client == upstream or upstream not in own_only)

    def model(self, format_name: str) -> str:
        """The model that this case's bodies of a format name."""
        try:
            return str(self.scenario["models"][format_name])
        except KeyError:
            raise CorpusError(f"{self.path / 'scenario.json'}: `models` has no {format_name}; add its model") from None

    def begins_with(self, format_name: str, part: str) -> bool:
        """Whether the first exchange in a format has a part, as ``error.json`` or ``response.sse``. Reads no body."""
        return self.files.has(self.path / format_name / f"01-{part}")

    @cached_property
    def _exchanges(self) -> dict[str, tuple[Exchange, ...]]:
        return {}

    def exchanges(self, format_name: str) -> tuple[Exchange, ...]:
        """The exchanges in one format, in order. Raises CorpusError for a folder with a gap."""
        if format_name not in self._exchanges:
            self._exchanges[format_name] = tuple(self._read(format_name))
        return self._exchanges[format_name]

    def bodies(self, format_name: str) -> list[Path]:
        """The files with the bodies of one format, sorted."""
        folder = self.path / format_name
        return [folder / name for name in self.files.names(folder) if _NUMBERED.match(name)]

    def _read(self, format_name: str) -> Iterator[Exchange]:
        return _exchanges(self.files, self.path / format_name, {path.name for path in self.bodies(format_name)})


def _exchanges(files: packs.Folder, folder: Path, names: AbstractSet[str]) -> Iterator[Exchange]:
    """The exchanges of one folder of a case, numbered from 1 without a gap, each with a request and a reply.

    Any may have an error before the reply, and the last an error in place of it.
    """
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
        for sent in (stream, broken):
            if sent.name in names:
                verify_readable(sent, files.verify)
        yield Exchange(
            expected,
            read_json(request, files.read),
            None if ends else read_json(response, files.read),
            request,
            response,
            read_json(error, files.read) if failed else None,
            error if failed else None,
            stream if stream.name in names else None,
            broken if broken.name in names else None,
            read=files.read,
        )
