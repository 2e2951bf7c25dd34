"""The base of all checks: their signature, their result, and the findings for failed calls."""

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
from toolcall_conformance.checks.conversation.impossible_replies import why_impossible
from toolcall_conformance.checks.made_up_places import MadeUpPlaces, mark_made_up
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    FailedOutcome,
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

_RULE_BY_FLAW = {
    "key": "translation/client-key-kept",
    "header": "translation/upstream-headers",
}


@dataclass(frozen=True, slots=True)
class Harness:
    """The tools of every check: the judge, and the fineness of cuts that the user has chosen, if any.

    ``made_up_places`` collects the places that an item's sessions declare as made up by their adapter.
    """

    judge: Judge
    fineness: Fineness | None = None
    made_up_places: MadeUpPlaces = field(default_factory=MadeUpPlaces)

    @property
    def corpus(self) -> Corpus:
        return self.judge.corpus


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The result of a case on a route in one check.

    ``losses`` are the allowed losses, each with the most in one body. ``reason`` explains a verdict that findings do
    not. ``traceback`` is the translator's own, if it raised ``exception``, or the last output of its process.
    ``left_out`` are pointers to settings that were left out, because the request failed with them. ``differences`` are
    those from another translator's output; they are no part of the verdict.
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
    is_left: bool = False
    is_refused: bool = False
    crash: Crashed | None = None
    translator_output: str = ""
    losses: dict[tuple[str, str], int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    made_up_places: MadeUpPlaces = field(default_factory=MadeUpPlaces)

    @classmethod
    def of(cls, harness: Harness, case: Case, check: str, route: Route) -> Tally:
        return cls(harness.corpus, case, check, route, [], [], made_up_places=harness.made_up_places)

    def format_of(self, operation: str) -> str:
        """The format of an operation's output."""
        return self.route.upstream if operation == "request" else self.route.client

    def fail(self, operation: str, failure: FailedOutcome, body_label: str, *, request: Any = MISSING) -> None:
        """Report a judged call that returned no body; ``request``: the client's, which was not translated."""
        if isinstance(failure, Inapplicable):
            self._leave_item(failure)
            return
        if (reason := refusal_reason(failure)) is not None:
            if self.check in self.case.scenario.get("may_refuse", ()):
                self.allowed = f"refused, as this case allows: {reason}"
                return
            self.is_refused = True
        self._store_output(failure)
        refusal = self._failure_finding(operation, failure, body_label, request)
        if refusal is not None:
            self.findings.append(refusal)

    def _failure_finding(
        self, operation: str, failure: FailedOutcome, body_label: str, request: Any, route: Route | None = None
    ) -> Finding | None:
        """The finding for a failed call; a refusal that names a possible loss is judged no worse than the loss itself.

        Returns None if the loss itself would be allowed.
        """
        refusal = replace(
            failure_finding(self.corpus, operation, failure, body_label), format=self.format_of(operation)
        )
        loss = None if request is MISSING else find_named_loss(self.corpus, route or self.route, request, failure)
        if loss is None:
            return refusal
        places = ", ".join(loss.parts)
        if loss.weighs_nothing:
            self.allowed = f"refused, as a request may be for what may be lost ({places}): {refusal.message}"
            return None
        would = ", ".join(sorted({entry.rule for entry in loss.findings if not entry.is_note}))
        message = f"{refusal.message} (it names {places}; to drop that would be {would})"
        return apply_circumstances(self.corpus, replace(refusal, message=message), [REFUSAL_NAMES_LOSS])

    def break_loop(self, failure: Crashed, fault: Finding, reply: PlayedBodies) -> None:
        """Report a reply with a ``fault``, on which the translator's own next request fails."""
        self._store_output(failure)
        self.played.append(reply)
        message = f"the next request repeats what breaks {fault.rule} here, and {failure.sentence}"
        loop_break = replace(fault, rule="translation/loop-broken", message=message, body=reply.name)
        self.findings.append(replace(loop_break, format=self.route.client))

    def fail_reply(self, operation: str, failure: FailedOutcome, body_label: str, *, may_fail: bool) -> None:
        """Report a judged reply that was not translated. ``may_fail``: the client may get an error in its place."""
        is_error = isinstance(failure, RefusedOutcome) or (isinstance(failure, Crashed) and not failure.died)
        if may_fail and is_error:
            message = failure_finding(self.corpus, operation, failure, body_label).message
            self.allowed = f"an error, as this reply allows: {message}"
        else:
            self.fail(operation, failure, body_label)

    def fail_request(self, failure: FailedOutcome, body_label: str, request: Any, *, may_refuse: bool) -> None:
        """Report a judged request that was not translated. ``may_refuse``: it names what only its own provider has."""
        if may_refuse and (reason := refusal_reason(failure)) is not None:
            self.allowed = f"refused, as a request may be that names what its provider keeps: {reason}"
        else:
            self.fail("request", failure, body_label, request=request)

    def block(self, operation: str, failure: FailedOutcome, body_label: str, *, may_refuse: bool = False) -> None:
        """Block the item: a call before the judged one failed, which its own check reports.

        An allowed refusal ends the item without a fault. ``may_refuse``: the request names what only its own provider
        has.
        """
        if isinstance(failure, Inapplicable):
            self._leave_item(failure)
            return
        allowed = may_refuse or operation in self.case.scenario.get("may_refuse", ())
        if allowed and (reason := refusal_reason(failure)) is not None:
            self.allowed = self.inapplicable = f"{body_label}: {operation} refused, as it may here: {reason}"
            return
        self.blocked = f"blocked: {body_label}: {failure_finding(self.corpus, operation, failure, body_label).message}"
        self._store_output(failure)

    def _leave_item(self, failure: Inapplicable) -> None:
        """End the item at a call that says nothing about the translator; only faults before it count."""
        self.inapplicable, self.is_left = failure.reason, True
        if self.played and self.played[-1].produced is MISSING:
            self.played.pop()

    def go_on_without(
        self,
        pointers: tuple[str, ...],
        failure: FailedOutcome,
        body_label: str,
        request: Any,
        route: Route | None = None,
    ) -> None:
        """Report, once, a ``request`` that failed with settings and not without them; the item goes on without them.

        ``route``: that of the request, if it is not the item's.
        """
        if not self.left_out:
            self.left_out = pointers
            refusal = self._failure_finding("request", failure, body_label, request, route)
            if refusal is not None:
                self.findings.append(apply_circumstances(self.corpus, refusal, ["setting-left-out"]))

    def skip_impossible_reply(
        self, reply: Any, client_request: Any, upstream_request: Any, route: Route | None = None
    ) -> bool:
        """Whether no provider sends that reply for that request: it is not played; see :func:`why_impossible`."""
        reason = why_impossible(self.corpus, route or self.route, reply, client_request, upstream_request)
        self.inapplicable = self.inapplicable or reason
        return bool(reason)

    def _store_output(self, failure: FailedOutcome) -> None:
        """Store the translator's own output about its failure."""
        match failure:
            case Crashed(traceback=last_output):
                self.crash, self.translator_output = failure, last_output
            case TimedOut() | BadOutput() | ProtocolError() if failure.last_output:
                self.translator_output = failure.last_output

    def add_judgement(self, judgement: Judgement, body_label: str) -> None:
        """Add the judge's findings on ``body_label``, and its losses."""
        self.add_losses(judgement)
        self.findings += [replace(entry, body=body_label) for entry in judgement.findings]

    def add_losses(self, judgement: Judgement) -> None:
        """Add the losses. Later requests repeat those of earlier ones, so the highest count is stored, not the sum."""
        for loss in judgement.losses:
            key = loss.element, loss.kind
            self.losses[key] = max(self.losses.get(key, 0), loss.count)

    def add_side_effects(self, operation: str, outcome: Produced, body_label: str) -> None:
        """Report the side effects of a call: it changed its input, or sent the request in a wrong way."""
        reported = [
            (rule, flaw.sentence)
            for flaw in outcome.flaws
            for rule in [_RULE_BY_FLAW.get(flaw.kind) or broken_model_rule(self.corpus, *flaw.models)]
            if rule is not None
        ]
        if outcome.mutated:
            reported.append(("translation/input-mutated", f"{operation} changed the body that it was given"))
        self.findings += [
            make_finding(self.corpus, rule, "", message, element="body", body=body_label) for rule, message in reported
        ]

    def result(self) -> ItemResult:
        findings = mark_made_up(self.corpus, self.route, self.made_up_places, self.findings, self.played)
        self.findings = [*name_causes(consequence_table(self.corpus), findings, way_back=self.check == "round_trip")]
        verdict = verdict_of(self.findings)
        if verdict is Verdict.FAIL:
            only_refused = self.is_refused and all(
                entry.rule == "translation/refused" for entry in failing_findings(self.findings)
            )
            verdict = Verdict.REFUSED if only_refused else Verdict.FAIL
        elif self.blocked:
            verdict = Verdict.BLOCKED
        elif self.is_left or (self.inapplicable and not self.played):
            verdict = Verdict.NOT_APPLICABLE
            self.findings = [] if self.is_left else self.findings
        return ItemResult(
            verdict,
            set_format(self.findings, self.format_of(self.check)),
            tuple(self.played),
            tuple(Loss(*key, count) for key, count in sorted(self.losses.items())),
            reason=self.blocked or self.allowed or self.inapplicable,
            traceback=self.translator_output,
            exception=self.crash.exception if self.crash else None,
            left_out=self.left_out,
        )


def find_named_loss(corpus: Corpus, route: Route, request: Any, failure: FailedOutcome) -> NamedLoss | None:
    """The parts of a client's ``request`` that a refusal names, if all may be lost; see :func:`named_loss`."""
    if isinstance(failure, NoRoute):
        return None
    reason = failure.reason if isinstance(failure, UnsupportedOutcome) else refusal_reason(failure)
    return None if reason is None else named_loss(corpus, route, request, reason)


def failure_finding(corpus: Corpus, operation: str, failure: FailedOutcome, body_label: str) -> Finding:
    """The finding for a call that returned no body."""
    pointer = ""
    match failure:
        case RefusedOutcome() | Crashed(refuses=True):
            rule, message = "translation/refused", f"{operation} {failure.sentence}"
        case NoRoute(reason):
            rule, message = "translation/refused", f"the gateway {reason}, where other requests got through"
        case UnsupportedOutcome():
            # At collection this operation was not unsupported: it is declared, but fails.
            rule = "translation/refused"
            message = (
                f"{operation} {failure.sentence}, though the session has it; an input that is not taken is refused"
            )
        case Crashed():
            rule, message = "translation/crashed", f"{operation} {failure.sentence}"
        case TimedOut(timeout=timeout):
            rule, message = "translation/timed-out", f"{operation} did not return within {timeout:g} s"
        case BadOutput(sentence, pointer):
            rule, message = "translation/bad-output", sentence
            return make_finding(corpus, rule, pointer, message, want="a JSON body", element="body", body=body_label)
        case ProtocolError(sentence):
            rule, message = "translation/protocol-error", f"{operation}: {sentence}"
        case Inapplicable(reason):
            rule, message = "translation/refused", f"{operation} says nothing of the translator: {reason}"
        case Misdirected(sentence):
            rule, message = "translation/upstream-address", sentence
    return make_finding(corpus, rule, pointer, message, want="a body", got=MISSING, element="body", body=body_label)


def refusal_reason(failure: Outcome) -> str | None:
    """The translator's reason for refusing its input; None for another outcome."""
    if isinstance(failure, RefusedOutcome):
        return failure.reason
    return failure.sentence if isinstance(failure, Crashed) and failure.refuses else None


def provider_answer(exchange: Exchange) -> dict[str, Any]:
    """The provider's answer in an exchange of its own format, for :meth:`SessionDriver.finish_exchange`."""
    if exchange.response is None:
        return dict(exchange.error)
    return {"status": 200, "headers": {}, "body": exchange.response}


def produced_body(outcome: Outcome) -> Any:
    """The body of an outcome, MISSING if it has none."""
    return outcome.value if isinstance(outcome, Produced) else MISSING
