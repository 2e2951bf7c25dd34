"""What all checks share: their signature, their result, and how failed calls become findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import (
    MISSING,
    Finding,
    Judgement,
    Loss,
    Verdict,
    failing_findings,
    set_format,
    verdict_of,
)
from toolcall_conformance.basics.streaming.cuts import Fineness
from toolcall_conformance.checks.conversation.unasked import unasked
from toolcall_conformance.checks.made_up import MadeUpPlaces, marked
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Inapplicable,
    Misdirected,
    NoRoute,
    OpenOutcome,
    Outcome,
    Produced,
    ProtocolError,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.judge.consequences import consequence_table, name_causes
from toolcall_conformance.judge.excuses.refusals import REFUSAL_NAMES_LOSS, NamedLoss, named_loss
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.judge.levels import apply_circumstances, make_finding
from toolcall_conformance.judge.translation.settings.model_names import broken_model_rule
from toolcall_conformance.library import Case, Corpus, Exchange

OpenSession = Callable[[Route], OpenOutcome]
Failed = (
    RefusedOutcome | UnsupportedOutcome | Crashed | TimedOut | BadOutput | ProtocolError | Misdirected | Inapplicable
)

_FLAWS = {
    "key": "translation/client-key-kept",
    "header": "translation/upstream-headers",
}


@dataclass(frozen=True, slots=True)
class Harness:
    """What every check works with: the judge, and how finely the user wants streams cut, if the user says so.

    ``made_up`` is what the sessions of an item say that their adapter made up.
    """

    judge: Judge
    fineness: Fineness | None = None
    made_up: MadeUpPlaces = field(default_factory=MadeUpPlaces)

    @property
    def corpus(self) -> Corpus:
        return self.judge.corpus


@dataclass(frozen=True, slots=True)
class ItemResult:
    """How a case fared on a route in one check.

    ``losses`` are the allowed losses, each with the most in one body. ``reason`` explains a verdict that findings do
    not. ``traceback`` is the translator's own, if it raised ``exception``, or the last output of its process.
    ``left_out`` are pointers to settings without which the item was played, because its request failed with them.
    ``differences`` are what another translator makes otherwise of it; they are no part of the verdict.
    """

    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    played: tuple[PlayedBodies, ...] = ()
    losses: tuple[Loss, ...] = ()
    reason: str = ""
    traceback: str = ""
    exception: BaseException | None = None
    left_out: tuple[str, ...] = ()
    differences: tuple[Finding, ...] = ()


class Check(Protocol):
    """Plays ``case`` on ``route`` in a session of its own, in one of the check's variants; ``other``: another case."""

    __doc__: str | None

    def __call__(
        self, case: Case, route: Route, open_session: OpenSession, harness: Harness, variant: str, other: Case | None
    ) -> ItemResult: ...


