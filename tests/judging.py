"""The judge as most tests ask it: with the corpus that ships, and the direction as a word."""

from __future__ import annotations

from toolcall_conformance.judge import judge
from toolcall_conformance.judge_stream import judge_stream
from toolcall_conformance.loop import declared_names, judge_history

__all__ = ["declared_names", "judge", "judge_history", "judge_stream"]
