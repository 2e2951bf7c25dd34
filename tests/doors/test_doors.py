"""The doors write skeletons that lack nothing but words, and say in a sentence what is wrong with what is there."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from doors import case, common, rule, tolerance
from doubles.border import GONE, BorderDouble, edit_member
from doubles.catalogue import doubles
from doubles.draft import copied
from every import every
from reference import paths
from toolcall_conformance.library import default_root, load_corpus, read_json
from toolcall_conformance.library.rules import Rules
from toolcall_reference import render

RULES = [rule_entry.raw for rule_entry in load_corpus().rules.values() if "obeys" in rule_entry.raw]
FORMATS = load_corpus().formats


def write(path: Path, content: Any) -> Path:
    common.write(path, content)
    return path


def test_a_new_rule_gets_a_skeleton(empty_corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rule.main(["openai_chat/made-up", "--direction", "response"]) == 1
    output = capsys.readouterr().out
    assert "made-up.json at /sentence: replace the TODO" in output
    assert "then    .venv/bin/python tests doors.rule openai_chat/made-up" in output
    skeleton = read_json(empty_corpus / "formats" / "openai_chat" / "rules" / "made-up.json")
    assert "choices" in skeleton["obeys"]
    assert skeleton["obeys"] == skeleton["breaks"]


@pytest.mark.parametrize("scope", [*FORMATS, "translation"])
@pytest.mark.parametrize("direction", ["request", "response"])
def test_a_skeleton_lacks_nothing_but_words(scope: str, direction: str, empty_corpus: Path) -> None:
    skeleton = rule.skeleton(f"{scope}/made-up", direction, None)
    path = write(empty_corpus / "made-up.json", skeleton)
    assert Rules({scope: empty_corpus})[skeleton["id"]].element.startswith("TODO: "), "the corpus can be read with it"
    assert all("replace the TODO" in mistake for mistake in common.mistakes(path, "rule"))
    filled = {key: value.replace("TODO", "so") if isinstance(value, str) else value for key, value in skeleton.items()}
    filled |= {"element": "call"}
    filled["evidence"] = [{"kind": "doc", "url": "https://example.org", "note": "so"}]
    assert common.mistakes(write(path, filled), "rule") == []
    (message,) = rule.examples(filled)
    assert "at /breaks: it is the same body as /obeys" in message


def test_a_must_needs_hard_evidence(empty_corpus: Path) -> None:
    raw = load_corpus().rules["openai_chat/stop-limit"].raw
    soft = [{"kind": "issue", "url": "https://example.org/1", "note": "somebody says so"}]
    (message,) = common.mistakes(write(empty_corpus / "rule.json", {**raw, "evidence": soft}), "rule")
    assert "at /evidence: a MUST needs hard evidence (kind schema, sdk, doc or recorded)" in message
    assert (
        common.mistakes(write(empty_corpus / "rule.json", {**raw, "evidence": soft, "level": "SHOULD"}), "rule") == []
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["openai/stop"], "there is no folder corpus/formats/openai/rules; an id is FORMAT/SLUG"),
        (["gemini/made-up", "--like", "gemini/nonsense"], "there is no rule gemini/nonsense with bodies"),
    ],
)
def test_a_rule_that_cannot_be_made(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as error:
        rule.main(words)
    assert error.value.code == 2
    assert message in capsys.readouterr().err


def test_no_json(empty_corpus: Path) -> None:
    path = empty_corpus / "rule.json"
    path.write_text('{"id": ', encoding="utf-8")
    (message,) = common.mistakes(path, "rule")
    assert "rule.json is no JSON: " in message


def test_a_rule_that_nothing_checks() -> None:
    raw = {**load_corpus().rules["openai_chat/stop-limit"].raw, "id": "openai_chat/made-up"}
    (how,) = rule.examples(raw)
    assert '"x-rule": "openai_chat/made-up"' in how
    assert '"*": "openai_chat/other"' in how
    assert "at /breaks: the judge finds openai_chat/stop-limit; no check names this rule." in how


def test_a_body_that_is_legal_now() -> None:
    raw = load_corpus().rules["openai_chat/stop-limit"].raw
    body = {**raw["breaks"], "stop": ["a", "b"]}
    (message,) = rule.examples({**raw, "breaks": body})
    assert message.endswith("the judge finds nothing, not this rule; if you loosened it, let the body break more")


def test_a_variant_that_the_judge_refuses() -> None:
    """The message comes before any verdict is written."""
    (right,) = (
        double for double in doubles(BorderDouble) if double.name == "border-limits/four-stop-sequences/openai_chat"
    )
    wrong = replace(right, edits=(*right.edits, {"/stop/-": "e"}))
    assert [*rule.misjudged_doubles([right])] == []
    (message,) = rule.misjudged_doubles([wrong])
    assert message.startswith(
        f"harmless {right.name}: the judge finds at request alone: MUST ['openai_chat/stop-limit']"
    )
    assert message.endswith("; mend the check, or the double")


@every("raw", RULES, id=lambda raw: raw["id"])
def test_the_edits_of_a_pair_lead_from_one_body_to_the_other(raw: dict[str, Any]) -> None:
    body = copied(raw["obeys"])
    for pointer, text in rule._edits(raw["obeys"], raw["breaks"], ""):
        body = edit_member(body, pointer, eval(text, {"GONE": GONE}))
    assert body == raw["breaks"]


def test_rules_with_a_pair_lack_nothing() -> None:
    for name in ("openai_chat/stop-limit", "translation/call-lost"):
        raw = load_corpus().rules[name].raw
        assert [*rule.examples(raw), *rule.pair(raw)] == []
        assert common.places(name)


@pytest.mark.parametrize("like", ["shell/realistic", "ids/short-and-case", "grep/same-tool-twice"])
def test_a_new_case_has_ids_of_the_same_form(like: str) -> None:
    scenario = load_corpus().cases[like].scenario
    skeleton = case.skeleton("shell/made-up", dict(scenario))
    assert "files" not in skeleton
    for name, table in scenario["ids"].items():
        for key, id in table.items():
            new = skeleton["ids"][name][key]
            assert (new is None) == (id is None)
            if id is not None:
                assert _form(new) == _form(id)
                assert len(id) < 2 or new != id


def _form(id: str) -> str:
    return re.sub(r"[0-9]", "9", re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", id)))


def test_a_new_case_is_listed_with_what_detours_lose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others keep their lines, and their order."""
    counts_by_case = paths.recorded_losses()
    without = {name: counts for name, counts in counts_by_case.items() if name != "shell/realistic"}
    monkeypatch.setattr(paths, "KEPT", write(tmp_path / "paths.json", without))
    case.add_losses("shell/realistic")
    assert [*paths.recorded_losses().items()] == [*counts_by_case.items()]


