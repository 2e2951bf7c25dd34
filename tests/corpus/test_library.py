"""What the loader says of a corpus that is not as it should be: which file, what is wrong, what to do."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.judge.rules import schemas
from toolcall_conformance.library import Corpus, CorpusError, default_root, packs

ROOT = default_root()
CASE = "scenarios/shell/seed"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A corpus with one case, to be broken."""
    root = tmp_path / "corpus"
    for folder in ("tools", "schemas", "formats", "translation"):
        shutil.copytree(ROOT / folder, root / folder)
    shutil.copytree(ROOT / CASE, root / CASE)
    shutil.copy(ROOT / "corpus.json", root)
    return root


def edit(path: Path, **keys: Any) -> None:
    value = json.loads(path.read_text(encoding="utf-8"))
    value.update(keys)
    path.write_text(json.dumps({key: item for key, item in value.items() if item is not ...}), encoding="utf-8")


def private(tmp_path: Path, **keys: Any) -> Path:
    """A private corpus of one case."""
    root = tmp_path / "mine"
    shutil.copytree(ROOT / CASE, root / "scenarios" / "mine" / "one")
    edit(root / "scenarios" / "mine" / "one" / "scenario.json", id="mine/one", **keys)
    return root


def says(*parts: str) -> str:
    return ".*".join(map(re.escape, parts))


def test_a_whole_corpus_loads(copy: Path) -> None:
    corpus = Corpus(copy)
    assert list(corpus.cases) == ["shell/seed"]
    case = corpus.cases["shell/seed"]
    assert case.family == "shell"
    assert case.formats == ("anthropic", "gemini", "openai_chat", "openai_responses")
    assert [exchange.number for exchange in case.exchanges("gemini")] == [1, 2]


def test_a_format_is_there_by_its_folder(copy: Path) -> None:
    shutil.copytree(copy / "formats" / "gemini", copy / "formats" / "another")
    assert Corpus(copy).formats == (*Corpus(default_root()).formats, "another")


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=says("nowhere", "no such folder", "corpus.json")):
        Corpus(tmp_path / "nowhere")


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=says("corpus.json", "no such file", "restore")):
        Corpus(tmp_path)


def test_manifest_without_a_key(copy: Path) -> None:
    edit(copy / "corpus.json", features=...)
    with pytest.raises(CorpusError, match=says("corpus.json", "`features` is missing")):
        Corpus(copy)


def test_not_json(copy: Path) -> None:
    (copy / CASE / "scenario.json").write_text('{"id": "shell/seed",\n  "title" "x"}')
    with pytest.raises(CorpusError, match=says("scenario.json", "line 2 column 11", "fix the file")):
        _ = Corpus(copy).cases


def test_not_utf8(copy: Path) -> None:
    (copy / CASE / "scenario.json").write_bytes(b'{"id": "\xff"}')
    with pytest.raises(CorpusError, match=says("scenario.json", "not UTF-8")):
        _ = Corpus(copy).cases


def test_a_key_twice(copy: Path) -> None:
    path = copy / CASE / "gemini" / "01-request.json"
    path.write_text('{"contents": [], "contents": []}')
    with pytest.raises(CorpusError, match=says("01-request.json", "'contents' occurs twice")):
        Corpus(copy).cases["shell/seed"].exchanges("gemini")


def test_a_reply_is_missing(copy: Path) -> None:
    (copy / CASE / "anthropic" / "02-response.json").unlink()
    with pytest.raises(CorpusError, match=says("anthropic", "02-response.json", "no such file")):
        Corpus(copy).cases["shell/seed"].exchanges("anthropic")


def test_a_gap_in_the_exchanges(copy: Path) -> None:
    for direction in ("request", "response"):
        (copy / CASE / "anthropic" / f"01-{direction}.json").unlink()
    with pytest.raises(CorpusError, match=says("anthropic", "01-request.json is missing, though 02 is there")):
        Corpus(copy).cases["shell/seed"].exchanges("anthropic")


