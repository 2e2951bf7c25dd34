"""What an instrumentation tells OpenTelemetry of one exchange, held against the exchange itself."""

from toolcall_conformance.otel.exchange import ObservedExchange, judge_exchange

__all__ = ["ObservedExchange", "judge_exchange"]
