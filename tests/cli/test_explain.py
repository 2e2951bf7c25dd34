"""``toolcall-conformance explain`` over the real corpus: it says all that there is of every word, in a few lines."""

from __future__ import annotations

import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, VARIANTS_BY_CHECK
from toolcall_conformance.cli import main
from toolcall_conformance.cli.explain.command import Explainer
from toolcall_conformance.cli.explain.fragments import contrast, side_by_side
from toolcall_conformance.cli.explain.model import Explanation, Part
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.known_failures import RuleNames, load

CORPUS = load_corpus()
EVIDENCE = {"schema", "sdk", "doc", "recorded", "issue", "lore"}
WORD = {"says", "why", "next"}
#: What an explanation of each kind has to say.
PARTS = {
    "rule": {"says", "breach", "level", "binds", "why", "fix", "breaks", "seen", "known", "files"},
    "case": {"says", "features", "rendered", "why", "guards", "breaks", "fix", "known", "files", "run"},
    "family": {"means", "cases", "why", "known", "run"},
    "equivalence": {"means", "accepts", "refuses", "known", "files"},
    "circumstance": {"holds", "lowers", "why", "next", "known"},
    "feature": {"means", "cases", "known", "run"},
    "element": {"means", "said", "known", "more"},
    "format": {"means", "doc", "rules", "cases", "known", "run"},
    "check": {*WORD, "needs", "run"},
    "variant": {*WORD, "known", "run"},
    "verdict": WORD,
    "level": WORD,
    "loss": WORD,
}
RESTS_ON_EVIDENCE = {"rule", "equivalence", "circumstance"}
#: Lines on a terminal of a hundred columns.
MAX_LINES = 45
MEAN_OF_RULES = 30


@pytest.fixture(scope="module")
def all_explanations() -> list[Explanation]:
    explainer = Explainer(CORPUS, "pytest --toolcall-translator SPEC")
    explanations = [
        explanation for name in explainer.names if name not in CORPUS.retired for explanation in explainer.explain(name)
    ]
    return list({(explanation.kind, explanation.name): explanation for explanation in explanations}.values())


def test_nothing_is_missing(all_explanations: list[Explanation]) -> None:
    lacking = {}
    for explanation in all_explanations:
        names = {part.name for part in explanation.parts if part.text or part.lines}
        lacks = PARTS[explanation.kind] - names
        if explanation.kind in RESTS_ON_EVIDENCE and not names & EVIDENCE:
            lacks |= {"evidence"}
        if explanation.kind == "rule" and "bodiless" not in CORPUS.rule(explanation.name).raw and "obeys" not in names:
            lacks |= {"obeys"}
        if lacks:
            lacking[explanation.name] = lacks
    assert lacking == {}


def test_all_kinds_of_words_are_explained(all_explanations: list[Explanation]) -> None:
    names: dict[str, set[str]] = {}
    for explanation in all_explanations:
        names.setdefault(explanation.kind, set()).add(explanation.name)
    assert names["rule"] == set(CORPUS.rules)
    assert names["case"] == set(CORPUS.cases)
    assert names["family"] == set(CORPUS.families)
    assert names["equivalence"] == set(CORPUS.equivalences)
    assert names["circumstance"] == set(CORPUS.circumstances)
    assert names["feature"] == set(CORPUS.manifest["features"])
    assert names["element"] == set(CORPUS.elements)
    assert names["format"] == set(CORPUS.formats)
    assert names["check"] == set(CHECKS)
    assert names["variant"] == {way for ways in VARIANTS_BY_CHECK.values() for way in ways if way}
    assert names["verdict"] >= set(Verdict)
    assert names["level"] == set(Level)
    assert names["loss"] >= {"native", "convention", "no", "cannot", "may"}


def test_what_breaks_a_rule_differs_from_what_obeys_it(all_explanations: list[Explanation]) -> None:
    for explanation in all_explanations:
        examples = {
            part.name: part.lines for part in explanation.parts if part.name in ("breaks", "obeys") and part.lines
        }
        assert len(examples) != 2 or examples["breaks"] != examples["obeys"], explanation.name


def test_it_is_read_at_a_glance(all_explanations: list[Explanation]) -> None:
    lines = {
        (explanation.kind, explanation.name): explanation.text(100).splitlines() for explanation in all_explanations
    }
    assert {name: len(text) for name, text in lines.items() if len(text) > MAX_LINES} == {}
    of_rules = [len(text) for (kind, _), text in lines.items() if kind == "rule"]
    assert sum(of_rules) / len(of_rules) < MEAN_OF_RULES
    copied = re.compile("https?://|^  (files|run) ")  # what a user copies stays in one line
    assert [line for text in lines.values() for line in text if len(line) > 100 and not copied.search(line)] == []


