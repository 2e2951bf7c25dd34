"""What all checks share: their signature, their result, and how failed calls become findings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Misdirected,
    OpenOutcome,
    Outcome,
    Produced,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.findings import MISSING, Finding, Judgement, Loss, Verdict, failing, verdict_of
from toolcall_conformance.levels import finding
from toolcall_conformance.library import Case, Corpus, Exchange
from toolcall_conformance.reading.assembled import Assembled
from toolcall_conformance.streaming.cuts import Fineness

OpenSession = Callable[[Route], OpenOutcome]
Failed = RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput | ProtocolError | Misdirected

_SEEN = {
    "key": "translation/client-key-kept",
    "header": "translation/upstream-headers",
    "model": "translation/model-of-route",
}


class Judge(Protocol):
    """The judge as the checks call it; ``judge`` of the module of that name, with a corpus bound to it."""

    def __call__(
        self,
        source: Any,
        output: Any,
        *,
        client: str,
        upstream: str,
        direction: str,
        upstream_model: str | None,
        client_model: str | None,
        request: Any = None,
        upstream_request: Any = None,
        vendor: bool = False,
        declared: Collection[str] = (),
        captured: bool = False,
    ) -> Judgement: ...


class HistoryJudge(Protocol):
    """The judge of a request in the course of a conversation, with a corpus bound to it."""

    def __call__(
        self,
        golden: Any,
        output: Any,
        *,
        client: str,
        upstream: str,
        request: Any,
        upstream_model: str | None,
        held: Mapping[str, list[Any]],
        stored: bool,
    ) -> Judgement: ...


class NameReader(Protocol):
    """Tells under which names a translator declared the tools of a golden request, with a corpus bound to it."""

    def __call__(self, golden: Any, output: Any, *, upstream: str) -> Mapping[str, str]: ...


class RoundTripJudge(Protocol):
    """The judge of a body that went into another format and back, with a corpus bound to it."""

    def __call__(self, source: Any, output: Any, *, own: str, through: str, direction: str) -> Judgement: ...


class StreamJudge(Protocol):
    """Holds a stream, as ``streaming.parse`` has it, against its format's own rules, with a corpus bound to it.

    ``assembled`` is what it amounts to, where that is known already.
    """

    def __call__(self, name: str, stream: Any, assembled: Assembled | None = None, /) -> Sequence[Finding]: ...


class OwnJudge(Protocol):
    """Holds a body against its format's own rules, with a corpus bound to it."""

    def __call__(self, name: str, direction: str, body: Any, model: str | None, /) -> Sequence[Finding]: ...


class DriftJudge(Protocol):
    """Holds a recorded exchange against the shape of the goldens, with a corpus bound to it."""

    def __call__(self, recorded: Any, /) -> Sequence[Finding]: ...


@dataclass(frozen=True, slots=True)
class Judges:
    """The ways to judge: a body by itself, a request by its conversation, a round trip, a stream.

    Beside them the tools' names, and what was recorded.

    ``transports`` tells how bodies travel in each format, ``fineness`` how finely the user wants streams cut, if he
    says so.
    """

    body: Judge
    history: HistoryJudge
    names: NameReader
    round_trip: RoundTripJudge
    stream: StreamJudge
    own: OwnJudge
    drift: DriftJudge
    transports: Mapping[str, Mapping[str, Any]]
    corpus: Corpus
    fineness: Fineness | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """The bodies of one judged call. ``name`` is ``02-request``; ``produced`` is MISSING if nothing came."""

    name: str
    source: Any
    produced: Any
    golden: Any


@dataclass(frozen=True, slots=True)
class ItemResult:
    """How a case fared on a route in one check.

    ``losses`` are what went as it may, each with the most that went in one body. ``reason`` explains a verdict that
    findings do not; ``traceback`` is the translator's own, if it raised ``exception``, or what its
    process printed last.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    played: tuple[Played, ...] = ()
    losses: tuple[Loss, ...] = ()
    reason: str = ""
    traceback: str = ""
    exception: BaseException | None = None


class Check(Protocol):
    """Plays ``case`` on ``route`` in a session of its own, in one of the check's variants; ``other``: another case."""

    __doc__: str | None

    def __call__(
        self, case: Case, route: Route, open_session: OpenSession, judges: Judges, variant: str, other: Case | None
    ) -> ItemResult: ...


