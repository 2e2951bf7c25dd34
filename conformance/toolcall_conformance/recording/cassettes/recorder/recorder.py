"""Play a case of the corpus against a real API and keep it as a cassette."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.known_secrets import KnownSecrets
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.recording.cassettes.interactions import CassetteError
from toolcall_conformance.recording.cassettes.recorder import output
from toolcall_conformance.recording.cassettes.recorder.api import Api, ApiReply
from toolcall_conformance.recording.cassettes.recorder.continuation import CannotContinueError, next_request
from toolcall_conformance.recording.cassettes.recorder.tape import Tape
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.interactions import scrub
from toolcall_conformance.recording.cassettes.redaction.leaks import has_leak
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

_MAX_TEXT = 120


class NotRecordedError(Exception):
    """A conversation that cannot be kept as its case; the message says why."""


@dataclass(frozen=True, slots=True)
class PlayedConversation:
    """A played conversation. ``end_reason``: why it ended early, or None. ``notes`` are for the user."""

    interactions: list[dict[str, Any]]
    calls: int
    end_reason: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class CassetteRecorder:
    """Records cases in one format with one model. ``secrets`` are values that must not be in a cassette."""

    corpus: Corpus
    api: Api
    format: str
    model: str
    folder: Path
    filters: Filters
    secrets: Iterable[str] = field(repr=False)

    def obstacle(self, case: Case) -> str | None:
        """Why a case cannot be recorded at all, or None."""
        if self.format not in case.formats:
            return f"the case has no {self.format} bodies"
        if any(exchange.error is not None for exchange in case.exchanges(self.format)):
            return "the case needs an error of the provider, which cannot be requested"
        return None

    def path(self, case: Case, *, streamed: bool) -> Path:
        """The path of a case's cassette."""
        return output.cassette_path(self.folder, self.format, case.id, streamed=streamed)

    def play(self, case: Case, *, streamed: bool) -> PlayedConversation:
        """Play a case against the API. Raises ApiError, and NotRecordedError if no exchange can be kept."""
        tape, log = Tape(self.api.budget), _Log()
        with tape:
            self._converse(case, streamed, log)
        return PlayedConversation(tape.interactions[: log.exchanges], log.calls, log.end_reason, tuple(log.notes))

    def _converse(self, case: Case, streamed: bool, log: _Log) -> None:
        exchanges = whole_exchanges(self.format, case.exchanges(self.format))
        patch = self.api.endpoint.stream_body if streamed else {}
        body: dict[str, Any] = {**deep_copy(exchanges[0].request), **patch}
        if "model" in body:
            body["model"] = self.model
        for number, exchange in enumerate(exchanges, 1):
            reply = self._reply(self.api.send(body, streamed=streamed), streamed)
            reading = formats.read(self.format, "response", reply)
            log.exchanges = number
            log.calls += len(reading.calls)
            calls = formats.read(self.format, "response", exchange.response).calls
            if calls and not reading.calls:
                text = " ".join(getattr(item, "text", "") for turn in reading.turns for item in turn.items).strip()
                finish = reading.finish.reason if reading.finish is not None else None
                log.end_reason = (
                    f"the model called no tool in exchange {number}, but the case needs a call "
                    f"(finish {finish!r}, it said {self._excerpt(text)!r})"
                )
                return
            if number == len(exchanges):
                if reading.calls and not calls:
                    names = ", ".join(str(call.name) for call in reading.calls)
                    log.notes.append(f"the last reply calls {names}; the case ends there")
                return
            try:
                body = {**next_request(self.format, body, reply, exchanges, number), **patch}
            except CannotContinueError as error:
                log.end_reason = f"after exchange {number}: {error}"
                return

    def _reply(self, answer: ApiReply, streamed: bool) -> dict[str, Any]:
        """Parse or assemble the reply in an answer. Raises NotRecordedError for any other answer."""
        kind = answer.headers.get("content-type", "no type")
        if not streamed:
            try:
                body = jsonvalue.parse(answer.body)
            except jsonvalue.JSONError as error:
                raise NotRecordedError(f"the answer is not JSON ({kind}): {error}") from None
            self._verify_reply(body, kind)
            response: dict[str, Any] = body
            return response
        stream = parse(answer.body)
        if not stream["events"]:
            raise NotRecordedError(f"the answer is not an event stream ({kind})")
        assembled = formats.assemble(self.format, stream).as_sent
        if assembled.end == "failed":
            reply = {"status": 200, "headers": {}, "body": assembled.error}
            failure = formats.read(self.format, "error", reply).failure
            message = failure.message if failure is not None and failure.message else assembled.error
            raise NotRecordedError(f"the stream ends with an error of the provider: {self._excerpt(str(message))}")
        if assembled.end == "open":
            count = len(stream["events"])
            raise NotRecordedError(
                f"the stream breaks off after {pluralize(count, 'event')}, before the reply has ended"
            )
        self._verify_reply(assembled.body, kind)
        assert assembled.body is not None
        return assembled.body

    def _excerpt(self, text: str) -> str:
        """The beginning of a foreign text without secrets; redaction comes first, for half a key is not recognised."""
        return self.api.redactor.text(text)[:_MAX_TEXT]

    def _verify_reply(self, body: Any, kind: str) -> None:
        keys = self.corpus.format(self.format)["containers"]["response"]
        if not isinstance(body, dict) or not any(key in body for key in keys):
            raise NotRecordedError(f"the answer is no {self.format} reply: it has no {' or '.join(keys)} ({kind})")

    def write(self, case: Case, played: PlayedConversation, *, streamed: bool) -> Path:
        """Scrub a conversation and write it. Raises CassetteError; an earlier cassette then stays unchanged."""
        path = self.path(case, streamed=streamed)
        secrets = KnownSecrets(self.secrets).values
        redactor = Redactor(self.filters, secrets, public=tuple(_public_texts(case, self.format)))
        today = datetime.now(UTC).date().isoformat()
        about = {
            "case": case.id,
            "complete": played.end_reason is None,
            "corpus": self.corpus.version,
            "date": today,
            "format": self.format,
            "model": self.model,
            "streamed": streamed,
        }
        cassette = {
            "version": 1,
            "recorded_with": f"toolcall-conformance {metadata.version('toolcall-conformance')}",
            "toolcall": about if played.end_reason is None else {**about, "ended": redactor.text(played.end_reason)},
            # The day alone, so that two recordings of the same replies are identical except for it.
            "interactions": [
                {**scrub(interaction, redactor), "recorded_at": today} for interaction in played.interactions
            ],
        }
        if has_leak(cassette, secrets):
            raise CassetteError(
                f"{path}: not written: a key is still in it after scrubbing, in an unknown notation. Please report "
                "this without the key; a pattern of your own (--filters) may redact it"
            )
        output.write(path, cassette)
        return path


class _Log:
    """Collects results while a conversation is played."""

    def __init__(self) -> None:
        self.exchanges = 0
        self.calls = 0
        self.end_reason: str | None = None
        self.notes: list[str] = []


def _public_texts(case: Case, format_name: str) -> Iterator[str]:
    """The texts of a case's own bodies: they are public with the corpus."""
    for exchange in case.exchanges(format_name):
        yield from _texts(exchange.request)
        yield from _texts(exchange.response)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)
