"""What a run says to the author of a translator that was written in a hurry: each of its bugs, in few causes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# So many causes for 18 bugs: what a person reads. Some bugs show in two bodies that no repair is known to join.
MOST_CAUSES = 64


def test_each_bug_is_a_cause_and_the_causes_are_few(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no"]
    command += [
        "--toolcall-translator=hurried.translator:Translator",
        f"--toolcall-report={report}",
        "toolcall::@quick",
    ]
    ran = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    causes = [root for root in json.loads(report.read_text(encoding="utf-8"))["roots"] if root["level"] != "NOTE"]
    shown = {rule for root in causes for rule in (root["rule"], *root["other_rules"])}
    bugs = json.loads((HERE / "bugs.json").read_text(encoding="utf-8"))["bugs"]
    assert [bug["bug"] for bug in bugs if bug["rule"] not in shown] == []
    assert len(causes) <= MOST_CAUSES
    # Nobody's first cause is one that only hides others.
    assert causes[0]["rule"] == "translation/finish-reason"
    assert f"mend first: {causes[0]['rule']}" in ran.stdout
