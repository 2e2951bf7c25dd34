"""Regeneration: it rewrites what the reference renders, nothing else, all of it or nothing, and survives a kill.

Each run is a pytest in a process of its own over a temporary copy of the corpus, ``--corpus DIR``.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest
from syrupy.data import SnapshotCollection

import forked_runs
from regeneration.changes import Change, PublishError, diff_lines, find_changes, publish
from regeneration.extension import GoldenExtension
from regeneration.validation import without
from toolcall_conformance.basics.jsonstyle import dump
from toolcall_conformance.library import default_root

ROOT = default_root()
TESTS = Path(__file__).resolve().parents[1]
#: Rendered, typed, and recorded files; two rendered cases in two families.
FEW = ("shell/realistic", "shell/seed", "shell/recorded-shape", "grep/two-rounds")

#: Changes what the reference makes of Gemini's replies.
DRESSED = """
from dataclasses import replace
from toolcall_reference import formats

get, gemini = formats.get, formats.get("gemini")
dress = gemini.provider.dress_reply
changed = replace(gemini, provider=replace(gemini.provider, dress_reply=lambda *given: CHANGE))
formats.get = lambda name: changed if name == "gemini" else get(name)
"""
#: A deliberate change: the replies name another model version.
CHANGED = DRESSED.replace("CHANGE", 'dress(*given) | {"modelVersion": "changed"}')
#: And a fault: they have no usage.
FAULTY = DRESSED.replace("CHANGE", '{k: v for k, v in dress(*given).items() if k != "usageMetadata"}')
#: The process is killed when it has written half of a temporary file, or before the n-th rename.
KILLED = """
import os, signal
from pathlib import Path
from toolcall_conformance.basics import atomic_files

