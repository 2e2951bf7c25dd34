"""``toolcall-conformance corpus``: what it writes, what it refuses to replace, and what a check finds."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from miniature import write_corpus
from toolcall_conformance import library
from toolcall_conformance.cli import main


@pytest.fixture(autouse=True)
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small corpus, as the one that is installed."""
    root = tmp_path / "installed"
    write_corpus(root)
    monkeypatch.setattr(library, "default_root", lambda: root)
    return root


@pytest.fixture
def vendored_corpus(tmp_path: Path) -> Path:
    directory = tmp_path / "project" / "corpus"
    assert main(["corpus", str(directory)]) == 0
    return directory


def contents(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()
    }


def test_it_writes_every_file_and_a_manifest(
    vendored_corpus: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = contents(vendored_corpus)
    manifest = json.loads(files.pop("manifest.json"))
    assert files.pop(".gitattributes").startswith(b"* -text")
    assert files == contents(source)
    assert manifest["version"] == json.loads((source / "corpus.json").read_bytes())["version"]
    assert manifest["files"].keys() == files.keys() | {".gitattributes"}
    capsys.readouterr()
    assert main(["corpus", "--check", str(vendored_corpus)]) == 0
    assert f"corpus {manifest['version']}, {len(manifest['files'])} files, sha256 {manifest['sha256']}" in (
        capsys.readouterr().out
    )
    assert [path.name for path in vendored_corpus.parent.iterdir()] == ["corpus"]
    assert stat.S_IMODE(vendored_corpus.stat().st_mode) == stat.S_IMODE(source.stat().st_mode)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="there is no sha256sum")
def test_others_compute_the_same_sums(vendored_corpus: Path) -> None:
    manifest = json.loads((vendored_corpus / "manifest.json").read_text(encoding="utf-8"))
    lines = "".join(f"{digest}  {path}\n" for path, digest in manifest["files"].items())
    for command, expected in ((["sha256sum", "--check", "--quiet"], ""), (["sha256sum"], f"{manifest['sha256']}  -\n")):
        done = subprocess.run(command, input=lines, cwd=vendored_corpus, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, expected)


def test_a_check_names_what_differs(vendored_corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "--check", str(vendored_corpus)]) == 0
    first, second, *_ = sorted(vendored_corpus.glob("scenarios/*/*/*.json"))
    first.unlink()
    second.write_bytes(b"{}\n")
    (vendored_corpus / "mine.txt").touch()
    capsys.readouterr()
    assert main(["corpus", "--check", str(vendored_corpus)]) == 1
    output = capsys.readouterr().out
    assert f"{first.relative_to(vendored_corpus).as_posix()} is missing\n" in output
    assert f"{second.relative_to(vendored_corpus).as_posix()} was changed\n" in output
    assert "mine.txt is no file of the corpus\n" in output
    assert len(output.splitlines()) == 3


def test_an_older_corpus_is_reported_and_replaced(
    vendored_corpus: Path, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (source / "new.json").write_text("{}\n", encoding="utf-8")
    (source / "families.json").unlink(missing_ok=True)
    assert main(["corpus", "--check", str(vendored_corpus)]) == 0
    assert "another corpus is installed" in capsys.readouterr().out
    assert main(["corpus", str(vendored_corpus)]) == 0
    assert main(["corpus", "--check", str(vendored_corpus)]) == 0
    assert "another corpus" not in capsys.readouterr().out
    assert (vendored_corpus / "new.json").exists()
    assert not (vendored_corpus / "families.json").exists()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda root: (root / "README").write_text("mine"),
            "is not as it was written: README is no file of the corpus;",
        ),
        (lambda root: (root / "corpus.json").unlink(), "is not as it was written: corpus.json is missing; nothing"),
        (lambda root: (root / "manifest.json").unlink(), "is not empty and holds no corpus of ours (manifest.json is"),
        (lambda root: (root / "manifest.json").write_text("[]"), "manifest.json is no manifest of a corpus; name"),
        (
            lambda root: (root / "manifest.json").write_text(
                (root / "manifest.json").read_text().replace('"corpus.json"', '"other.json"')
            ),
            "manifest.json was changed since it was written; delete",
        ),
    ],
)
def test_what_is_not_ours_is_left_alone(
    change: object, sentence: str, vendored_corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(change)
    change(vendored_corpus)
    before = contents(vendored_corpus)
    assert main(["corpus", str(vendored_corpus)]) == 4
    assert sentence in capsys.readouterr().err
    assert contents(vendored_corpus) == before


def test_a_directory_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["corpus", str(tmp_path / "file")]) == 4
    assert main(["corpus", str(tmp_path / "file" / "x")]) == 4
    assert capsys.readouterr().err.count("cannot be written (") == 2


def test_a_check_without_a_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "--check", str(tmp_path / "none")]) == 4
    assert "manifest.json cannot be read (No such file or directory); write the corpus with" in capsys.readouterr().err


def test_a_failed_write_leaves_the_old_corpus(
    vendored_corpus: Path, source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(vendored_corpus)
    (source / "new.json").write_text("{}\n", encoding="utf-8")
    rename = Path.rename

    def fail_rename(self: Path, target: Path) -> Path:
        if self.name == "new":
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail_rename)
    assert main(["corpus", str(vendored_corpus)]) == 4
    assert "No space left on device" in capsys.readouterr().err
    assert contents(vendored_corpus) == before
    assert [path.name for path in vendored_corpus.parent.iterdir()] == ["corpus"]