def test_an_error_in_the_place_of_the_last_reply_and_before_any(copy: Path) -> None:
    folder = copy / CASE / "anthropic"
    error = {"status": 500, "headers": {}, "body": {}}
    (folder / "01-error.json").write_text(json.dumps(error))
    (folder / "02-response.json").rename(folder / "02-error.json")
    first, second = Corpus(copy).cases["shell/seed"].exchanges("anthropic")
    assert first.error == error
    assert first.response is not None
    assert second.response is None
    assert second.error is not None
    assert second.error_path == folder / "02-error.json"


def test_only_the_last_exchange_may_end_in_an_error(copy: Path) -> None:
    (copy / CASE / "anthropic" / "01-response.json").rename(copy / CASE / "anthropic" / "01-error.json")
    with pytest.raises(CorpusError, match=says("anthropic", "01-response.json", "no such file")):
        Corpus(copy).cases["shell/seed"].exchanges("anthropic")


def test_a_pack_without_a_file(copy: Path) -> None:
    with zipfile.ZipFile(copy / f"{CASE}{packs.SUFFIX}", "w") as pack:
        for path in (copy / CASE).rglob("*.json"):
            if path.name != "02-response.json":
                pack.write(path, path.relative_to(copy / CASE).as_posix())
    shutil.rmtree(copy / CASE)
    with pytest.raises(CorpusError, match=says("anthropic", "02-response.json", "no such file")):
        Corpus(copy).cases["shell/seed"].exchanges("anthropic")


def test_a_pack_that_is_none(copy: Path) -> None:
    shutil.rmtree(copy / CASE)
    (copy / f"{CASE}{packs.SUFFIX}").write_bytes(b"no zip")
    with pytest.raises(CorpusError, match=says("scenario.json", "cannot be read", "not a zip file")):
        _ = Corpus(copy).cases


def test_an_empty_folder(copy: Path) -> None:
    shutil.rmtree(copy / CASE / "gemini")
    (copy / CASE / "gemini").mkdir()
    with pytest.raises(CorpusError, match=says("gemini", "no 01-request.json")):
        Corpus(copy).cases["shell/seed"].exchanges("gemini")


def test_an_unknown_feature(copy: Path) -> None:
    edit(copy / CASE / "scenario.json", features=["paralel-calls"])
    with pytest.raises(CorpusError, match=says("scenario.json", "unknown feature 'paralel-calls'", "'parallel-calls'")):
        _ = Corpus(copy).cases


def test_an_unknown_format_folder(copy: Path) -> None:
    (copy / CASE / "openai-chat").mkdir()
    with pytest.raises(CorpusError, match=says("unknown folder of a format 'openai-chat'", "'openai_chat'")):
        _ = Corpus(copy).cases


def test_an_unknown_tool(copy: Path) -> None:
    edit(copy / CASE / "scenario.json", tools=["run_shell"])
    with pytest.raises(CorpusError, match=says("the tool 'run_shell' has no file", "run_shell.json")):
        _ = Corpus(copy).cases


def test_an_id_unlike_its_folder(copy: Path) -> None:
    edit(copy / CASE / "scenario.json", id="shell/sead")
    with pytest.raises(CorpusError, match=says("'shell/sead'", "shell/seed", "make the two the same")):
        _ = Corpus(copy).cases


@pytest.mark.parametrize(("key", "value"), [("title", 7), ("features", {}), ("models", []), ("id", None)])
def test_a_key_of_another_type(copy: Path, key: str, value: Any) -> None:
    edit(copy / CASE / "scenario.json", **{key: value})
    with pytest.raises(CorpusError, match=says("scenario.json", f"`{key}` must be")):
        _ = Corpus(copy).cases


def test_no_model(copy: Path) -> None:
    edit(copy / CASE / "scenario.json", models={})
    with pytest.raises(CorpusError, match=says("scenario.json", "`models` has no gemini")):
        Corpus(copy).cases["shell/seed"].model("gemini")


def test_an_unknown_rule(copy: Path) -> None:
    with pytest.raises(CorpusError, match=says("no rule 'gemini/nonsense'")):
        Corpus(copy).rule("gemini/nonsense")
    with pytest.raises(CorpusError, match=says("did you mean 'gemini/call-name'?")):
        Corpus(copy).rule("gemini/call-nam")