@dataclass(slots=True)
class Tally:
    """Collects the findings, bodies and losses of an item's exchanges, and makes its result."""

    corpus: Corpus
    case: Case
    check: str
    route: Route
    findings: list[Finding]
    played: list[PlayedBodies]
    blocked: str = ""
    allowed: str = ""
    inapplicable: str = ""
    left: bool = False
    refused: bool = False
    crash: Crashed | None = None
    words: str = ""
    losses: dict[tuple[str, str], int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    made_up: MadeUpPlaces = field(default_factory=MadeUpPlaces)

    @classmethod
    def of(cls, harness: Harness, case: Case, check: str, route: Route) -> Tally:
        return cls(harness.corpus, case, check, route, [], [], made_up=harness.made_up)

    def format_of(self, operation: str) -> str:
        """The format of the body that an operation makes."""
        return self.route.upstream if operation == "request" else self.route.client

    def fail(self, operation: str, failed: Failed, body: str, *, request: Any = MISSING) -> None:
        """Report a judged call that returned no body; ``request``: the client's, which was not translated."""
        if isinstance(failed, Inapplicable):
            self._leave(failed)
            return
        if (reason := refusal_of(failed)) is not None:
            if self.check in self.case.scenario.get("may_refuse", ()):
                self.allowed = f"refused, as this case allows: {reason}"
                return
            self.refused = True
        self._keep_words(failed)
        refusal = self._weighed_refusal(operation, failed, body, request)
        if refusal is not None:
            self.findings.append(refusal)

    def _weighed_refusal(
        self, operation: str, failed: Failed, body: str, request: Any, route: Route | None = None
    ) -> Finding | None:
        """The finding for a failed call; a refusal that names what may be lost weighs as the loss: perhaps nothing."""
        refusal = replace(failure(self.corpus, operation, failed, body), format=self.format_of(operation))
        loss = None if request is MISSING else loss_named_by(self.corpus, route or self.route, request, failed)
        if loss is None:
            return refusal
        places = ", ".join(loss.parts)
        if loss.weighs_nothing:
            self.allowed = f"refused, as a request may be for what may be lost ({places}): {refusal.message}"
            return None
        would = ", ".join(sorted({entry.rule for entry in loss.findings if not entry.is_note}))
        message = f"{refusal.message} (it names {places}; to drop that would be {would})"
        return apply_circumstances(self.corpus, replace(refusal, message=message), [REFUSAL_NAMES_LOSS])

    def break_loop(self, failed: Crashed, fault: Finding, reply: PlayedBodies) -> None:
        """Report a reply with a ``fault``, on which the translator's own next request fails."""
        self._keep_words(failed)
        self.played.append(reply)
        message = f"the next request repeats what breaks {fault.rule} here, and {failed.sentence}"
        loop_break = replace(fault, rule="translation/loop-broken", message=message, body=reply.name)
        self.findings.append(replace(loop_break, format=self.route.client))

    def fail_reply(self, operation: str, failed: Failed, body: str, *, may_fail: bool) -> None:
        """Report a judged reply of which nothing came. ``may_fail``: an error may stand in its place."""
        is_error = isinstance(failed, RefusedOutcome) or (isinstance(failed, Crashed) and not failed.died)
        if may_fail and is_error:
            self.allowed = f"an error, as this reply allows: {failure(self.corpus, operation, failed, body).message}"
        else:
            self.fail(operation, failed, body)

    def fail_request(self, failed: Failed, body: str, request: Any, *, may_refuse: bool) -> None:
        """Report a judged request of which nothing came. ``may_refuse``: it names what only its own provider knows."""
        if may_refuse and (reason := refusal_of(failed)) is not None:
            self.allowed = f"refused, as a request may be that names what its provider keeps: {reason}"
        else:
            self.fail("request", failed, body, request=request)

    def block(self, operation: str, failed: Failed, body: str, *, may_refuse: bool = False) -> None:
        """Block the item: a call before the judged one failed, which its own check reports.

        After a refusal that is right there is nothing more to judge, and nothing wrong. ``may_refuse``: the request
        names what only its own provider knows.
        """
        if isinstance(failed, Inapplicable):
            self._leave(failed)
            return
        allowed = may_refuse or operation in self.case.scenario.get("may_refuse", ())
        if allowed and (reason := refusal_of(failed)) is not None:
            self.allowed = self.inapplicable = f"{body}: {operation} refused, as it may here: {reason}"
            return
        self.blocked = f"blocked: {body}: {failure(self.corpus, operation, failed, body).message}"
        self._keep_words(failed)

    def _leave(self, failed: Inapplicable) -> None:
        """End the item where a call says nothing of the translator; only a fault that was found before it stands."""
        self.inapplicable, self.left = failed.reason, True
        if self.played and self.played[-1].produced is MISSING:
            self.played.pop()

    def go_on_without(
        self, pointers: tuple[str, ...], failed: Failed, body: str, request: Any, route: Route | None = None
    ) -> None:
        """Report, once, a ``request`` that failed with settings and did not without: what follows is judged so.

        ``route``: that of the request, if it is not the item's.
        """
        if not self.left_out:
            self.left_out = pointers
            refusal = self._weighed_refusal("request", failed, body, request, route)
            if refusal is not None:
                self.findings.append(apply_circumstances(self.corpus, refusal, ["setting-left-out"]))

    def never_sent(self, reply: Any, client_request: Any, sent: Any, route: Route | None = None) -> bool:
        """Whether no provider sends that reply for that request, which is then not played; see :func:`unasked`."""
        reason = unasked(self.corpus, route or self.route, reply, client_request, sent)
        self.inapplicable = self.inapplicable or reason
        return bool(reason)

    def _keep_words(self, failed: Failed) -> None:
        """Keep the translator's own output about its failure."""
        match failed:
            case Crashed(traceback=words):
                self.crash, self.words = failed, words
            case TimedOut(words=words) | BadOutput(words=words) | ProtocolError(tail=words) if words:
                self.words = words

    def note(self, judgement: Judgement, body: str) -> None:
        """Add the judge's findings on ``body``, and its losses."""
        self.lose(judgement)
        self.findings += [replace(entry, body=body) for entry in judgement.findings]

    def lose(self, judgement: Judgement) -> None:
        """Add the losses. A later request repeats those of earlier ones, so the highest count is kept, not the sum."""
        for loss in judgement.losses:
            key = loss.element, loss.kind
            self.losses[key] = max(self.losses.get(key, 0), loss.count)

    def observe(self, operation: str, outcome: Produced, body: str) -> None:
        """Report the side effects of a call: it changed the body that it was given, or sent it in a wrong way."""
        reported = [
            (rule, flaw.sentence)
            for flaw in outcome.flaws
            for rule in [_FLAWS.get(flaw.kind) or broken_model_rule(self.corpus, *flaw.models)]
            if rule is not None
        ]
        if outcome.mutated:
            reported.append(("translation/input-mutated", f"{operation} changed the body that it was given"))
        self.findings += [
            make_finding(self.corpus, rule, "", message, element="body", body=body) for rule, message in reported
        ]

    def result(self) -> ItemResult:
        findings = marked(self.corpus, self.route, self.made_up, self.findings, self.played)
        self.findings = [*name_causes(consequence_table(self.corpus), findings, way_back=self.check == "round_trip")]
        verdict = verdict_of(self.findings)
        if verdict is Verdict.FAIL:
            only_refused = self.refused and all(
                entry.rule == "translation/refused" for entry in failing_findings(self.findings)
            )
            verdict = Verdict.REFUSED if only_refused else Verdict.FAIL
        elif self.blocked:
            verdict = Verdict.BLOCKED
        elif self.left or (self.inapplicable and not self.played):
            verdict = Verdict.NOT_APPLICABLE
            self.findings = [] if self.left else self.findings
        return ItemResult(
            verdict,
            set_format(self.findings, self.format_of(self.check)),
            tuple(self.played),
            tuple(Loss(*key, count) for key, count in sorted(self.losses.items())),
            reason=self.blocked or self.allowed or self.inapplicable,
            traceback=self.words,
            exception=self.crash.exception if self.crash else None,
            left_out=self.left_out,
        )


def loss_named_by(corpus: Corpus, route: Route, request: Any, failed: Failed) -> NamedLoss | None:
    """What a refusal of a client's ``request`` names, if all of it may be lost; see :func:`named_loss`."""
    if isinstance(failed, NoRoute):
        return None
    reason = failed.reason if isinstance(failed, UnsupportedOutcome) else refusal_of(failed)
    return None if reason is None else named_loss(corpus, route, request, reason)


def failure(corpus: Corpus, operation: str, failed: Failed, body: str) -> Finding:
    """The finding for a call that returned no body."""
    pointer = ""
    match failed:
        case RefusedOutcome() | Crashed(refuses=True):
            rule, message = "translation/refused", f"{operation} {failed.sentence}"
        case NoRoute(reason):
            rule, message = "translation/refused", f"the gateway {reason}, where other requests got through"
        case UnsupportedOutcome():
            # At collection this operation was not unsupported: it is declared, but fails.
            rule = "translation/refused"
            message = f"{operation} {failed.sentence}, though the session has it; an input that is not taken is refused"
        case Crashed():
            rule, message = "translation/crashed", f"{operation} {failed.sentence}"
        case TimedOut(seconds=seconds):
            rule, message = "translation/timed-out", f"{operation} did not return within {seconds:g} s"
        case BadOutput(sentence, pointer):
            rule, message = "translation/bad-output", sentence
            return make_finding(corpus, rule, pointer, message, want="a JSON body", element="body", body=body)
        case ProtocolError(sentence):
            rule, message = "translation/protocol-error", f"{operation}: {sentence}"
        case Inapplicable(reason):
            rule, message = "translation/refused", f"{operation} says nothing of the translator: {reason}"
        case Misdirected(sentence):
            rule, message = "translation/upstream-address", sentence
    return make_finding(corpus, rule, pointer, message, want="a body", got=MISSING, element="body", body=body)


def refusal_of(failed: Outcome) -> str | None:
    """The reason for which the translator does not take its input; None of another outcome."""
    if isinstance(failed, RefusedOutcome):
        return failed.reason
    return failed.sentence if isinstance(failed, Crashed) and failed.refuses else None


def answer(exchange: Exchange) -> dict[str, Any]:
    """What the provider answers in an exchange of its own format, as :meth:`SessionDriver.finish_exchange` takes it."""
    if exchange.response is None:
        return dict(exchange.error)
    return {"status": 200, "headers": {}, "body": exchange.response}


def produced(outcome: Outcome) -> Any:
    """The body of an outcome, MISSING if it has none."""
    return outcome.value if isinstance(outcome, Produced) else MISSING