def test_the_entry_of_every_rule_can_be_copied(all_explanations: list[Explanation], tmp_path: Path) -> None:
    entries = [
        part
        for explanation in all_explanations
        if explanation.kind == "rule"
        for part in explanation.parts
        if part.name == "known"
    ]
    file = tmp_path / "known.toml"
    file.write_text("\n".join(line for part in entries for line in ("", *part.lines)), encoding="utf-8")
    assert [entry.rule for entry in load(file, RuleNames(CORPUS.rules, CORPUS.retired)).entries] == list(CORPUS.rules)


def explain(name: str, **options: bool) -> str:
    return "\n\n".join(explanation.text(100) for explanation in Explainer(CORPUS, "pytest", **options).explain(name))


def test_the_page_shows_what_it_prints(request: pytest.FixtureRequest) -> None:
    page = (request.config.rootpath / "docs" / "verdicts.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```\n(gemini/result-names-call  \(MUST.*?)```$", page, re.MULTILINE | re.DOTALL)
    assert example == explain("gemini/result-names-call") + "\n"


def test_a_pattern_is_as_narrow_as_its_rule() -> None:
    assert 'items = ["*-to-gemini*"]' in explain("gemini/role")
    assert 'items = ["*::gemini-to-*"]' in explain("gemini/stream-data")
    assert 'items = ["*::otel::*"]' in explain("otel/call-id")
    assert 'items = ["*"]' in explain("translation/arguments")


def test_real_incidents_are_those_of_the_doubles_that_die_by_it() -> None:
    assert "Results in another order are paired by their place" in explain("translation/results-linked")
    few, everything = explain("translation/finish-reason"), explain("translation/finish-reason", everything=True)
    assert "more, with --all" in few
    assert "more, with --all" not in everything
    assert everything.count("https://") > few.count("https://")


def test_the_files_of_a_rule_are_named() -> None:
    assert "corpus/formats/openai_chat/request.schema.json at /$defs/metadata\n" in explain(
        "openai_chat/metadata-strings"
    )
    assert "  files     corpus/translation/rules/call-lost.json\n" in explain("translation/call-lost")
    place = re.search(
        r"toolcall_conformance/(formats/openai_chat/.*\.py):(\d+)\n", explain("openai_chat/call-ids-unique")
    )
    assert place is not None
    lines = (Path(inspect.getfile(formats)).parents[1] / place[1]).read_text(encoding="utf-8").splitlines()
    assert "openai_chat/call-ids-unique" in lines[int(place[2]) - 1]


def test_each_rule_of_a_schema_has_a_place_there(all_explanations: list[Explanation]) -> None:
    lacking = {
        explanation.name
        for explanation in all_explanations
        if explanation.kind == "rule" and CORPUS.rule(explanation.name).raw["check"] == "schema"
        if not any(".schema.json" in part.text for part in explanation.parts if part.name == "files")
    }
    assert lacking == set()


def test_a_rule_that_no_body_shows_says_why() -> None:
    assert "  breaks    There was no output, so there is no body to show.\n" in explain("translation/timed-out")
    cut = explain("translation/stream-cut-end")
    assert "  breaks    The stream of the upstream must be cut as well" in cut
    assert "The end of the output:\n" in cut


def test_an_item_is_explained_part_by_part() -> None:
    name = "toolcall::parallel/seed::agent_loop::anthropic-to-gemini-swapped"
    item, case = Explainer(CORPUS, "pytest").explain(name)
    texts = {part.name: part.text for part in item.parts}
    assert (item.name, item.kind, case.name) == (name, "item", "parallel/seed")
    assert texts["case"].startswith("parallel/seed: ")
    assert texts["check"].startswith("agent_loop: The whole conversation is played")
    assert texts["route"] == "a client of anthropic before gemini, the upstream"
    assert texts["variant"].startswith("swapped: ")
    assert texts["run"] == f'pytest "{name}"'
    (known_entry,) = (part.value for part in item.parts if part.name == "known")
    assert tomllib.loads(known_entry)["known"][0]["items"] == [name.removeprefix("toolcall::")]
    assert "wide" not in known_entry