def test_a_schema_with_an_unknown_keyword(copy: Path) -> None:
    """As a misspelt ``x-rule`` is; the file is named."""
    edit(copy / "formats" / "gemini" / "request.schema.json", **{"x-rul": "gemini/shape"})
    with pytest.raises(CorpusError, match=says("formats/gemini/request.schema.json: the keyword 'x-rul' is not known")):
        schemas.shapes(Corpus(copy), "gemini", "request")


def test_a_rule_with_an_unknown_level(copy: Path) -> None:
    edit(copy / "formats" / "gemini" / "rules" / "shape.json", level="MUTS")
    with pytest.raises(CorpusError, match=says("shape.json: `level` is 'MUTS'; it must be MUST, SHOULD, NOTE")):
        Corpus(copy).rule("gemini/shape")


def test_a_rule_is_read_when_it_is_requested(copy: Path) -> None:
    """A file that cannot be read fails only the request for that rule."""
    (copy / "formats" / "gemini" / "rules" / "shape.json").write_text("{")
    rules = Corpus(copy).rules
    assert rules["anthropic/shape"].id == "anthropic/shape"
    assert "gemini/shape" in rules
    assert "gemini/nonsense" not in rules
    assert "gemini/../anthropic/shape" not in rules
    assert list(rules) == sorted(rule for rule in Corpus(ROOT).rules if not rule.startswith(("drift/", "otel/")))
    with pytest.raises(CorpusError, match=says("shape.json", "line 1 column 2", "fix the file")):
        _ = rules["gemini/shape"]


def test_a_rule_unlike_its_file(copy: Path) -> None:
    edit(copy / "translation" / "rules" / "call-lost.json", id="translation/call-last")
    with pytest.raises(CorpusError, match=says("'translation/call-last'", "translation/call-lost", "the two the same")):
        Corpus(copy).rule("translation/call-lost")


def test_a_rule_without_a_key(copy: Path) -> None:
    edit(copy / "translation" / "rules" / "call-lost.json", why=...)
    with pytest.raises(CorpusError, match=says("call-lost.json", "`why` is missing")):
        Corpus(copy).rule("translation/call-lost")


def test_a_corpus_without_rules(copy: Path) -> None:
    shutil.rmtree(copy / "formats" / "gemini" / "rules")
    with pytest.raises(CorpusError, match=says("no such folder", "restore the folder")):
        Corpus(copy).rule("anthropic/shape")


def test_a_private_corpus_next_to_ours(tmp_path: Path) -> None:
    corpus = Corpus(ROOT, [private(tmp_path)])
    assert corpus.cases["mine/one"].path.parent.name == "mine"
    assert "shell/seed" in corpus.cases


def test_a_private_corpus_may_have_tools_of_its_own(tmp_path: Path) -> None:
    root = private(tmp_path, tools=["lamp"])
    with pytest.raises(CorpusError, match=says("the tool 'lamp' has no file")):
        _ = Corpus(ROOT, [root]).cases
    (root / "tools").mkdir()
    (root / "tools" / "lamp.json").write_text("{}")
    assert "mine/one" in Corpus(ROOT, [root]).cases


def test_a_private_case_with_our_id(tmp_path: Path) -> None:
    shutil.copytree(ROOT / CASE, tmp_path / "mine" / CASE)
    with pytest.raises(CorpusError, match=says("the case shell/seed exists twice", "rename one")):
        _ = Corpus(ROOT, [tmp_path / "mine"]).cases


def test_a_private_folder_without_scenarios(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=says(tmp_path.name, "no folder `scenarios`", "scenarios/<family>/<case>")):
        _ = Corpus(ROOT, [tmp_path]).cases


def test_a_private_case_with_a_misspelt_key(tmp_path: Path) -> None:
    root = private(tmp_path, settings={"temprature": 1})
    with pytest.raises(CorpusError, match=says("scenario.json", "/settings", "temprature", "corpus/keys.md")):
        _ = Corpus(ROOT, [root]).cases
