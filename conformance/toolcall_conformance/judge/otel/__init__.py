"""Judges an instrumentation's record of one exchange for OpenTelemetry by the exchange itself."""

from toolcall_conformance.judge.otel.exchange import ObservedExchange, judge_exchange

__all__ = ["ObservedExchange", "judge_exchange"]
