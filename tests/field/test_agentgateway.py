"""The golden files of agentgateway, judged in pairs: each MUST was read against the body and a public fact.

The files belong to https://github.com/agentgateway/agentgateway and are looked for next to the checkout.
``agentgateway.json`` says which pairs break which rules (``true``), and what each rule rests on (``why``).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.pairs import FAMILY, judge_pair, load_pairs

GOLDENS = Path(__file__).parents[3] / "shared" / "field" / "goldens" / "agentgateway"
KNOWN: dict[str, Any] = json.loads(Path(__file__).with_name("agentgateway.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(not GOLDENS.is_dir(), reason="the golden files are not beside this checkout")


def test_every_must_is_a_true_one(corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(GOLDENS, tmp_path / "tests")
    shutil.copy(Path(__file__).with_name("agentgateway.toml"), tmp_path / "tests" / "pairs.toml")
    pairs = load_pairs(corpus, tmp_path / "tests" / "pairs.toml")
    judge, rules_by_name = Judge(corpus), {}
    for name, case in pairs.cases.items():
        judgement = judge_pair(judge, case.direction, case.source, case.output, case.ends, case.hidden)
        if rules := sorted({finding.rule for finding in judgement.findings if finding.is_must}):
            rules_by_name[name.removeprefix(f"{FAMILY}/")] = rules
    assert rules_by_name == KNOWN["true"]
    assert {rule for rules in rules_by_name.values() for rule in rules} == KNOWN["why"].keys()
    assert len(pairs.cases) == 74
    assert all(reason.endswith("is not judged") or "[formats] does not define" in reason for reason in pairs.left_out)
