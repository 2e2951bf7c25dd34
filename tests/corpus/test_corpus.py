"""The corpus keeps its own promises: files valid and canonical, ids unique, exchanges complete, provenance listed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from jsonschema import Draft202012Validator

from doors.tolerance import rules_mistake
from every import every
from toolcall_conformance.basics.jsonvalue import canonical, parse
from toolcall_conformance.library import default_root

ROOT = default_root()
MANIFEST = parse((ROOT / "corpus.json").read_bytes())
CASES = sorted(path.parent for path in ROOT.glob("scenarios/*/*/scenario.json"))
FAMILIES = ("shell", "read_file", "read_many_files", "write_file", "replace", "grep")
#: Families by theme that stand on typed and recorded files. Families of rarer shapes name a recording or a page each.
THEMES = ("binary", "errors", "ids", "mcp", "parallel", "reasoning", "state", "streaming")
#: What every family has, and what the families by tool have beside it.
WITNESSES = ("seed", "recorded-shape")
DEMANDED = (*WITNESSES, "realistic", "failing-tool", "same-tool-twice", "two-rounds")

#: The files of the project's own shapes: the schema's name, where such files are.
SHAPES = {
    "corpus": ["corpus.json"],
    "tool": ["tools/*.json"],
    "policy": ["policies/*.json"],
    "scenario": ["scenarios/*/*/scenario.json"],
    "rule": ["formats/*/rules/*.json", "translation/rules/*.json", "drift/rules/*.json", "otel/rules/*.json"],
    "families": ["families.json"],
    "words": ["words.json"],
    "bug-classes": ["bug-classes.json"],
    "retired-rules": ["retired-rules.json"],
    "stream-rules": ["stream-rules.json"],
    "format": ["formats/*/format.json"],
    "transport": ["formats/*/transport.json"],
    "expresses": ["formats/*/expresses.json"],
    "own-tools": ["formats/*/own-tools.json"],
    "signs": ["formats/*/signs.json"],
    "other-apis": ["other-apis.json"],
    "drift-known": ["drift/known/*.json"],
    "circumstance": ["circumstances/*.json"],
    "equivalence": ["equivalences/*/equivalence.json"],
    "equivalence-pair": ["equivalences/*/*/*.json"],
    "elements": ["translation/elements.json"],
    "losses": ["translation/losses.json"],
    "alignment": ["translation/alignment.json"],
    "places": ["translation/places.json"],
    "harm": ["translation/harm.json"],
    "consequences": ["translation/consequences.json"],
    "mutations": ["mutations/operators.json"],
    "survivors": ["mutations/reviewed.json"],
    "dialect": ["formats/*/dialect.json"],
    "variants": ["mutations/variants.json"],
    "refused": ["mutations/refused.json"],
    "otel": ["otel/otel.json"],
    "seeds": ["seeds.json"],
    "quick": ["quick.json"],
}
OWN_FILES = [
    (name, path)
    for name, patterns in SHAPES.items()
    for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern))
]


def case_id(path: Path) -> str:
    return "/".join(path.parts[-2:])


each_case = every("case", CASES, id=case_id, by=lambda case: case.parent.name)


def scenario(case: Path) -> dict[str, Any]:
    content: dict[str, Any] = parse((case / "scenario.json").read_bytes())
    return content


@cache
def validator(name: str) -> Any:
    schema = parse((ROOT / "schemas" / f"{name}.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@every("name, path", OWN_FILES, id=lambda _, path: str(path.relative_to(ROOT)), by=lambda name, _: name)
def test_own_files_are_valid(name: str, path: Path) -> None:
    errors = validator(name).iter_errors(parse(path.read_bytes()))
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def test_evidence_in_this_project_is_there() -> None:
    """A rule whose evidence is a page of ours names a file, and a heading in it."""
    pages = [
        (path, piece["url"])
        for path in ROOT.glob("**/rules/*.json")
        for piece in parse(path.read_bytes())["evidence"]
        if "url" in piece and "://" not in piece["url"]
    ]
    assert pages
    for path, url in pages:
        name, _, anchor = url.partition("#")
        page = Path(__file__).resolve().parents[2] / name
        assert page.is_file(), f"{path}: {url}"
        headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, f"{path}: {url}"


def test_every_schema_has_files() -> None:
    verdict = {"verdict"}  # a line, not a file: tests/doubles/test_verdicts.py
    assert {path.name.removesuffix(".schema.json") for path in ROOT.glob("schemas/*")} == set(SHAPES) | verdict


def test_every_file_has_a_schema() -> None:
    """A file of ours: bodies of cases have those of their formats, examples of messages OpenTelemetry's.

    What an MCP server sends has schemas of its own, which are none of ours either.
    """
    own = {path for _, path in OWN_FILES}
    bodies = {*ROOT.glob("scenarios/*/*/*/*.json"), *ROOT.glob("otel/*/*.json"), *ROOT.glob("mcp/*.json")}
    without = [path for path in {*ROOT.glob("**/*.json")} - own - bodies if not path.name.endswith(".schema.json")]
    assert without == []


def test_every_equivalence_has_both_sides() -> None:
    """What a tolerance accepts and what it must still refuse."""
    names = {path.name for path in ROOT.glob("equivalences/*")}
    for side in ("same", "different"):
        assert {path.parts[-3] for path in ROOT.glob(f"equivalences/*/{side}/*.json")} == names
    complaints = (rules_mistake(path, parse(path.read_bytes())) for path in ROOT.glob("equivalences/*/*/*.json"))
    assert [complaint for complaint in complaints if complaint] == []


@pytest.mark.parametrize(
    ("name", "path", "edit", "message"),
    [
        ("scenario", "scenarios/shell/seed/scenario.json", {"titel": "x"}, "titel"),
        ("scenario", "scenarios/shell/seed/scenario.json", {"settings": {"temprature": 1}}, "temprature"),
        ("scenario", "scenarios/shell/seed/scenario.json", {"id": "Shell/Seed"}, "Shell/Seed"),
        ("scenario", "scenarios/shell/seed/scenario.json", {"guards": []}, "guards"),
        ("tool", "tools/replace.json", {"input_schema": {}}, "input_schema"),
        ("corpus", "corpus.json", {"feature": {}}, "feature"),
    ],
)
def test_misspelt_keys_are_caught(name: str, path: str, edit: dict[str, Any], message: str) -> None:
    broken = parse((ROOT / path).read_bytes()) | edit
    messages = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(broken)]
    assert len(messages) == 1
    assert message in messages[0]


@each_case
def test_names_are_known(case: Path) -> None:
    raw = scenario(case)
    assert raw["id"] == case_id(case)
    assert set(raw["features"]) <= set(MANIFEST["features"])
    assert set(raw["models"]) == set(raw["ids"]) == set(MANIFEST["formats"])
    others = [name for names in raw.get("tools_in", {}).values() for name in names]
    assert set(raw.get("found_tools", {})) <= set(raw["tools"])
    for name in [*raw["tools"], *others]:
        assert (ROOT / "tools" / f"{name}.json").is_file()


def strange_ids(raw: dict[str, Any]) -> list[str]:
    """The ids of a scenario that are not of the form that one of its features demands, each with what to do."""
    return [
        f"{name}/{key}: {id!r} does not match {pattern}; give the call such an id, or take the feature {feature!r} out"
        for feature in raw["features"]
        for name, pattern in MANIFEST["features"][feature].get("ids", {}).items()
        for key, id in raw["ids"].get(name, {}).items()
        if id is not None and name not in raw.get("dialect", ()) and not re.fullmatch(pattern, id)
    ]


def unshown(raw: dict[str, Any]) -> list[str]:
    """The features of a scenario that its conversation or its settings do not show, each with what to do."""
    return [
        f"{raw['id']}: nothing in it shows {feature!r} ({entry['explanation']}); give it that, or take the feature out"
        for feature in raw["features"]
        if not shows(feature).is_valid(raw)
        for entry in [MANIFEST["features"][feature]]
    ]


@cache
def shows(feature: str) -> Draft202012Validator:
    return Draft202012Validator(MANIFEST["features"][feature].get("shows", True))


@each_case
def test_a_scenario_shows_the_features_that_it_claims(case: Path) -> None:
    assert unshown(scenario(case)) == []


def test_a_feature_that_a_scenario_does_not_show_is_reported() -> None:
    raw = scenario(ROOT / "scenarios" / "shell" / "realistic")
    (sentence,) = unshown({**raw, "features": [*raw["features"], "upstream-error"]})
    assert "nothing in it shows 'upstream-error'" in sentence
    assert unshown({**raw, "features": [*raw["features"], "stream-spread"]}) == []  # no schema can say it
    (sentence,) = unshown({**raw, "features": [*raw["features"], "unicode-arguments"]})
    assert "nothing in it shows 'unicode-arguments'" in sentence


@each_case
def test_ids_have_the_form_that_the_features_claim(case: Path) -> None:
    assert strange_ids(scenario(case)) == []


def test_a_made_up_id_is_none_of_a_provider() -> None:
    raw = scenario(ROOT / "scenarios" / "shell" / "realistic")
    raw = {**raw, "features": ["provider-ids"], "ids": {"openai_chat": {"a": "call_123", "b": None}}}
    (message,) = strange_ids(raw)
    assert "openai_chat/a: 'call_123'" in message
    assert "take the feature 'provider-ids' out" in message
    assert strange_ids({**raw, "features": ["single-call"]}) == []
    assert strange_ids({**raw, "dialect": {"openai_chat": "vendor"}}) == []


def test_every_feature_is_used_and_every_id_is_unique() -> None:
    raws = [scenario(case) for case in CASES]
    assert {feature for raw in raws for feature in raw["features"]} == set(MANIFEST["features"])
    assert [raw for raw, count in Counter(raw["id"] for raw in raws).items() if count > 1] == []
    assert len({raw["title"] for raw in raws}) == len(raws)


@each_case
def test_the_conversation_is_sound(case: Path) -> None:
    """Calls and results pair within their turns, ids are given for every call, tools are declared."""
    raw = scenario(case)
    names = {parse((ROOT / "tools" / f"{name}.json").read_bytes())["name"] for name in raw["tools"]}
    for name in MANIFEST["formats"]:
        check_pairs(raw, [turn for turn in raw["conversation"] if name in turn.get("only", [name])])
    keys = [entry["call"]["key"] for turn in raw["conversation"] for entry in turn["content"] if "call" in entry]
    called = {entry["call"]["name"] for turn in raw["conversation"] for entry in turn["content"] if "call" in entry}
    assert called <= names or not names  # a client may go on without tools
    ends = count_replies(raw)
    fails = raw.get("upstream_error", {}).get("exchange", 0)
    assert fails <= ends + 1
    assert raw["conversation"][-1]["role"] == ("user" if fails > ends else "assistant")
    assert len(keys) == len(set(keys))
    for table in raw["ids"].values():
        assert set(table) == set(keys)


def count_replies(raw: dict[str, Any]) -> int:
    """The turns of the assistant that are replies; what the client brought along is none."""
    return sum(turn["role"] == "assistant" and not turn.get("given") for turn in raw["conversation"])


def check_pairs(raw: dict[str, Any], turns: list[dict[str, Any]]) -> None:
    """Results follow the calls of the turn before, in their order; instructions between the two do not part them."""
    open_calls: list[str] = []
    for turn in turns:
        if turn["role"] == "system":
            continue
        answered = [entry["result"]["call"] for entry in turn["content"] if "result" in entry]
        swapped = "result-order" in raw["features"]
        answers = sorted(answered) if swapped else answered
        assert answers == (sorted(open_calls) if swapped else open_calls), "results follow their calls, in their order"
        open_calls = [entry["call"]["key"] for entry in turn["content"] if "call" in entry]
        if "finish" in turn:
            # A reply may also be cut, held back or fail behind a call; nobody answers that one.
            assert open_calls or turn["finish"] != "tools"
            assert not open_calls or turn["finish"] not in ("end", "pause")


@each_case
def test_exchanges_are_complete_in_every_format(case: Path) -> None:
    raw = scenario(case)
    count = count_replies(raw)
    expected = {
        f"{name}/{number:02}-{direction}.json"
        for name in MANIFEST["formats"]
        for number in range(1, count + 1)
        for direction in ("request", "response")
    }
    if "upstream_error" in raw:
        number = raw["upstream_error"]["exchange"]
        for name in MANIFEST["formats"]:
            expected |= {f"{name}/{number:02}-request.json", f"{name}/{number:02}-error.json"}
    expected |= {
        f"{name}/{number:02}-response.sse"
        for name in set(MANIFEST["formats"]) - set(raw.get("dialect", ()))
        for number in range(1, count + 1)
    }
    # What a vendor streams is known of some; and not every provider breaks off in the middle of a call.
    number = raw.get("broken_stream", {}).get("exchange", 0)
    broken = {f"{name}/{number:02}-broken.sse" for name in MANIFEST["formats"] if number}
    paths = {str(path.relative_to(case)) for path in case.glob("*/*")}
    dialects = {f"{name}/{place:02}-response.sse" for name in raw.get("dialect", ()) for place in range(1, count + 1)}
    assert paths - dialects - broken == expected
    assert bool(paths & broken) == bool(broken)
    assert number <= count
    assert set(raw["files"]) <= paths


@each_case
def test_streams_are_whole(case: Path) -> None:
    """UTF-8, with a blank line at the end and no byte order mark."""
    for path in sorted(case.glob("*/*.sse")):
        text = path.read_bytes().decode("utf-8")
        assert text.endswith(("\n\n", "\r\n\r\n")), path
        assert not text.startswith("\ufeff")


@pytest.mark.parametrize("family", FAMILIES + THEMES)
def test_every_family_has_its_witnesses(family: str) -> None:
    """Typed files in ``seed``, recorded-shaped ones in ``recorded-shape``, for each format; and the usual cases."""
    for name in DEMANDED if family in FAMILIES else WITNESSES:
        assert (ROOT / "scenarios" / family / name / "scenario.json").is_file()
    for name, provenance in (("seed", "typed"), ("recorded-shape", "recorded")):
        listed = scenario(ROOT / "scenarios" / family / name)["files"]
        files = {key: entry for key, entry in listed.items() if not key.endswith(".sse")}
        bodies = {path.name for path in (ROOT / "scenarios" / family / name).glob("*/*.json")}
        assert len(files) == len(bodies) * len(MANIFEST["formats"])
        assert {entry["provenance"] for entry in files.values()} == {provenance}
        assert {key.split("/")[0] for key in files} == set(MANIFEST["formats"])


def test_recorded_files_name_their_recording() -> None:
    pattern = re.compile(r"https://github\.com/[^/]+/[^/]+/blob/[0-9a-f]{40}/.+")
    for case in CASES:
        for key, entry in scenario(case)["files"].items():
            if entry["provenance"] == "recorded":
                assert pattern.fullmatch(entry["source"]), f"{case_id(case)}/{key}"


def _without_tools(value: Any, names: Container[str]) -> Any:
    """A part of a body without the declarations of these tools."""
    if isinstance(value, list):
        entries = (entry for entry in value if _declared_name(entry) not in names)
        return [_without_tools(entry, names) for entry in entries]
    return {key: _without_tools(entry, names) for key, entry in value.items()} if isinstance(value, dict) else value


def _declared_name(entry: Any) -> str:
    return str(entry.get("function", entry).get("name")) if isinstance(entry, dict) else ""


@each_case
def test_histories_only_grow(case: Path) -> None:
    """Request n + 1 begins with request n: the same settings and declarations, the same turns, then more.

    A tool that a search of the client's found is declared from then on.
    """
    loaded_tools = scenario(case).get("found_tools", {})
    for name in MANIFEST["formats"]:
        containers = parse((ROOT / "formats" / name / "format.json").read_bytes())["containers"]["request"]
        bodies = [parse(path.read_bytes()) for path in sorted((case / name).glob("*-request.json"))]
        for earlier, later in pairwise(bodies):
            key = next(key for key in containers if key in later)
            before, after = earlier[key], later[key]
            earlier_rest, later_rest = (
                {other: body[other] for other in body if other != key} for body in (earlier, later)
            )
            assert canonical(_without_tools(earlier_rest, loaded_tools)) == canonical(
                _without_tools(later_rest, loaded_tools)
            ), name
            if isinstance(before, list):
                assert canonical(before) == canonical(after[: len(before)]), name


def test_the_corpus_is_large_and_varied() -> None:
    assert len(CASES) >= 130
    assert {case.parent.name for case in CASES} >= {*FAMILIES, *THEMES}


def test_every_family_says_what_it_is_about() -> None:
    families = parse((ROOT / "families.json").read_bytes())
    assert set(families) == {case.parent.name for case in CASES}
    assert len(set(families.values())) == len(families)
