"""A judge that knows what the translator does to tools on purpose."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.judge.caching import CachingJudge
from toolcall_conformance.judge.given import UNKNOWN, AnyRoute, Requests
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.policy import Policy, as_sent, came_from, declared_tools
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames


@dataclass(frozen=True)
class PoliciedJudge(CachingJudge):
    """Judges a translator against bodies as its ``policy`` makes them: it must do just that, and nothing more.

    A body that goes through two translations has been through the policy twice; round trips are not judged.
    """

    policy: Policy = field(default_factory=Policy, kw_only=True)

    def request(self, source: Any, output: Any, route: AnyRoute, **more: Any) -> Judgement:
        judged = super().request(as_sent(self.policy, route.client, source), output, route, **more)
        return self._named(judged, declared_tools(route.client, source))

    def _named(self, judged: Judgement, declared: Collection[str]) -> Judgement:
        """A judgement in which the names that the policy gives are no wish: the provider's side knows no others."""
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
        self, source: Any, output: Any, route: AnyRoute, *, requests: Requests = UNKNOWN, **more: Any
    ) -> Judgement:
        reply = self._in_names_of_the_client(route, source, requests.client)
        return super().response(reply, output, route, requests=requests, **more)

    def _in_names_of_the_client(self, route: AnyRoute, reply: Any, request: Any) -> Any:
        declared = None if request is None else declared_tools(route.client, request)
        return came_from(self.policy, route.upstream, reply, declared)

    def history(self, golden: Any, output: Any, route: AnyRoute, *, request: Any = None, **more: Any) -> Judgement:
        client_request = None if request is None else as_sent(self.policy, route.client, request)
        return super().history(
            as_sent(self.policy, route.upstream, golden), output, route, request=client_request, **more
        )

    def declared_names(self, golden: Any, output: Any, upstream: str) -> DeclaredNames:
        declared = super().declared_names(as_sent(self.policy, upstream, golden), output, upstream)
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
