"""The judge with its corpus: one method for each kind of thing that can be judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Judgement, set_format
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.judge.adapters import judge_calls, judge_results
from toolcall_conformance.judge.bodies import judge_body
from toolcall_conformance.judge.bridges import declared_names as mcp_names
from toolcall_conformance.judge.bridges import judge_result, judge_tools
from toolcall_conformance.judge.consequences import table_of, with_causes
from toolcall_conformance.judge.errors import judge_error
from toolcall_conformance.judge.excuses.provider_memory import ProviderMemory
from toolcall_conformance.judge.given import UNKNOWN, AnyRoute, Requests
from toolcall_conformance.judge.history import declared_names, judge_history
from toolcall_conformance.judge.otel import ObservedExchange, judge_exchange
from toolcall_conformance.judge.round_trips import judge_round_trip
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.streams.broken import judge_end
from toolcall_conformance.judge.streams.whole import judge_stream
from toolcall_conformance.judge.translation.outcome import outcome
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames
from toolcall_conformance.judge.upstream_replies import judge_sent
from toolcall_conformance.library import Corpus


@dataclass(frozen=True)
class Judge:
    """Judges bodies by the rules of ``corpus``. With ``tolerated`` it lists the differences that it accepted, too.

        judge = Judge(load_corpus())
        judgement = judge.request(source, output, Ends("anthropic", "gemini"))

    ``source`` is what the translator was given, ``output`` what it made of it; findings point into ``output``. Every
    method raises LookupError for an unknown format, and never raises for any JSON. Accepted differences are listed for
    requests, alone and in a conversation, for replies, errors and streams.
    """

    corpus: Corpus
    tolerated: bool = False

    def _with_causes(self, judgement: Judgement, name: str) -> Judgement:
        """A judgement of a body of the format ``name``; findings that follow from others name these."""
        judged = judgement.in_format(name)
        return replace(judged, findings=with_causes(table_of(self.corpus), judged.findings))

    def request(
        self, source: Any, output: Any, route: AnyRoute, *, declared: Collection[str] = (), captured: bool = False
    ) -> Judgement:
        """Judge the upstream request that a translator made of a client's request.

        ``declared`` are the elements that the translator itself says it lost. ``captured``: the bodies come from
        real traffic, where a translator may have put one provider's state in the place of another's.
        """
        return self._with_causes(
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
        requests: Requests = UNKNOWN,
        vendor: bool = False,
        declared: Collection[str] = (),
        captured: bool = False,
        raw_arguments: Mapping[int, str] | None = None,
    ) -> Judgement:
        """Judge the client's reply that a translator made of a provider's.

        ``vendor``: the reply comes from a compatible vendor whose deviations a translator may correct, even where both
        formats are one. ``declared`` and ``captured`` are those of :meth:`request`. ``raw_arguments`` are, of a reply
        that was streamed, the unparsed JSON texts of its calls' arguments, by the place of the call among the calls.
        """
        return self._with_causes(
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
        """Judge the client's error that a translator made of a provider's.

        Both are ``{"status", "headers", "body"}``; unknown headers may be left out.
        """
        return self._with_causes(
            judge_error(self.corpus, source, output, route, tolerated=self.tolerated), route.client
        )

    def stream(
        self,
        source: Any,
        output: bytes | dict[str, Any],
        route: AnyRoute,
        *,
        requests: Requests = UNKNOWN,
        vendor: bool = False,
        declared: Collection[str] = (),
        captured: bool = False,
        how: str = "",
    ) -> Judgement:
        """Judge the stream that a client received: its bytes, or what ``streaming.parse`` makes of them.

        ``source`` is the upstream's stream (the same way), or its unary reply (a JSON object, or its bytes), or None:
        then the output is judged by the rules of the client's format alone. Where the source broke off or failed,
        ``how`` may say so in other words (``was lost``). The rest is as of :meth:`response`. Findings point into the
        stream or, where their ``body`` is ``findings.TOGETHER``, into the reply that it assembles to.
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
            in_names_of_client=lambda reply: self._in_names_of_the_client(route, reply, requests.client),
        )
        return self._with_causes(judged, route.client)

    def _in_names_of_the_client(self, route: AnyRoute, reply: Any, request: Any) -> Any:
        """A provider's reply in the tool names of the client, whose ``request`` it answers, if that is known."""
        del route, request  # names are what a policy changes
        return reply

    def stream_end(
        self, sent: Assembled, received: Assembled, output: dict[str, Any], route: AnyRoute, how: str
    ) -> tuple[Finding, ...]:
        """Judge how a client's stream ends whose source broke off or failed, and nothing else of it.

        A part of what :meth:`stream` judges, for a stream that is broken off again and again; both replies are as
        ``formats.assemble`` makes them, ``output`` as ``streaming.parse`` does. ``how`` says how the source ended.
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
        """Judge the upstream request that a translator made of a client's request in a running conversation.

        ``golden`` is the request as a native client of the upstream's format would send it: the provider's own replies
        with their ids, names and opaque state, and the client's results. The client's format is the one that
        everything had to pass through: what it cannot say is not demanded. ``request`` is the client's golden request,
        by whose words results are judged: never the one built from translated replies, whose ids may be what is wrong.
        ``provider_memory`` has the provider's replies by id: a request may continue from there. ``stored``: the
        client's request left out the earlier entries.
        """
        return self._with_causes(
            judge_history(
                self.corpus,
                golden,
                output,
                route,
                request=request,
                memory=provider_memory or {},
                stored=stored,
                tolerated=self.tolerated,
            ),
            route.upstream,
        )

    def may_fail(self, upstream: str, reply: Any) -> bool:
        """Whether an error may stand in the place of a provider's reply, since nothing, or no answer, came of it."""
        if upstream not in formats.names():
            return False  # an unknown format: its replies cannot be read
        return outcome.may_fail(self.corpus, formats.read(upstream, "response", reply))

    def may_refuse(self, route: AnyRoute, request: Any) -> bool:
        """Whether a client's request rests on what only its own provider knows, or asks for what only that can do."""
        if route.client == route.upstream or route.client not in formats.names():
            return False
        source = formats.read(route.client, "request", request)
        return bool(source.stored) or source.compacts is not None

    def round_trip(self, source: Any, output: Any, *, own: str, through: str, direction: str = "request") -> Judgement:
        """Compare a body of the format ``own`` with what is left of it after translation to another format and back.

        What ``through`` cannot say may be lost. Only MUST findings are reported: smaller differences add up over two
        translations, and each translation has reported its own.
        """
        judged = judge_round_trip(self.corpus, source, output, own=own, through=through, direction=direction)
        return self._with_causes(judged, own)

    def body(
        self, name: str, direction: str, body: Any, *, model: str | None = None, assembled: Assembled | None = None
    ) -> Judgement:
        """Check a body against the rules of its own format ``name``, no translation involved.

        ``direction`` may be ``"stream"``, for a stream as ``streaming.parse`` has it; ``assembled`` is the reply
        that it assembles to, if that is known already.
        """
        findings = check_body(self.corpus, name, direction, body, model=model, assembled=assembled)
        return self._with_causes(Judgement(tuple(findings)), name)

    def sent(self, name: str, direction: str, body: Any, *, model: str | None = None) -> Judgement:
        """Check what an upstream of the format ``name`` sent to a translator: the ``body`` of a reply or an error.

        ``direction`` is ``"response"``, ``"stream"`` or ``"error"``. Forms that a compatible vendor documents are
        notes; in the output of a translator, which the other methods judge, they are faults.
        """
        return self._with_causes(judge_sent(self.corpus, name, direction, body, model=model), name)

    def tool_calls(self, name: str, reply: Any, calls: Any) -> Judgement:
        """Judge the list of calls that a session took out of a reply of the format ``name``."""
        return self._with_causes(judge_calls(self.corpus, name, reply, calls), name)

    def tool_results(self, name: str, golden: Any, output: Any, *, model: str) -> Judgement:
        """Judge a request with entries that a session made of results, by the ``golden`` one with the same results.

        What else the client says behind the results is not demanded.
        """
        return self._with_causes(judge_results(self.corpus, name, golden, output, model=model), name)

    def mcp_tools(self, name: str, golden: Any, listed: Any, tools: Any, *, model: str) -> Judgement:
        """Judge the ``tools`` of a request that a session made of the result of ``tools/list``.

        ``golden`` is a request of the format ``name`` in which they are to stand.
        """
        return self._with_causes(judge_tools(self.corpus, name, golden, listed, tools, model=model), name)

    def mcp_names(self, name: str, listed: Any, request: Any) -> dict[str, str]:
        """The names under which a request declares the tools of a result of ``tools/list``, by their own."""
        return mcp_names(self.corpus, name, listed, request)

    def mcp_result(self, name: str, golden: Any, output: Any, results: Mapping[int, Any], *, model: str) -> Judgement:
        """Judge a request with entries that a session made of results of ``tools/call``, by their calls' ordinals.

        ``golden`` is the request with the same calls and any results. What it says behind them is not demanded.
        """
        return self._with_causes(judge_result(self.corpus, name, golden, output, results, model=model), name)

    def otel(self, name: str, request: Any, reply: Any, output: Any) -> Judgement:
        """Judge what an instrumentation tells OpenTelemetry of a request of the format ``name`` and its reply.

        ``output`` has ``input_messages``, ``output_messages``, ``system_instructions`` and ``tool_definitions``; a
        ``reply`` of None is not asked for.
        """
        return self._with_causes(
            Judgement(tuple(judge_exchange(self.corpus, ObservedExchange(name, request, reply), output))), name
        )

    def declared_names(self, golden: Any, output: Any, upstream: str) -> DeclaredNames:
        """The names under which a translator declared the tools of the ``golden`` request, by the golden's names."""
        return declared_names(self.corpus, golden, output, upstream)
