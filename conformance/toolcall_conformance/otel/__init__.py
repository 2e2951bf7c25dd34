"""What an instrumentation tells OpenTelemetry of one exchange, held against the exchange itself."""

from toolcall_conformance.otel.exchange import Exchange, judge_exchange

__all__ = ["Exchange", "judge_exchange"]