@dataclass(slots=True)
class Tally:
    """Collects what an item's exchanges bring, and turns it into a result."""

    corpus: Corpus
    case: Case
    check: str
    findings: list[Finding]
    played: list[Played]
    blocked: str = ""
    allowed: str = ""
    refused: bool = False
    crash: Crashed | None = None
    words: str = ""
    losses: dict[tuple[str, str], int] = field(default_factory=dict)

    @classmethod
    def of(cls, judges: Judges, case: Case, check: str) -> Tally:
        return cls(judges.corpus, case, check, [], [])

    def fail(self, operation: str, failed: Failed, body: str) -> None:
        """Note a call that was to be judged and brought no body."""
        if isinstance(failed, RefusedOutcome):
            if self.check in self.case.scenario.get("may_refuse", ()):
                self.allowed = f"refused, as this case allows: {failed.reason}"
                return
            self.refused = True
        self._hear(failed)
        self.findings.append(failure(self.corpus, operation, failed, body))

    def block(self, operation: str, failed: Failed, body: str) -> None:
        """Note a call that had to come before the judged one, and failed; its own check reports that."""
        self.blocked = f"blocked: {body}: {failure(self.corpus, operation, failed, body).message}"
        self._hear(failed)

    def _hear(self, failed: Failed) -> None:
        """Note what the translator itself said when it failed."""
        match failed:
            case Crashed(traceback=words):
                self.crash, self.words = failed, words
            case TimedOut(words=words) | BadOutput(words=words) | ProtocolError(tail=words) if words:
                self.words = words

    def lose(self, found: Judgement) -> None:
        """Note the losses that the judge met. A later request holds the earlier ones, so they are not added up."""
        for loss in found.losses:
            key = loss.element, loss.kind
            self.losses[key] = max(self.losses.get(key, 0), loss.count)

    def observe(self, operation: str, outcome: Produced, body: str) -> None:
        """Note what a call did beside bringing a body: it changed the one it was given, or sent it in a wrong way."""
        told = [(_SEEN[seen.kind], seen.sentence) for seen in outcome.beside]
        if outcome.mutated:
            told.append(("translation/input-mutated", f"{operation} changed the body that it was given"))
        self.findings += [finding(self.corpus, rule, "", said, element="body", body=body) for rule, said in told]

    def result(self) -> ItemResult:
        verdict = verdict_of(self.findings)
        if verdict is Verdict.FAIL:
            only_refused = self.refused and all(one.rule == "translation/refused" for one in failing(self.findings))
            verdict = Verdict.REFUSED if only_refused else Verdict.FAIL
        elif self.blocked:
            verdict = Verdict.BLOCKED
        return ItemResult(
            verdict,
            tuple(self.findings),
            tuple(self.played),
            tuple(Loss(*key, count) for key, count in sorted(self.losses.items())),
            reason=self.blocked or self.allowed,
            traceback=self.words,
            exception=self.crash.exception if self.crash else None,
        )


def judge_output(
    tally: Tally, judges: Judges, route: Route, source: Any, output: Any, name: str, *, direction: str, **rest: Any
) -> None:
    """Note what the judge says of a body that a translator made, and what went lost in it.

    ``name`` is that of the body in findings; ``rest`` is what else the judge takes (:class:`Judge`).
    """
    found = judges.body(
        source,
        output,
        client=route.client,
        upstream=route.upstream,
        direction=direction,
        upstream_model=route.upstream_model,
        client_model=route.client_model,
        **rest,
    )
    tally.lose(found)
    tally.findings += [replace(one, body=name) for one in found.findings]


def failure(corpus: Corpus, operation: str, failed: Failed, body: str) -> Finding:
    """The finding for a call that brought no body."""
    pointer = ""
    match failed:
        case RefusedOutcome(reason):
            rule, message = "translation/refused", f"{operation} refused this input: {reason or 'no reason given'}"
        case UnsupportedOutcome(reason):
            # At collection this operation was not found unsupported: declared but not delivered.
            rule = "translation/refused"
            message = (
                f"{operation} raised Unsupported for this input ({reason or 'no reason given'}) though the route is "
                "done; an input that is not taken is Refused"
            )
        case Crashed():
            rule, message = "translation/crashed", f"{operation} {failed.sentence}"
        case TimedOut(seconds=seconds):
            rule, message = "translation/timed-out", f"{operation} did not return within {seconds:g} s"
        case BadOutput(sentence, pointer):
            rule, message = "translation/bad-output", sentence
        case ProtocolError(sentence):
            rule, message = "translation/protocol-error", f"{operation}: {sentence}"
        case Misdirected(sentence):
            rule, message = "translation/upstream-address", sentence
    return finding(corpus, rule, pointer, message, element="body", body=body)


def answer(exchange: Exchange) -> dict[str, Any]:
    """What the provider answers in an exchange of its own format, as :meth:`SessionDriver.settle` takes it."""
    if exchange.response is None:
        return dict(exchange.error)
    return {"status": 200, "headers": {}, "body": exchange.response}


def produced(outcome: Outcome) -> Any:
    """The body that came, MISSING if none did."""
    return outcome.value if isinstance(outcome, Produced) else MISSING
