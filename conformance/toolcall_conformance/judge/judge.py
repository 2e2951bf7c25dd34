"""The judge with its corpus: one method for each kind of thing that can be judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement, set_format
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.judge.adapters import judge_calls, judge_results
from toolcall_conformance.judge.bodies import judge_body, judge_round_trip
from toolcall_conformance.judge.bridges import judge_result, judge_tools, mcp_tool_names
from toolcall_conformance.judge.consequences import consequence_table, name_causes
from toolcall_conformance.judge.context import UNKNOWN_REQUESTS, AnyRoute, Requests
from toolcall_conformance.judge.errors import judge_error
from toolcall_conformance.judge.excuses.provider_memory import ProviderMemory
from toolcall_conformance.judge.history import declared_names, judge_history
from toolcall_conformance.judge.otel import ObservedExchange, judge_exchange
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.streams.client_stream import judge_stream
from toolcall_conformance.judge.streams.endings import judge_end
from toolcall_conformance.judge.translation.outcome import outcome
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames
from toolcall_conformance.judge.upstream_replies import judge_sent
from toolcall_conformance.library import Corpus


@dataclass(frozen=True)
class Judge:
    """Judges bodies by the rules of ``corpus``. With ``tolerated`` it lists the differences that it accepted, too.

        judge = Judge(load_corpus())
        judgement = judge.request(source, output, Ends("anthropic", "gemini"))

    ``source`` is the translator's input, ``output`` its translation; findings point into ``output``. Every method
    raises LookupError for an unknown format, and never raises for any JSON. Accepted differences are listed for
    requests, alone and in a conversation, for replies, errors and streams.
    """

    corpus: Corpus
    tolerated: bool = False

    def _name_causes(self, judgement: Judgement, format_name: str) -> Judgement:
        """The judgement with the format of its body; findings that follow from others name them."""
        judged = judgement.in_format(format_name)
        return replace(judged, findings=name_causes(consequence_table(self.corpus), judged.findings))

    def request(
        self, source: Any, output: Any, route: AnyRoute, *, declared: Collection[str] = (), captured: bool = False
    ) -> Judgement:
        """Judge an upstream request, the translation of a client's request.

        ``declared`` are the elements that the translator itself reports as lost. ``captured``: the bodies come from
        real traffic, where a translator may have put one provider's state in the place of another's.
        """
        return self._name_causes(
            judge_body(
                self.corpus,
                source,
                output,
                route,
                "request",
                declared=declared,
                captured=captured,
                tolerated=self.tolerated,
            ),
            route.upstream,
        )

    def response(
        self,
        source: Any,
        output: Any,
        route: AnyRoute,
        *,
        requests: Requests = UNKNOWN_REQUESTS,
        vendor: bool = False,
        declared: Collection[str] = (),
        captured: bool = False,
        raw_arguments: Mapping[int, str] | None = None,
    ) -> Judgement:
        """Judge a client's reply, the translation of a provider's reply.

        ``vendor``: the reply comes from a compatible vendor whose deviations a translator may correct, even between
        equal formats. ``declared`` and ``captured`` are those of :meth:`request`. ``raw_arguments`` are the unparsed
        JSON texts of the arguments of the output's calls, if it was streamed, by the number of the call from 0.
        """
        return self._name_causes(
            judge_body(
                self.corpus,
                source,
                output,
                route,
                "response",
                requests=requests,
                vendor=vendor,
                declared=declared,
                captured=captured,
                tolerated=self.tolerated,
                raw_arguments=raw_arguments,
            ),
            route.client,
        )

    def error(self, source: Any, output: Any, route: AnyRoute) -> Judgement:
        """Judge a client's error, the translation of a provider's error.

        Both are ``{"status", "headers", "body"}``; unknown headers may be left out.
        """
        return self._name_causes(
            judge_error(self.corpus, source, output, route, tolerated=self.tolerated), route.client
        )

    def stream(
        self,
        source: Any,
        output: bytes | dict[str, Any],
        route: AnyRoute,
        *,
        requests: Requests = UNKNOWN_REQUESTS,
        vendor: bool = False,
        declared: Collection[str] = (),
        captured: bool = False,
        how: str = "",
    ) -> Judgement:
        """Judge the stream that a client received: its bytes, or the result of ``streaming.parse``.

        ``source`` is the upstream's stream (in the same forms), or its unary reply (a JSON object, or its bytes), or
        None: then the output is judged by the rules of the client's format alone. If the source broke off or failed,
        ``how`` may describe that for messages (``was lost``). The other parameters are those of :meth:`response`.
        Findings point into the stream or, if their ``body`` is ``findings.ASSEMBLED_REPLY``, into the assembled reply.
        """
        judged = judge_stream(
            self.corpus,
            source,
            output,
            route,
            requests=requests,
            vendor=vendor,
            declared=declared,
            captured=captured,
            tolerated=self.tolerated,
            how=how,
            rename_for_client=lambda reply: self._rename_for_client(route, reply, requests.client),
        )
        return self._name_causes(judged, route.client)

    def _rename_for_client(self, route: AnyRoute, reply: Any, request: Any) -> Any:
        """A provider's reply with the client's tool names; ``request`` is the client's, None if unknown."""
        del route, request  # names are what a policy changes
        return reply

    def stream_end(
        self, sent: Assembled, received: Assembled, output: dict[str, Any], route: AnyRoute, how: str
    ) -> tuple[Finding, ...]:
        """Judge only the end of a client's stream whose source broke off or failed.

        A part of :meth:`stream`, for a stream that is broken off again and again. ``sent`` and ``received`` are results
        of ``formats.assemble``, ``output`` is one of ``streaming.parse``. ``how`` says how the source ended.
        """
        return set_format(judge_end(self.corpus, route.client, sent, received, output, how), route.client)

    def history(
        self,
        golden: Any,
        output: Any,
        route: AnyRoute,
        *,
        request: Any = None,
        provider_memory: ProviderMemory | None = None,
        stored: bool = False,
    ) -> Judgement:
        """Judge an upstream request in a running conversation, the translation of a client's request.

        ``golden`` is the request as a native client of the upstream's format would send it: the provider's own replies
        with their ids, names and opaque state, and the client's results. Everything has passed through the client's
        format, so what that cannot express is not demanded. ``request`` is the client's golden request, by whose words
        results are judged: never the one built from translated replies, whose ids may be wrong.
        ``provider_memory`` has the provider's replies by id, from which a request may continue. ``stored``: the
        client's request left out the earlier entries.
        """
        return self._name_causes(
            judge_history(
                self.corpus,
                golden,
                output,
                route,
                request=request,
                provider_memory=provider_memory or {},
                stored=stored,
                tolerated=self.tolerated,
            ),
            route.upstream,
        )

    def may_fail(self, upstream: str, reply: Any) -> bool:
        """Whether the client may get an error instead of this provider's reply, which is empty or no answer."""
        if upstream not in formats.names():
            return False  # an unknown format: its replies cannot be read
        return outcome.may_become_error(self.corpus, formats.read(upstream, "response", reply))

    def may_refuse(self, route: AnyRoute, request: Any) -> bool:
        """Whether a client's request depends on what only its own provider knows, or can do."""
        if route.client == route.upstream or route.client not in formats.names():
            return False
        source = formats.read(route.client, "request", request)
        return bool(source.stored) or source.compacts is not None

    def round_trip(self, source: Any, output: Any, *, own: str, through: str, direction: str = "request") -> Judgement:
        """Compare a body of the format ``own`` with its translation to the format ``through`` and back.

        What ``through`` cannot express may be lost. Only MUST findings are reported: smaller differences add up over
        two translations, and each translation has reported its own.
        """
        judged = judge_round_trip(self.corpus, source, output, own=own, through=through, direction=direction)
        return self._name_causes(judged, own)

    def body(
        self,
        format_name: str,
        direction: str,
        body: Any,
        *,
        model: str | None = None,
        assembled: Assembled | None = None,
    ) -> Judgement:
        """Check a body against the rules of its own format, no translation involved.

        ``direction`` may be ``"stream"``, for a result of ``streaming.parse``; ``assembled`` is the reply that it
        assembles to, if known already.
        """
        findings = check_body(self.corpus, format_name, direction, body, model=model, assembled=assembled)
        return self._name_causes(Judgement(tuple(findings)), format_name)

    def sent(self, format_name: str, direction: str, body: Any, *, model: str | None = None) -> Judgement:
        """Check the body of a reply or an error that an upstream sent to a translator.

        ``direction`` is ``"response"``, ``"stream"`` or ``"error"``. Forms that a compatible vendor documents are
        notes; in the output of a translator, which the other methods judge, they are faults.
        """
        return self._name_causes(judge_sent(self.corpus, format_name, direction, body, model=model), format_name)

    def tool_calls(self, format_name: str, reply: Any, calls: Any) -> Judgement:
        """Judge the list of calls that a session extracted from a reply."""
        return self._name_causes(judge_calls(self.corpus, format_name, reply, calls), format_name)

    def tool_results(self, format_name: str, golden: Any, output: Any, *, model: str) -> Judgement:
        """Judge a request with a session's entries for tool results, by the ``golden`` one with the same results.

        What the client says after the results is not demanded.
        """
        judgement = judge_results(self.corpus, format_name, golden, output, model=model)
        return self._name_causes(judgement, format_name)

    def mcp_tools(self, format_name: str, golden: Any, list_tools_result: Any, tools: Any, *, model: str) -> Judgement:
        """Judge the ``tools`` of a request, a session's translation of the result of ``tools/list``.

        ``golden`` is a request to put them into.
        """
        judgement = judge_tools(self.corpus, format_name, golden, list_tools_result, tools, model=model)
        return self._name_causes(judgement, format_name)

    def mcp_names(self, format_name: str, list_tools_result: Any, request: Any) -> dict[str, str]:
        """The names under which a request declares the tools of a result of ``tools/list``, by the server's names."""
        return mcp_tool_names(self.corpus, format_name, list_tools_result, request)

    def mcp_result(
        self, format_name: str, golden: Any, output: Any, results: Mapping[int, Any], *, model: str
    ) -> Judgement:
        """Judge a request with a session's entries for ``results`` of ``tools/call``, by their calls' ordinals.

        ``golden`` is the request with the same calls and any results. What it says after them is not demanded.
        """
        judgement = judge_result(self.corpus, format_name, golden, output, results, model=model)
        return self._name_causes(judgement, format_name)

    def otel(self, format_name: str, request: Any, reply: Any, output: Any) -> Judgement:
        """Judge an instrumentation's record for OpenTelemetry of a request and its reply.

        ``output`` has ``input_messages``, ``output_messages``, ``system_instructions`` and ``tool_definitions``. With
        a ``reply`` of None only the request's part is judged.
        """
        exchange = ObservedExchange(format_name, request, reply)
        return self._name_causes(Judgement(tuple(judge_exchange(self.corpus, exchange, output))), format_name)

    def declared_names(self, golden: Any, output: Any, upstream: str) -> DeclaredNames:
        """The names under which the ``output`` declares the tools of the ``golden`` request, by the golden names."""
        return declared_names(self.corpus, golden, output, upstream)