fill, rename, renames = atomic_files._write_temporary, Path.replace, []

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def half(made, target, content):
    if made.name.startswith(".rendering-") and AT == 0:
        fill(made, target, content[: len(content) // 2])
        die()
    fill(made, target, content)

def counted(self, target):
    if self.name.startswith(".rendering-"):
        renames.append(target)
        if len(renames) == AT:
            die()
    return rename(self, target)

atomic_files._write_temporary, Path.replace = half, counted
"""
#: What the corpus's own tests would say is no matter here, and takes seconds.
UNEXAMINED = """
def pytest_configure():
    import regeneration.hooks
    regeneration.hooks.objections = lambda *_: []
"""


def copy_of(folder: Path, cases: tuple[str, ...]) -> Path:
    """A copy of the corpus with these cases alone."""
    corpus = folder / "corpus"
    shutil.copytree(ROOT, corpus, ignore=lambda path, _: ["scenarios", "verdicts"] if Path(path) == ROOT else [])
    copy_cases(corpus, cases)
    return corpus


def copy_cases(corpus: Path, cases: tuple[str, ...]) -> None:
    for case in cases:
        shutil.copytree(ROOT / "scenarios" / case, corpus / "scenarios" / case)


@pytest.fixture(scope="module")
def whole_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What no run may touch, a thousand files, is copied once."""
    return copy_of(tmp_path_factory.mktemp("regenerated"), ())


@pytest.fixture
def corpus(whole_corpus: Path) -> Path:
    shutil.rmtree(whole_corpus / "scenarios", ignore_errors=True)
    copy_cases(whole_corpus, FEW)
    return whole_corpus


def run(corpus: Path, *arguments: str, plugin: str = "") -> SimpleNamespace:
    """A pytest over the goldens of a corpus, in a process of its own: its return code and its output."""
    # A plugin of equal length, written within the same second, would be taken for the one that was compiled before.
    name = f"plugin_{crc32(plugin.encode())}"
    (corpus.parent / f"{name}.py").write_text(plugin, encoding="utf-8")
    quick = ["-q", "-p", name, *without("cacheprovider", "hypothesispytest", "anyio")]
    # Not as an argument: syrupy deletes most freely where no path was given.
    golden = ["-o", "testpaths=tests/corpus/test_rendered_goldens.py", f"--corpus={corpus}"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(corpus.parent), environment.get("PYTHONPATH", "")])
    # The stage of a run that is killed stays behind.
    environment["TMPDIR"] = str(corpus.parent)
    done = forked_runs.run([*golden, *quick, *arguments], TESTS.parent, environment)
    return SimpleNamespace(code=done.returncode, said=done.stdout + done.stderr)


def update(corpus: Path, *arguments: str, plugin: str = "") -> SimpleNamespace:
    return run(corpus, "--snapshot-update", *arguments, plugin=plugin)


def file_contents(corpus: Path) -> dict[str, tuple[bytes, int]]:
    """Every file and folder: contents, and when it was written."""
    contents: dict[str, tuple[bytes, int]] = {}
    # A tenth of what Path.rglob takes for a thousand files, and each test asks twice.
    for folder, folders, files in os.walk(corpus):
        inside = folder[len(str(corpus)) + 1 :]
        contents |= {os.path.join(inside, name): (b"", 0) for name in folders}  # noqa: PTH118
        for name in files:
            with open(os.path.join(folder, name), "rb", buffering=0) as file:  # noqa: PTH118, PTH123
                contents[os.path.join(inside, name)] = (file.read(), os.fstat(file.fileno()).st_mtime_ns)  # noqa: PTH118
    return contents


def changed_names(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def rendered_files(corpus: Path) -> set[str]:
    """The wire files that the scenarios do not list as made by hand."""
    return {
        f"scenarios/{'/'.join(path.parts[-3:-1])}/{key}"
        for path in corpus.glob("scenarios/*/*/scenario.json")
        for key in _keys(path.parent) - json.loads(path.read_bytes())["files"].keys()
    }


def _keys(case: Path) -> set[str]:
    return {path.relative_to(case).as_posix() for path in case.glob("*/[0-9][0-9]-*")}


def replies(corpus: Path) -> set[str]:
    """The rendered replies of Gemini and their streams, which ``CHANGED`` and ``FAULTY`` concern."""
    listed = rendered_files(corpus)
    bodies = {name for name in listed if "/gemini/" in name and name.endswith("-response.json")}
    return bodies | {name for name in listed if name.replace(".sse", ".json") in bodies}


def is_changed(name: str, before: bytes, after: bytes) -> bool:
    """Whether a reply became what ``CHANGED`` makes of it."""
    if name.endswith(".sse"):
        return after != before and b'"modelVersion": "changed"' in after
    return bool(json.loads(after) == json.loads(before) | {"modelVersion": "changed"})


def edit(path: Path, **keys: Any) -> None:
    value = json.loads(path.read_text(encoding="utf-8")) | keys
    path.write_text(dump(value), encoding="utf-8")


def test_on_a_clean_corpus_nothing_changes(corpus: Path) -> None:
    """The same of the whole corpus is asked by ``.ci/run``, with the README's command."""
    before = file_contents(corpus)
    done = update(corpus)
    assert done.code == 0, done.said
    assert file_contents(corpus) == before
    assert f"0 rewritten, 0 new, {len(rendered_files(corpus))} unchanged." in done.said


def workers(count: int) -> tuple[str, ...]:
    return ("-n", str(count)) if importlib.util.find_spec("xdist") else ()


def test_exactly_the_files_concerned_change(corpus: Path) -> None:
    """With several workers, too: the next test."""
    before = file_contents(corpus)
    done = update(corpus, plugin=CHANGED)
    assert done.code == 0, done.said
    after = file_contents(corpus)
    concerned = replies(corpus)
    assert len(concerned) == 10
    assert changed_names(before, after) == concerned
    for name in concerned:
        assert is_changed(name, before[name][0], after[name][0])
        assert name.removeprefix("scenarios/") in done.said
    assert '+  "modelVersion": "changed"' in done.said
    assert "10 rewritten, 0 new, " in done.said


def test_typed_and_foreign_files_survive(corpus: Path) -> None:
    case = corpus / "scenarios/shell/realistic"
    files = json.loads((case / "scenario.json").read_bytes())["files"]
    entry = {"provenance": "typed", "source": "this test", "api_version": "v1beta", "date": "2026-11-27"}
    files["gemini/01-response.json"] = entry
    edit(case / "scenario.json", files=files)
    edit(case / "gemini/01-response.json", modelVersion="typed by hand")
    for name in ("NOTES.md", "02-response.json"):
        (case / name).write_text("mine")
    (corpus / "scenarios/shell/ideas").mkdir()
    (corpus / "scenarios/shell/ideas/one.json").write_text("mine")
    before = file_contents(corpus)
    done = update(corpus, *workers(2), plugin=CHANGED)
    assert done.code == 0, done.said
    stream = "scenarios/shell/realistic/gemini/01-response.sse"
    concerned, after = replies(corpus), file_contents(corpus)
    assert changed_names(before, after) == concerned | {stream}
    assert b"typed by hand" in (corpus / stream).read_bytes(), "a stream is that of the reply as it stands"
    assert "scenarios/shell/realistic/gemini/01-response.json" not in concerned
    assert len(concerned) == 8
    for name in concerned:
        assert is_changed(name, before[name][0], after[name][0])
        assert name.removeprefix("scenarios/") in done.said
    assert '+  "modelVersion": "changed"' in done.said
    assert "9 rewritten, 0 new, " in done.said


def test_without_the_option_a_difference_fails_and_nothing_is_written(corpus: Path) -> None:
    before = file_contents(corpus)
    done = run(corpus, plugin=CHANGED)
    assert done.code == 1
    assert "2 failed, 2 passed" in done.said
    assert "--snapshot-update" in done.said
    assert '+  "modelVersion": "changed"' in done.said
    assert file_contents(corpus) == before


def test_a_foreign_file_among_the_goldens_is_reported_and_survives(corpus: Path) -> None:
    """The corpus's tests allow none there. Some have the names of what syrupy tidies up after parallel runs."""
    for name in ("mine.txt", "02-response.json.tmp", "02-response.json.lock"):
        (corpus / "scenarios/shell/realistic/gemini" / name).write_text("mine")
    before = file_contents(corpus)
    done = update(corpus, *workers(1), plugin=CHANGED)
    assert done.code == 1
    assert "Nothing was written" in done.said
    assert "test_exchanges_are_complete_in_every_format[shell]\n  shell/realistic\n" in done.said
    assert "gemini/mine.txt" in done.said
    assert file_contents(corpus) == before


def new_case(corpus: Path) -> Path:
    case = corpus / "scenarios/grep/new"
    case.mkdir()
    shutil.copy(corpus / "scenarios/grep/two-rounds/scenario.json", case)
    edit(case / "scenario.json", id="grep/new")
    return case


def test_a_new_case_is_rendered(corpus: Path) -> None:
    case = new_case(corpus)
    before = file_contents(corpus)
    done = update(corpus)
    assert done.code == 0, done.said
    written = {str(path.relative_to(case)) for path in case.glob("*/*")}
    assert len(written) == 36
    assert all(name.startswith("scenarios/grep/new/") for name in changed_names(before, file_contents(corpus)))
    assert "0 rewritten, 36 new, " in done.said


def test_a_result_that_the_corpus_s_own_tests_reject_is_refused(corpus: Path) -> None:
    new_case(corpus)
    before = file_contents(corpus)
    done = update(corpus, plugin=FAULTY)
    assert done.code == 1
    assert file_contents(corpus) == before
    assert "Nothing was written, every file is as it was: the corpus's own tests reject what would be" in done.said
    assert "test_outcomes[shell]\n  shell/realistic-gemini\n" in done.said


def test_a_case_that_cannot_be_rendered_stops_all(corpus: Path) -> None:
    edit(corpus / "scenarios/grep/two-rounds/scenario.json", conversation=[{"role": "user", "content": [{"odd": 1}]}])
    before = file_contents(corpus)
    done = update(corpus, plugin=CHANGED)
    assert done.code == 1
    assert file_contents(corpus) == before
    assert "grep/two-rounds cannot be rendered: ValueError: unknown entry" in done.said
    assert "Nothing was written, every file is as it was: these cases cannot be rendered" in done.said


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_killed_while_it_writes(corpus: Path) -> None:
    before = file_contents(corpus)
    concerned = sorted(replies(corpus))
    for at, whole, unnamed in ((0, 0, 1), (3, 2, 8)):
        done = update(corpus, plugin=CHANGED + UNEXAMINED + KILLED.replace("AT", str(at)))
        assert done.code == -signal.SIGKILL
        after = file_contents(corpus)
        left = [name for name in after if name not in before]
        assert [Path(name).name[:11] for name in left] == [".rendering-"] * unnamed
        places = {Path(name).parent.parent.parent for name in left}
        assert places == {Path("scenarios")}, "where no reader of the corpus looks"
        written = {name for name in changed_names(before, after) if name not in left}
        assert len(written) == whole
        assert all(is_changed(name, before[name][0], after[name][0]) for name in written)
    done = update(corpus, plugin=CHANGED + UNEXAMINED)
    assert done.code == 0, done.said
    assert f"{10 - 2} rewritten, 0 new, " in done.said, "what the killed run had done is not done again"
    assert changed_names(before, file_contents(corpus)) == set(concerned)
    assert all(is_changed(name, before[name][0], (corpus / name).read_bytes()) for name in concerned)


def test_a_run_that_is_cut_short_writes_nothing(corpus: Path) -> None:
    stops = """
def pytest_runtest_teardown(item, nextitem):
    if nextitem is None or "recorded-shape" in nextitem.nodeid:
        raise KeyboardInterrupt
"""
    before = file_contents(corpus)
    done = update(corpus, plugin=CHANGED + stops)
    assert done.code == 2
    assert "Nothing was written, every file is as it was: the run was cut short" in done.said
    assert file_contents(corpus) == before


def test_a_folder_that_holds_no_corpus(tmp_path: Path) -> None:
    done = run(tmp_path / "corpus")
    assert done.code == 4
    assert "no corpus.json in it; give the folder that holds it" in done.said


def test_a_case_is_listed_before_its_files_are_there(corpus: Path, tmp_path: Path) -> None:
    stage = tmp_path / "stage/scenarios/grep/new"
    for name in ("anthropic/01-request.json", "scenario.json", "gemini/01-request.json"):
        (stage / name).parent.mkdir(parents=True, exist_ok=True)
        (stage / name).write_text("{}\n")
    keys = [change.key for change in find_changes(tmp_path / "stage", corpus)]
    assert keys == ["scenario.json", "anthropic/01-request.json", "gemini/01-request.json"]


@pytest.mark.parametrize("stuck", [False, True])
def test_where_a_file_cannot_be_written_the_others_are_put_back(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, stuck: bool
) -> None:
    key = "gemini/01-response.json"
    (corpus / "scenarios/shell/new").mkdir()
    before = {name: contents for name, (contents, _) in file_contents(corpus).items()}
    changes = [
        Change("shell/realistic", key, before[f"scenarios/shell/realistic/{key}"].decode(), "{}\n"),
        Change("shell/new", "gemini/01-request.json", None, "{}\n"),
        Change("shell/seed", key, before[f"scenarios/shell/seed/{key}"].decode(), "{}\n"),
    ]
    replace = Path.replace
    full: list[Path] = []

    def replaces(self: Path, target: Path) -> Path:
        if "seed" in str(target) or (stuck and full):
            full.append(target)
            raise OSError(28, "No space left on device", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replaces)
    end = f"cannot be put back, restore them: shell/realistic/{key}" if stuck else "every file is as it was"
    with pytest.raises(PublishError, match=f"shell/seed/{key} cannot be written .No space left on device.*{end}$"):
        publish(changes, corpus)
    after = {name: contents for name, (contents, _) in file_contents(corpus).items()}
    assert changed_names(before, after) == ({f"scenarios/shell/realistic/{key}"} if stuck else set())


def test_files_with_the_same_change_are_listed_together() -> None:
    old, new = '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "a": 1,\n  "b": 3\n}\n'
    changes = [
        Change("x/one", "gemini/01-request.json", old, new),
        Change("x/one", "gemini/02-request.json", None, new),
        Change("x/two", "gemini/01-request.json", old, new),
    ]
    assert list(diff_lines(changes)) == [
        "x/one/gemini/01-request.json",
        "x/two/gemini/01-request.json",
        '    -  "b": 2',
        '    +  "b": 3',
        "x/one/gemini/02-request.json",
        "    (new, 4 lines)",
    ]


def test_long_diffs_are_cut() -> None:
    diff = Change("x/one", "a.json", "", "\n".join([*(["y" * 500] * 20), ""])).diff()
    assert len(diff) == 9
    assert diff[-1] == "… 12 more lines"
    assert all(len(line) <= 150 for line in diff)


def test_goldens_are_never_written_past_the_stage(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GoldenExtension, "stage", None)
    place = SnapshotCollection(location=str(corpus / "scenarios/shell/realistic/gemini/01-request.json"))
    with pytest.raises(RuntimeError, match="only written through the stage"):
        GoldenExtension.write_snapshot_collection(snapshot_collection=place)
