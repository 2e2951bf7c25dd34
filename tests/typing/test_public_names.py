"""The public names: listed, there, typed, and loaded only when they are used."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import toolcall_conformance

API = Path(__file__).with_name("api.py")
README = API.parents[2] / "README.md"


def public_api() -> ModuleType:
    """The module ``api``, run."""
    spec = importlib.util.spec_from_file_location("public_api", API)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_is_there() -> None:
    assert toolcall_conformance.__all__ == sorted(toolcall_conformance.__all__)
    for name in toolcall_conformance.__all__:
        assert getattr(toolcall_conformance, name) is not None
    assert set(toolcall_conformance.__all__) <= set(dir(toolcall_conformance))


def test_every_public_name_is_used_as_its_types_say() -> None:
    text = API.read_text(encoding="utf-8")
    assert [name for name in toolcall_conformance.__all__ if f"tc.{name}" not in text] == []
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", str(API)], capture_output=True, text=True, cwd=API.parents[2], check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_readme_lists_every_public_name() -> None:
    section = README.read_text(encoding="utf-8").partition("## Use it from Python")[2].partition("\n## ")[0]
    assert [name for name in toolcall_conformance.__all__ if f"`{name}`" not in section] == []


def test_every_kind_of_judgement_comes_of_one_judge() -> None:
    api = public_api()
    request, reply = api.CASE.exchanges("anthropic")[0], api.CASE.exchanges("gemini")[0]
    judgements = list(api.all_judgements(request.request, reply.request, reply.response, request.response))
    assert {type(judgement) for judgement in judgements} == {toolcall_conformance.Judgement}
    rules = {finding.rule for judgement in judgements for finding in judgement.findings}
    assert any(rule.startswith("anthropic/stream-") for rule in rules)
    assert api.calls(request.request) == []


def test_an_import_loads_nothing() -> None:
    code = (
        "import sys, toolcall_conformance; "
        "print(sorted(name for name in sys.modules if name.startswith('toolcall_conformance.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"