IDS = "ids/seed  (case)"


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("shell/seed::request", ["toolcall::shell/seed::request  (items)", "shell/seed  (case)"]),
        ("toolcall::shell::stream", ["toolcall::shell::stream  (items)", "shell  (family of 37 cases)"]),
        (
            "toolcall::shell/seed::adapter::gemini",
            ["toolcall::shell/seed::adapter::gemini  (item)", "shell/seed  (case)"],
        ),
        ("ids/seed::stream::gemini-to-gemini-cut", ["toolcall::ids/seed::stream::gemini-to-gemini-cut  (item)", IDS]),
        ("toolcall::shell/seed", ["shell/seed  (case)"]),
    ],
)
def test_parts_of_an_id_may_be_left_out(name: str, heads: list[str]) -> None:
    lines = [
        re.sub(r"\d+ cases", "37 cases", f"{explanation.name}  {explanation.head}")
        for explanation in Explainer(CORPUS, "x").explain(name)
    ]
    assert lines == heads


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("toolcall::shell/sead::request", "there is no case or family 'shell/sead'; did you mean shell/seed"),
        ("shell/seed::requets", "there is no check 'requets'; did you mean request"),
        ("ids/seed::agent_loop::anthropic-to-gemini-streamd", "did you mean anthropic-to-gemini-streamed or"),
        ("shell/seed::request::anthropic-to-gemini2", "there is no route 'anthropic-to-gemini2'; did you mean"),
        ("shell/seed::adapter::gemni", "there is no format 'gemni'; did you mean gemini or gemini-swapped?"),
        ("shell/seed::request::anthropic-to-gemini::more", "has too many parts"),
        ("shell/seed::agent_loop::anthropic-to-gemini-swapped", "has no swapped variant of agent_loop on this route"),
        ("gemini/result-name-call", "did you mean gemini/result-names-call"),
        ("bloked", "did you mean blocked"),
    ],
)
def test_a_near_miss_is_reported(name: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        Explainer(CORPUS, "pytest").explain(name)


def test_json_has_every_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--json", "gemini/result-names-call", "not", "applicable"]) == 4
    assert "did you mean" in capsys.readouterr().err
    assert main(["explain", "--json", "gemini/result-names-call", "openai_chat/stream-whole-characters"]) == 0
    rule, halves = json.loads(capsys.readouterr().out)
    assert (rule["name"], rule["kind"]) == ("gemini/result-names-call", "rule")
    assert rule["parts"]["fix"] == [CORPUS.rule("gemini/result-names-call").fix]
    assert rule["parts"]["breaks"][0]["pointer"] == "/contents/2/parts/0/functionResponse"
    assert rule["parts"]["breaks"][0]["value"]["name"] == "unknown"
    assert "\ud83c" in json.dumps(halves["parts"]["breaks"], ensure_ascii=False)


def test_several_words_are_one_or_several(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "not", "applicable"]) == 0
    assert capsys.readouterr().out.startswith("not applicable  (verdict)\n")
    assert main(["explain", "pass", "warn"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "(verdict)" in line] == [
        "pass  (verdict)",
        "warn  (verdict)",
    ]


@pytest.mark.parametrize("columns", [30, 60, 80, 400])
def test_it_fits_the_terminal(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["explain", "blocked", "anthropic/call-id", "arguments-as-json"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "http" not in line and "verdicts/" not in line]
    longest = max(map(len, lines))
    assert longest <= max(60, min(columns, 100))


def test_what_a_terminal_takes_for_a_command_is_escaped() -> None:
    hostile = Explanation("case", "case", "\x1b[2J", [Part("says", "red\x1b[31m\n\u202etext", ("a\x07\ud83cb",))])
    assert hostile.text(80) == "case  \\x1b[2J\n  says      red\\x1b[31m\\n\\u202etext\n            a\\x07\\ud83cb"


def columns(left: Any, right: Any, width: int = 60) -> tuple[str, list[str], list[str]]:
    difference, left_lines, other = side_by_side(contrast(left, right), width)
    return difference.pointer, list(left_lines), list(other)


def test_only_what_differs_is_shown() -> None:
    long = "x" * 200
    left = {"rest": [1, 2, {"a": long}], "at": {"here": {"name": "good", "text": long}}}
    right = {"rest": [1, 2, {"a": long}], "at": {"here": {"name": "bad", "text": long}}}
    pointer, good, bad = columns(left, right)
    assert pointer == "/at/here"
    assert '"name": "good"' in good[1]
    assert '"name": "bad"' in bad[1]
    assert long not in "".join([*good, *bad])


@pytest.mark.parametrize(
    ("left", "right", "pointer"),
    [
        ({"a": 1}, {}, ""),
        ([1, 2, 3], [1, 3], ""),
        ({"a": [1]}, {"a": {"b": 1}}, ""),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": 2}]}}, "/a/b/0"),
        ("one", "two", ""),
        (True, 1, ""),
    ],
)
def test_the_place_holds_all_differences(left: Any, right: Any, pointer: str) -> None:
    place, left_lines, other = columns(left, right)
    assert place == pointer
    assert left_lines != other


def test_a_rule_names_the_reports_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of its evidence, and those of the classes of faults that it names; each once, and only under `seen`."""
    assert main(["explain", "--json", "translation/tool-strict"]) == 0
    [rule] = json.loads(capsys.readouterr().out)
    urls = [report["url"] for report in rule["parts"]["seen"]]
    assert len(urls) == len(set(urls)) >= 7
    assert "https://github.com/BerriAI/litellm/issues/35695" in urls  # of its evidence
    assert "https://github.com/vercel/ai/issues/4662" in urls  # of a class
    assert "issue" not in rule["parts"]
    assert main(["explain", "anthropic/roles"]) == 0
    assert "the corpus names no report of it" in capsys.readouterr().out


def test_what_lowers_a_rule_is_reported_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "translation/call-lost"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "at most NOTE where this holds: The provider ended its reply because its own call was" in output
    assert "(explain failed-reply)" in output
