"""The judge: what is wrong with a translation. Pure: it knows no translator, no pytest, and no case of the corpus."""

from __future__ import annotations

from toolcall_conformance.judge.caching import CachingJudge
from toolcall_conformance.judge.given import Ends, Requests
from toolcall_conformance.judge.judge import Judge
from toolcall_conformance.judge.policied import PoliciedJudge

__all__ = ["CachingJudge", "Ends", "Judge", "PoliciedJudge", "Requests"]
