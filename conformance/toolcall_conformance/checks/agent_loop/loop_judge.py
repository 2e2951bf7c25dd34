"""Judges the later requests of a conversation, and the replies from which the client built them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Judgement, is_json_value
from toolcall_conformance.basics.jsonvalue import JSONError, canonical, parse
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.checks.agent_loop.variants import LoopVariant
from toolcall_conformance.checks.base import Harness
from toolcall_conformance.checks.conversation.captions import golden_with_captions
from toolcall_conformance.checks.conversation.impossible_replies import excuse_ungiven_state
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.judge.excuses.provider_memory import ProviderMemory, extend_memory
from toolcall_conformance.judge.excuses.thinking_state import ungiven_state
from toolcall_conformance.judge.levels import apply_circumstances, make_finding
from toolcall_conformance.library import Case, Corpus, Exchange


class LoopJudge:
    """Judges the requests of one conversation, each by all that was said before it."""

    def __init__(self, case: Case, route: Route, harness: Harness, loop_variant: LoopVariant) -> None:
        self._case, self._route, self._harness, self._variant = case, route, harness, loop_variant
        self._replies: list[PlayedBodies] = []
        self._provider_memory: ProviderMemory = {}
        self._ungiven_state: frozenset[str] = frozenset()  # state that the provider would not have sent
        self._gives_no_ids = _gives_no_ids(case, route.upstream)

    def add_provider_reply(self, upstream_request: Any, provider_reply: Any) -> None:
        """Note what the provider sends for a request: it remembers that, and gives no state for what it lacks."""
        upstream = self._route.upstream
        self._ungiven_state |= ungiven_state(self._harness.corpus, upstream, upstream_request, provider_reply)
        self._provider_memory = extend_memory(upstream, upstream_request, provider_reply, self._provider_memory)

    def add_reply(self, reply: PlayedBodies) -> None:
        """Note a reply from which the client has built its next request."""
        self._replies.append(reply)

    def last_fault(self) -> tuple[PlayedBodies, Finding] | None:
        """The last reply with its first broken MUST rule; None if there is none."""
        if not self._replies:
            return None
        reply = self._replies[-1]
        fault = next((finding for finding in self._reply_faults(reply) if finding.is_must), None)
        return None if fault is None else (reply, fault)

    def judge_request(
        self, client: Exchange, upstream: Exchange, whole_request: Any, output: Any
    ) -> tuple[Judgement, list[Finding]]:
        """Judge the translation of a later request, and place its findings; ``whole_request`` is the client's own."""
        corpus, route = self._harness.corpus, self._route
        judgement = self._harness.judge.history(
            upstream.request,
            output,
            route,
            request=golden_with_captions(self._case, route.client, client.request, whole_request),
            provider_memory=self._provider_memory,
            stored=self._variant.habit.rests_on_memory,
        )
        findings = self._mention_reply_faults(judgement.findings)
        findings = _drop_id_findings(findings) if self._gives_no_ids else findings
        findings = excuse_ungiven_state(corpus, findings, upstream.request, self._ungiven_state)
        circumstances = self._circumstances()
        body_label = client.request_path.stem
        return judgement, [
            apply_circumstances(corpus, replace(finding, body=body_label), circumstances) for finding in findings
        ]

    def _circumstances(self) -> list[str]:
        """The circumstances of all findings: what the client drops, and what the provider does not give."""
        drops = not self._variant.habit.echo and self._route.client != self._route.upstream
        return [
            *(["client-drops-unknown-keys"] if drops else []),
            *(["provider-gives-no-ids"] if self._gives_no_ids else []),
        ]

    def _reply_faults(self, reply: PlayedBodies) -> tuple[Finding, ...]:
        return self._harness.judge.response(reply.source, reply.produced, self._route).findings

    def _mention_reply_faults(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """The findings on a request; those that an earlier reply caused name it: the client's own request has them."""
        if not any(finding.is_must for finding in findings):
            return findings
        names: dict[tuple[str, str], str] = {}
        for reply in self._replies:
            for fault in self._reply_faults(reply):
                names.setdefault(_fault_key(fault), reply.name)
        return tuple(
            replace(
                finding, message=f"{finding.message} (on the way down, in {name}: the client's own request has it so)"
            )
            if (name := names.get(_fault_key(finding)))
            else finding
            for finding in findings
        )


def find_misnamed_calls(corpus: Corpus, client: str, golden: Any, reply: Any, body_label: str) -> Iterator[Finding]:
    """The findings on calls of a reply to tools that the client did not declare and cannot run."""
    missing = [call.name for call in formats.read(client, "response", golden).calls]
    strange: list[Call] = []
    for call in formats.read(client, "response", reply).calls:
        if call.name in missing:
            missing.remove(call.name)
        else:
            strange.append(call)
    for call, name in zip(strange, missing, strict=False):
        yield make_finding(
            corpus,
            "translation/call-name",
            call.name_pointer or call.pointer,
            "the reply calls a tool by a name that the client did not declare",
            want=name,
            got=call.name,
            element="name",
            body=body_label,
        )


def _fault_key(finding: Finding) -> tuple[str, str]:
    """A key that findings on one loss share: the rule, and the missing value in a neutral notation."""
    want = finding.want
    if not is_json_value(want):
        return finding.rule, repr(want)
    if isinstance(want, str):  # arguments are a text in one format and an object in the other
        with suppress(JSONError):
            want = parse(want)
    return finding.rule, canonical(want)


def _gives_no_ids(case: Case, upstream: str) -> bool:
    """Whether the provider is a compatible vendor that omits ids which its format has."""
    replies = (exchange.response for exchange in case.exchanges(upstream)) if upstream in case.dialects else ()
    return any(not call.id for reply in replies for call in formats.read(upstream, "response", reply).calls)


def _drop_id_findings(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings without those on returned ids: a provider that gave no ids accepts any."""
    return tuple(finding for finding in findings if finding.rule != "translation/ids-returned")
