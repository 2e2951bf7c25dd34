"""The judge: finds what is wrong with a translation. Pure: it knows no translator, no pytest, no case of the corpus."""

from __future__ import annotations

from toolcall_conformance.judge.context import Ends, Requests
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.judge.judge_variants import CachingJudge, PoliciedJudge

__all__ = ["CachingJudge", "Ends", "Judge", "PoliciedJudge", "Requests"]
