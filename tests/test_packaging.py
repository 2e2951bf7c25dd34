"""What ships: every file of the corpus is in the wheel, under the package, byte for byte; and the wheel stays small."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from toolcall_conformance.cli.explain.verdict_index import VerdictIndex
from toolcall_conformance.library import Corpus, default_root, packs
from toolcall_conformance.library.vendored import manifest_of
from toolcall_conformance.library.verdicts import read_verdicts

ROOT = Path(__file__).resolve().parents[1]
CORPUS = "toolcall_conformance/corpus/"
BLOCK = 4096
MAX_SIZES = {"bytes of the wheel": 7_000_000, "files": 2_900, "bytes in blocks of a disk, without bytecode": 40_000_000}
"""Some 15 % over what there is. Tens of files for a case came to 10.7 MB, 9,700 files and 60 MB."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def wheel_contents(wheel: Path) -> Mapping[str, bytes]:
    """The files of the wheel by path, with those of packs in the place of these."""
    sources: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as files:
        for path in files.namelist():
            content = files.read(path)
            if path.endswith(packs.SUFFIX):
                with zipfile.ZipFile(io.BytesIO(content)) as pack:
                    sources |= {
                        f"{path.removesuffix(packs.SUFFIX)}/{name}": pack.read(name) for name in pack.namelist()
                    }
            else:
                sources[path] = content
    return sources


def test_wheel_has_the_whole_corpus(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "corpus"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    tracked = {name for name in listed if name}
    if not tracked:
        pytest.skip("not a git checkout, so there is no list of files to compare with")
    shipped = wheel_contents(wheel)
    assert [name for name in tracked if shipped.get(f"toolcall_conformance/{name}") != (ROOT / name).read_bytes()] == []
    assert "toolcall_reference/__init__.py" in shipped


def test_wheel_stays_small(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        sizes = [entry.file_size for entry in files.infolist()]
    blocks = sum(-(-size // BLOCK) * BLOCK for size in sizes)
    measured = dict(zip(MAX_SIZES, (wheel.stat().st_size, len(sizes), blocks), strict=True))
    assert {what: size for what, size in measured.items() if size > MAX_SIZES[what]} == {}, measured


def test_corpus_of_the_wheel_is_that_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as files:
        files.extractall(tmp_path, [name for name in files.namelist() if name.startswith(CORPUS)])
    installed, checkout = Corpus(tmp_path / CORPUS), Corpus(default_root())
    assert manifest_of(installed.root) == manifest_of(checkout.root)
    assert list(installed.cases) == list(checkout.cases)
    differing = []
    for case in [*checkout.cases.values()][::25]:
        packed = installed.cases[case.id]
        assert packed.file.is_file()
        assert not packed.path.exists()
        assert packed.formats == case.formats
        for name in case.formats:
            for ours, theirs in zip(case.exchanges(name), packed.exchanges(name), strict=True):
                same = [theirs.request, theirs.response, theirs.error] == [ours.request, ours.response, ours.error]
                for path, read in ((ours.stream_path, theirs.stream), (ours.broken_path, theirs.broken)):
                    same = same and (path is None or path.read_bytes() == read())
                differing += [] if same else [f"{case.id} {name} {ours.number}"]
    assert differing == []
    assert list(read_verdicts(installed.root)) == list(read_verdicts(checkout.root))
    assert VerdictIndex(installed).mutants("translation/call-lost")
