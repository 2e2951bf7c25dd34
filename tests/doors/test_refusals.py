"""What the doors do not accept in silence: names that are near to others, words that nobody knows, copies."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from doors import case, common, rule, tolerance
from doubles import kills
from doubles.catalogue import doubles
from every import every
from toolcall_conformance.library import default_root, load_corpus, read_json

CASES = load_corpus().cases
DOORS = {"rule": rule, "case": case, "tolerance": tolerance}


@pytest.mark.parametrize(
    ("door", "words", "message"),
    [
        ("rule", ["openai_chat/stop-limits"], "did you mean openai_chat/stop-limit? To write a new one of this name"),
        ("rule", ["openai_chta/stop-limit"], "an id is FORMAT/SLUG; did you mean openai_chat?"),
        ("rule", ["openai_chat/Stop_Limit"], "'openai_chat/Stop_Limit' is no id: lower-case"),
        ("rule", ["openai_chat/"], "'openai_chat/' is no id"),
        ("rule", ["openai_chat/../stop"], "'openai_chat/../stop' is no id"),
        ("rule", ["openai_chat/stop-limit", "--direction", "response"], "is there: --direction, --like and --new are"),
        ("rule", ["openai_chat/stop-limit", "--like", "gemini/call-shape"], "is there: --direction, --like and --new"),
        ("rule", ["anthropic/stream-arguments"], "anthropic/stream-arguments-json took its place"),
        ("case", ["shell/realistc"], "did you mean shell/realistic? To write a new one of this name, add --new"),
        ("case", ["shell/Realistic"], "'shell/Realistic' is no id"),
        ("case", ["shell/made-up", "--like", "shell/realistc"], "there is no file corpus/scenarios/shell/realistc"),
        ("case", ["shell/made-up", "--like", "shell/realistc"], "; did you mean shell/realistic?"),
        ("case", ["shell/realistic", "--like", "shell/seed"], "is there: --like and --new are for a case that is not"),
        ("tolerance", ["number-speling"], "did you mean number-spelling? To write a new one of this name, add --new"),
        ("tolerance", ["Bad_Name/x"], "'Bad_Name/x' is no id"),
        ("tolerance", ["number-spelling", "--like", "x/same/y"], "--like is the pair that a new one is made of"),
        ("tolerance", ["number-spelling", "--pair", "same/a/b"], "--pair same/a/b: it is same/SLUG"),
    ],
)
def test_nothing_is_written(
    door: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "write", lambda path, _: pytest.fail(f"it wrote {path}"))
    monkeypatch.setattr(common, "tested", lambda *_: pytest.fail("it ran tests"))
    with pytest.raises(SystemExit) as ended:
        DOORS[door].main(words)
    assert ended.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.usefixtures("empty_corpus")
def test_a_new_rule_may_have_a_name_near_to_another(capsys: pytest.CaptureFixture[str]) -> None:
    assert rule.main(["openai_chat/stop-limits", "--new"]) == 1
    assert "wrote   " in capsys.readouterr().out


@pytest.mark.usefixtures("empty_corpus")
def test_a_skeleton_guesses_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    """What it takes from another rule, it names; for the rest it lists the words that there are."""
    skeleton = rule.skeleton("openai_chat/made-up", "request", None)
    assert skeleton["element"].startswith("TODO: tool, choice, setting")
    assert skeleton["evidence"][0]["kind"] == "TODO: schema, sdk, doc, recorded, issue or lore"
    assert tolerance.skeleton("made-up")["evidence"][0]["kind"] == skeleton["evidence"][0]["kind"]
    output = capsys.readouterr().out
    assert "copied  both bodies from openai_chat/" in output
    assert "guessed level SHOULD: the evidence decides it" in output


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"face": "client"}, "at /face: 'client' is not one of ['provider', 'both']"),
        ({"element": "cal"}, "at /element: 'cal' is not one of"),
        (
            {"evidence": [{"kind": "doc", "url": "https://github.com/a/b/issues/1", "note": "so"}]},
            "at /evidence/0: a thread is no page of the provider: it is `recorded` if it quotes",
        ),
    ],
)
def test_what_a_rule_may_not_say(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    path.write_text(json.dumps({**load_corpus().rules["openai_chat/stop-limit"].raw, **changes}), encoding="utf-8")
    (mistake,) = common.mistakes(path, "rule")
    assert message in mistake


@every("name", CASES, id=str)
def test_a_scenario_lacks_nothing_that_is_looked_at_before_rendering(name: str) -> None:
    scenario = dict(CASES[name].scenario)
    assert [*case.unknown_shapes(scenario["guards"]), *case.unpaired(scenario)] == []


def test_a_shape_is_known_and_shown() -> None:
    (message,) = case.unknown_shapes([{"shape": "schema-keyword:titel"}])
    assert "tests/shapes/ has no shape 'schema-keyword:titel'; did you mean schema-keyword:title" in message
    (message,) = case.unshown_shapes("shell/seed", [{"shape": "schema-keyword:title"}])
    assert "no body has the shape 'schema-keyword:title'" in message
    assert case.unshown_shapes("mcp_results/references", [{"shape": "schema-keyword:title"}]) == []


def test_a_copy_is_no_case() -> None:
    scenario = {**CASES["shell/seed"].scenario, "id": "shell/made-up", "title": "Another", "ids": {}}
    assert [*case.unchanged(scenario)] == [
        "the scenario is that of shell/seed, with other ids: change what the case is for"
    ]
    assert [*case.unchanged({**scenario, "settings": {"top_k": 3}})] == []


def test_what_does_not_pair_is_reported_before_rendering() -> None:
    scenario = json.loads(json.dumps(dict(CASES["shell/seed"].scenario)))
    scenario["tools"] = ["run_shel_command"]
    scenario["ids"]["gemini"]["c2"] = "x"
    scenario["conversation"][2]["content"][0]["result"]["call"] = "c9"
    assert [*case.unpaired(scenario)] == [
        "the conversation: a result answers the call 'c9', and there is none",
        "/ids/gemini: there is no call 'c2'",
        "/tools: there is no file corpus/tools/run_shel_command.json; did you mean run_shell_command?",
    ]


def test_a_class_that_a_case_names_no_more_loses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bug-classes.json"
    path.write_bytes((default_root() / "bug-classes.json").read_bytes())
    monkeypatch.setattr(case, "CLASSES", path)
    assert "shell/realistic" in str(read_json(path))
    assert [*case.add_guards("shell/realistic", [])] == []
    assert "shell/realistic" not in str(read_json(path))


def test_what_dies_in_a_case_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert kills.main(["--case", "shell/seed", "--only", "calls/reply-call-dropped/"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(load_corpus().formats)
    assert all(line.split()[1] == "translation/call-lost" for line in lines)


@pytest.mark.parametrize("words", [["--only", "no-such-name"], ["--case", "shell/no-such-name"]])
def test_nothing_can_die_where_nothing_is(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        kills.main(words)
    assert "no-such-name: " in capsys.readouterr().err


def test_a_pair_with_the_bodies_of_another_is_none(empty_corpus: Path) -> None:
    folder = empty_corpus / "number-spelling" / "same"
    (first, *_) = sorted((default_root() / "equivalences" / "number-spelling" / "same").glob("*.json"))
    common.write(folder / "a.json", read_json(first))
    common.write(folder / "b.json", {**read_json(first), "title": "Another difference"})
    (message,) = tolerance.pair_mistakes(folder / "b.json")
    assert re.search(r"b.json has the bodies of .*a.json: let those of the new one show", message)
    assert "has the bodies of" not in "".join(tolerance.pair_mistakes(folder / "a.json"))


def test_each_mutant_and_variant_has_the_file_that_is_listed() -> None:
    assert {double.name for double in doubles() if not rule._module_of(double).is_file()} == set()


def test_what_is_played_is_listed_with_its_file() -> None:
    about = [double for double in doubles() if double.name.startswith("border-limits/four-stop-sequences/")]
    (line,) = rule.listed(about)
    assert line == "harmless tests/doubles/borders/limits.py: border-limits/four-stop-sequences (openai_chat)"


def test_new_counts_are_named_for_the_changelog(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(common, "ROOT", tmp_path)
    text = f"## 1 (unreleased)\n\n- {len(CASES):,} tool-call conversations, 1,234 rules\n"
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    assert [*common.counts()] == [f"CHANGELOG.md says 1,234 rules; there are {len(load_corpus().rules):,}"]
    (tmp_path / "CHANGELOG.md").write_text(text.replace(" (unreleased)", ""), encoding="utf-8")
    assert [*common.counts()] == []
