"""The corpus alone decides how much a finding weighs: no code names a level, and circumstances do what they say."""

from __future__ import annotations

import ast
from pathlib import Path

import toolcall_conformance
from every import every
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.judge.levels import apply_circumstances, make_finding
from toolcall_conformance.library import load_corpus

PACKAGE = Path(toolcall_conformance.__file__).parent
CORPUS = load_corpus()

#: The modules that may name a level, each with what it does with them.
MAY_NAME_A_LEVEL = {
    "basics/findings.py": "says what a level is, and what findings of each make of an item",
    "judge/levels.py": "lowers a finding to the level of a circumstance, and so knows their order",
    "reports/text/failure.py": "sorts what it prints by level",
    "reports/text/blocks.py": "leaves notes out of the summary, and gives lines the colour of a level",
    "reports/changes/faults.py": "leaves notes out of the comparison",
    "reports/html/page.py": "lists notes apart",
    "reports/sarif/document.py": "the level that code hosts show for each of ours",
    "reports/text/github.py": "the kind of annotation that a level has there",
    "reports/text/terminal.py": "leaves notes out of the summary, and gives lines the colour of a level",
    "engine/output/printing.py": "colours of the terminal",
    "engine/output/terminal_summary.py": "colours of the terminal",
    "engine/output/failure_texts.py": "colours of the terminal",
    "cli/console.py": "colours of the terminal",
}
GIVES_LEVELS = "judge/levels.py"


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def names_a_level(path: Path) -> list[int]:
    """The lines in which a module says ``Level.MUST``, ``"MUST"`` or the like."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [
        node.lineno
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in Level.__members__)
        or (isinstance(node, ast.Constant) and node.value in Level.__members__)
    ]


def gives_a_level(path: Path) -> list[int]:
    """The lines in which a module builds a Finding, or replaces the level of one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if (isinstance(call.func, ast.Name) and call.func.id == "Finding")
        or (
            isinstance(call.func, ast.Name)
            and call.func.id == "replace"
            and any(keyword.arg == "level" for keyword in call.keywords)
        )
    ]


each_module = every("path", modules(), id=lambda path: str(path.relative_to(PACKAGE)))


@each_module
def test_no_code_names_a_level(path: Path) -> None:
    if str(path.relative_to(PACKAGE)) in MAY_NAME_A_LEVEL:
        assert names_a_level(path), "it names none any more: take it off the list"
    else:
        assert names_a_level(path) == []


@each_module
def test_one_module_gives_findings_their_level(path: Path) -> None:
    assert bool(gives_a_level(path)) == (str(path.relative_to(PACKAGE)) == GIVES_LEVELS)


def test_circumstances_bear_on_rules_that_there_are() -> None:
    assert CORPUS.circumstances
    for name, circumstance in CORPUS.circumstances.items():
        assert circumstance.name == name
        for rule in circumstance.rules or ():
            assert rule in CORPUS.rules, f"{name} names {rule}"


def test_every_circumstance_is_applied_by_the_code() -> None:
    circumstances = {
        node.value
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert CORPUS.circumstances.keys() <= circumstances


@every("name", CORPUS.circumstances, id=str)
def test_a_circumstance_lowers_what_it_bears_on_and_nothing_else(name: str) -> None:
    circumstance = CORPUS.circumstances[name]
    order = [Level.NOTE, Level.SHOULD, Level.MUST]
    for rule in CORPUS.rules:
        if not rule.startswith("translation/"):
            continue
        before = make_finding(CORPUS, rule)
        after = apply_circumstances(CORPUS, before, [name])
        bears = circumstance.rules is None or rule in circumstance.rules
        bears = bears and (circumstance.elements is None or before.element in circumstance.elements)
        assert after.level == (min(before.level, circumstance.at_most, key=order.index) if bears else before.level)
        assert make_finding(CORPUS, rule, under=[name]) == after


def test_the_lowest_of_several_circumstances_counts() -> None:
    grave = make_finding(CORPUS, "translation/call-lost")
    assert grave.level is Level.MUST
    assert apply_circumstances(CORPUS, grave, []) is grave
    assert apply_circumstances(CORPUS, grave, ["fresh-session", "source-breaks-it"]).level is Level.NOTE
    assert apply_circumstances(CORPUS, grave, ["source-breaks-it", "fresh-session"]).level is Level.NOTE
