"""Variants of the judge: one caches its judgements, one knows what the translator does to tools on purpose."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.basics.jsonvalue import pack
from toolcall_conformance.judge.context import UNKNOWN_REQUESTS, AnyRoute, Requests
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.policy import Policy, apply_policy, declared_tools, undo_policy
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames

MAX_CACHED_JUDGEMENTS: Final = 1_000


@dataclass(frozen=True)
class CachingJudge(Judge):
    """Caches its judgements of requests in a conversation, at most :data:`MAX_CACHED_JUDGEMENTS` of them.

    The variants of a conversation mostly have equal bodies.
    """

    _judgements: dict[bytes, Judgement] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self._judgements)

    def history(self, golden: Any, output: Any, route: AnyRoute, **options: Any) -> Judgement:
        ends = [route.client, route.upstream, route.upstream_model]
        key = blake2b(pack([golden, output, ends, options]), digest_size=16).digest()
        if key not in self._judgements:
            if len(self._judgements) == MAX_CACHED_JUDGEMENTS:
                self._judgements.clear()
            self._judgements[key] = super().history(golden, output, route, **options)
        return self._judgements[key]


@dataclass(frozen=True)
class PoliciedJudge(CachingJudge):
    """Judges a translator by bodies with its ``policy`` applied: it must do just that, and nothing more.

    The policy applies to each translation, so twice to a round trip; round trips are not judged.
    """

    policy: Policy = field(default_factory=Policy, kw_only=True)

    def request(self, source: Any, output: Any, route: AnyRoute, **options: Any) -> Judgement:
        judged = super().request(apply_policy(self.policy, route.client, source), output, route, **options)
        return self._accept_policy_names(judged, declared_tools(route.client, source))

    def _accept_policy_names(self, judged: Judgement, declared: Collection[str]) -> Judgement:
        """The judgement, where a missing name that the policy gives is a lost tool: upstream knows no other name."""
        policy_names = {new for old, new in self.policy.rename.items() if old in declared}
        findings = [
            make_finding(
                self.corpus,
                "translation/tool-lost",
                judged_finding.pointer,
                f"the policy gives this tool the name {judged_finding.want}",
                want=judged_finding.want,
                got=judged_finding.got,
                source=judged_finding.source_pointer,
                subject=judged_finding.subject,
                body=judged_finding.body,
            )
            if judged_finding.rule == "translation/tool-name-kept" and judged_finding.want in policy_names
            else judged_finding
            for judged_finding in judged.findings
        ]
        return replace(judged, findings=tuple(findings))

    def response(
        self, source: Any, output: Any, route: AnyRoute, *, requests: Requests = UNKNOWN_REQUESTS, **options: Any
    ) -> Judgement:
        reply = self._rename_for_client(route, source, requests.client)
        return super().response(reply, output, route, requests=requests, **options)

    def _rename_for_client(self, route: AnyRoute, reply: Any, request: Any) -> Any:
        declared = None if request is None else declared_tools(route.client, request)
        return undo_policy(self.policy, route.upstream, reply, declared)

    def history(self, golden: Any, output: Any, route: AnyRoute, *, request: Any = None, **options: Any) -> Judgement:
        client_request = None if request is None else apply_policy(self.policy, route.client, request)
        return super().history(
            apply_policy(self.policy, route.upstream, golden), output, route, request=client_request, **options
        )

    def declared_names(self, golden: Any, output: Any, upstream: str) -> DeclaredNames:
        declared = super().declared_names(apply_policy(self.policy, upstream, golden), output, upstream)
        if upstream not in formats.names():
            return declared
        rename = self.policy.rename
        names = {
            rename.get(name, name): name
            for tool in formats.read(upstream, "request", golden).tools
            if (name := tool.name) is not None
        }
        source_names = {names.get(sent, sent): there for sent, there in declared.items()}
        return declared.with_golden_names(source_names, self.policy.parameters)
