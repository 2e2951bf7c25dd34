"""Golden files of other projects as pairs: what their translator was given, and what it made of it."""

from toolcall_conformance.recording.pairs.cases import FAMILY, PairCase, Pairs, load_pairs, play_pair
from toolcall_conformance.recording.pairs.errors import PairsError
from toolcall_conformance.recording.pairs.judging import judged

__all__ = ["FAMILY", "PairCase", "Pairs", "PairsError", "judged", "load_pairs", "play_pair"]