def test_a_case_in_an_unknown_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert case.main(["barley/made-up"]) == 1
    assert "todo    corpus/families.json has no family 'barley': say there what it is" in capsys.readouterr().out
    assert case.main(["shel/made-up"]) == 1
    assert "has no family 'shel'; did you mean shell?" in capsys.readouterr().out


def test_a_case_like_none(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        case.main(["shell/made-up", "--like", "shell/nonsense"])
    assert "there is no file corpus/scenarios/shell/nonsense/scenario.json" in capsys.readouterr().err


def test_a_class_that_nobody_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message comes before anything is rendered or written."""
    scenario = read_json(default_root() / "scenarios/shell/realistic/scenario.json")
    path = write(
        tmp_path / "scenario.json", scenario | {"guards": [{"class": "nonsense", "url": "https://example.org"}]}
    )
    before = path.read_bytes()
    monkeypatch.setattr(case, "folder_of", lambda _: tmp_path)
    monkeypatch.setattr(render, "main", lambda _: pytest.fail("it was rendered"))
    assert case.main(["shell/realistic"]) == 1
    assert "todo    corpus/bug-classes.json has no class 'nonsense'" in capsys.readouterr().out
    assert path.read_bytes() == before
    assert case.unknown_classes(scenario["guards"]) == []


def pair(name: str, side: str, small: Path, **changes: Any) -> Path:
    """A pair of our corpus, with other members, or without those that are None, on a side of a tolerance."""
    (path, *_) = sorted((default_root() / "equivalences" / name).glob(f"{changes.pop('of', side)}/*.json"))
    content = {key: value for key, value in {**read_json(path), **changes}.items() if value is not None}
    return write(small / name / side / "one.json", content)


def test_right_pairs_lack_nothing(empty_corpus: Path) -> None:
    for side in tolerance.SIDES:
        assert [*tolerance.pair_mistakes(pair("number-spelling", side, empty_corpus))] == []


@pytest.mark.parametrize(
    ("side", "changes", "message"),
    [
        ("different", {"rules": None}, "list in `rules` the rules of which a judge must name one"),
        ("different", {"rules": ["translation/call-lost"]}, "none of its `rules` is named; the judge finds "),
        ("same", {"of": "different", "rules": None}, "it is not accepted: translation/"),
        ("same", {"needed": False}, "the tolerance is needed here: take `needed` out"),
        ("same", {"rules": ["translation/call-lost"]}, "take `rules` out"),
        ("same", {"title": None}, "'title' is a required property; see corpus/keys.md#equivalence-pair"),
    ],
)
def test_what_is_wrong_with_a_pair(side: str, changes: dict[str, Any], message: str, empty_corpus: Path) -> None:
    messages = [*tolerance.pair_mistakes(pair("number-spelling", side, empty_corpus, **changes))]
    assert message in messages[0]


@pytest.mark.parametrize("side", tolerance.SIDES)
def test_a_pair_is_made_of_one_of_its_side(side: str) -> None:
    for name in ("placeholder-for-empty", "made-up"):
        assert tolerance.nearest(tolerance.FOLDER / name, side).parent.name == side


def test_a_new_tolerance_gets_skeletons(
    empty_corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tolerance, "FOLDER", empty_corpus / "equivalences")
    options = ["--pair", "different/one", "--like", "number-spelling/different/5-as-a-text"]
    with pytest.raises(SystemExit):
        tolerance.main(["made-up", *options])
    assert "there is no file " in capsys.readouterr().err
    (empty_corpus / "equivalences" / "number-spelling").symlink_to(default_root() / "equivalences" / "number-spelling")
    assert tolerance.main(["made-up", *options]) == 1
    output = capsys.readouterr().out
    assert "different/one.json at /rules/0: replace the TODO" in output
    assert "it has no pair in same/: .venv/bin/python tests doors.tolerance made-up --pair same/SLUG" in output
    assert 'no comparison in conformance/toolcall_conformance/ calls pair.accept("made-up", …)' in output
