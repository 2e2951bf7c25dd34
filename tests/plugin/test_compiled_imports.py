"""Our modules are imported with the bytecode of the installation: pytest rewrites those alone that assert for users."""

from __future__ import annotations

import pytest

# What pytest does by itself for a plugin that is installed from a wheel: it marks the packages of the distribution.
MARKS_OURS = """
import sys
import pytest

pytest.register_assert_rewrite("toolcall_conformance", "toolcall_reference")


def pytest_sessionfinish():
    for name, module in sorted(sys.modules.items()):
        if name.startswith("toolcall_"):
            print("IMPORTED", name, type(module.__spec__.loader).__name__)
"""

SUITE = """
from toolcall_conformance import ConformanceSuite


class TestMine(ConformanceSuite):
    translator = "toolcall_reference:ReferenceTranslator"
    cases = ("shell/seed",)
    routes = ("anthropic-to-gemini",)
    checks = ("request",)
    test_output = None
"""

ITEM = "toolcall::shell/seed::request::anthropic-to-gemini"
BEFORE_OURS = {"toolcall_conformance", "toolcall_conformance.plugin"}  # pytest imports the plugin itself


@pytest.fixture
def marked_project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(MARKS_OURS)
    return pytester


def loader_classes(result: pytest.RunResult) -> dict[str, str]:
    """The class of the loader of each of our modules that a run imported."""
    result.assert_outcomes(passed=1, warnings=None)
    return dict(line.split()[1:] for line in result.outlines if line.startswith("IMPORTED"))


def rewritten(loaders: dict[str, str]) -> set[str]:
    assert len(loaders) > 100
    return {name for name, loader in loaders.items() if loader != "SourceFileLoader"} - BEFORE_OURS


def test_a_run_of_the_suite_rewrites_none_of_our_modules(marked_project: pytest.Pytester) -> None:
    result = marked_project.runpytest_subprocess(
        "-s", "--toolcall-translator", "toolcall_reference:ReferenceTranslator", ITEM
    )
    loaders = loader_classes(result)
    assert "toolcall_reference" in loaders
    assert rewritten(loaders) == set()


def test_the_users_own_tests_rewrite_only_the_assertion_that_shows_them_a_difference(
    marked_project: pytest.Pytester,
) -> None:
    marked_project.makepyfile(SUITE)
    loaders = loader_classes(marked_project.runpytest_subprocess("-s"))
    assert rewritten(loaders) == {"toolcall_conformance.suite"}


AFTERWARDS = """
import sys
import pytest

before = list(sys.meta_path)
assert pytest.main(["-q", "test_nothing.py"]) == 0
assert sys.meta_path == before, sys.meta_path
"""


def test_after_a_session_the_finders_are_those_of_before(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_nothing="def test_nothing(): pass")
    assert pytester.runpython(pytester.makepyfile(afterwards=AFTERWARDS)).ret == 0
