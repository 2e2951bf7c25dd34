"""Loads drivers from specs, and reports what is wrong with a spec."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolcall_conformance.drivers import SpecError, load_driver, loading

GOOD = "class T:\n    name = 'mine'\n    version = '2.0'\n    def open(self, route): return self\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder to write modules in; what is imported from it is forgotten afterwards."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def test_name_and_version_are_the_translators_own(write: Path) -> None:
    (write / "spec_named.py").write_text(GOOD, encoding="utf-8")
    driver = load_driver("spec_named:T", directory=write)
    assert (driver.name, driver.version, driver.spec) == ("mine", "2.0", "spec_named:T")


def test_without_them_the_spec_is_the_name(write: Path) -> None:
    (write / "spec_plain.py").write_text("class T:\n    def open(self, route): return self\n", encoding="utf-8")
    driver = load_driver("spec_plain:T", directory=write)
    assert (driver.name, driver.version) == ("spec_plain:T", None)


def test_the_directory_is_put_on_the_path(write: Path) -> None:
    (write / "spec_path.py").write_text(GOOD, encoding="utf-8")
    load_driver("spec_path:T", directory=write)
    assert sys.path[0] == str(write)


def test_a_module_inside_a_package(write: Path) -> None:
    (write / "spec_package").mkdir()
    (write / "spec_package" / "__init__.py").touch()
    (write / "spec_package" / "inner.py").write_text(GOOD, encoding="utf-8")
    assert load_driver("spec_package.inner:T", directory=write).name == "mine"
    with pytest.raises(
        SpecError, match=r"no module 'spec_package.iner' in the package spec_package; did you mean 'inner'\?"
    ):
        load_driver("spec_package.iner:T", directory=write)
    with pytest.raises(SpecError, match=r"spec_package\.inner is a module and no package, so there is no"):
        load_driver("spec_package.inner.T:T", directory=write)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("", ""),
        ("module", ""),
        ("module:", ""),
        (":T", ""),
        ("a b:T", ""),
        ("pkg/module.py:T", r" \(pkg.module:T perhaps\)"),
        ("./module.py", r" \(module:Translator perhaps\)"),
        ("module.py:T", r" \(module:T perhaps\)"),
    ],
)
def test_what_names_no_object(tmp_path: Path, spec: str, hint: str) -> None:
    with pytest.raises(SpecError, match=rf"names no Python object; write package\.module:attribute{hint}$"):
        load_driver(spec, directory=tmp_path)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import sys\nT = sys", "is a module without a method `open`"),
        (
            "class T:\n    def __init__(self): raise KeyError('no key')",
            r"raised KeyError: 'no key' at .*spec_bad.*\.py:2",
        ),
        ("def T(): return 3", "what it returned, an object of type int, has no method `open`"),
        ("async def T(): return 3", "is an async factory; name a plain function"),
        ("class T: pass", "the class has no method `open`"),
        ("import sys\ndef T(): sys.exit(2)", "raised SystemExit: 2"),
    ],
)
def test_what_is_no_translator(write: Path, source: str, message: str, request: pytest.FixtureRequest) -> None:
    name = f"spec_bad_{abs(hash(request.node.name))}"
    (write / f"{name}.py").write_text(source, encoding="utf-8")
    with pytest.raises(SpecError, match=message):
        load_driver(f"{name}:T", directory=write)


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.sleep(60)",
        "import time\nclass T:\n    def __init__(self): time.sleep(60)",
        "import time\nclass T:\n    name = property(lambda self: time.sleep(60))\n    def open(self, route): pass",
    ],
)
def test_what_is_never_imported_or_made_is_given_up(write: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setattr(loading, "LOAD_SECONDS", 0.2)
    (write / "spec_slow.py").write_text(source, encoding="utf-8")
    with pytest.raises(SpecError, match=r"took more than 0\.2 s; leave what takes long to `open`"):
        load_driver("spec_slow:T", directory=write, timeout=0.1)


def test_a_wrong_attribute_names_the_classes_of_the_module(write: Path) -> None:
    text = "import collections\nclass Mine:\n    def open(self, route): pass\nclass Session: pass\n"
    (write / "spec_classes.py").write_text(text, encoding="utf-8")
    (write / "spec_sessions.py").write_text("class A: pass\nclass B: pass\n", encoding="utf-8")
    (write / "spec_empty.py").write_text("x = 1\n", encoding="utf-8")
    for spec, advice in (
        ("spec_classes:Wrong", "; did you mean its class 'Mine'?"),
        ("spec_classes:mine", "; did you mean 'Mine'?"),
        ("spec_sessions:Wrong", "; did you mean its class 'A' or 'B'?"),
        ("spec_empty:Wrong", "has no attribute 'Wrong'"),
        ("spec_classes:Mine.Wrong", "has no attribute 'Wrong'"),
    ):
        with pytest.raises(SpecError, match=f"{re.escape(advice)}$"):
            load_driver(spec, directory=write)


def test_an_adapter_of_ours_has_the_time_that_its_library_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def loaded(limit: float, spec: str, _work: object) -> None:
        limits.append(limit)
        raise SpecError(spec)

    monkeypatch.setattr(loading, "_call_limited", loaded)
    for spec in ("toolcall_conformance.adapters.litellm_sdk:Translator", "mine:T"):
        with pytest.raises(SpecError):
            load_driver(spec, directory=Path())
    assert limits == [180.0, 30.0]
