"""What to run before a commit: each file of the product leads to tests that there are."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _check() -> Any:
    loader = importlib.machinery.SourceFileLoader("toolcall_ci_check", str(ROOT / ".ci" / "check"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


CHECK = _check()


def test_each_file_of_the_product_has_tests() -> None:
    paths = [path.relative_to(ROOT) for path in (ROOT / CHECK.PRODUCT).rglob("*.py") if len(path.parts) > 1]
    inner = [path for path in paths if path.name not in ("__init__.py", "__main__.py")]
    without = [
        str(path) for path in inner if not any((ROOT / "tests" / name).is_dir() for name in CHECK.tests_of(path))
    ]
    assert len(inner) > 400
    assert without == []


def test_each_package_with_tests_of_its_own_is_there() -> None:
    missing = [name for name in CHECK.TESTS if not (ROOT / CHECK.PRODUCT / name).exists()]
    assert missing == []


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("conformance/toolcall_conformance/judge/translation/tools/tools.py", ["translation"]),
        ("conformance/toolcall_conformance/judge/judge.py", ["judge"]),
        ("conformance/toolcall_conformance/suite.py", ["suite"]),
        ("corpus/formats/gemini/request.schema.json", ["corpus", "keys", "formats"]),
        ("reference_impl/toolcall_reference/gateway/bounds.py", ["gateway"]),
    ],
)
def test_the_nearest_package_decides(path: str, tests: list[str]) -> None:
    assert CHECK.tests_of(Path(path)) == tests
