"""Golden files of other projects as pairs: a translator's source, and its output."""

from toolcall_conformance.recording.pairs.cases import FAMILY, PairCase, Pairs, load_pairs, play_pair
from toolcall_conformance.recording.pairs.description import PairsError
from toolcall_conformance.recording.pairs.hidden_values import judge_pair

__all__ = ["FAMILY", "PairCase", "Pairs", "PairsError", "judge_pair", "load_pairs", "play_pair"]
