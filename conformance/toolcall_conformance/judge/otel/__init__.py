"""What an instrumentation tells OpenTelemetry of one exchange, held against the exchange itself."""

from toolcall_conformance.judge.otel.exchange import ObservedExchange, judge_exchange

__all__ = ["ObservedExchange", "judge_exchange"]
