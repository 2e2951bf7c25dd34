"""Builds the distributions.

Each case of the corpus and all verdicts go into the wheel as one zip file (library/packs.py). The readme
in the metadata has absolute links: an index shows it far from the files beside it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SUFFIX = ".folder.zip"


class PackingHook(BuildHookInterface[Any]):
    """Writes the packs into a temporary folder, from which they go into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # reads the corpus of the checkout
            return
        self._made = tempfile.mkdtemp()
        corpus = Path(self.root) / "corpus"
        for number, (folder, compression) in enumerate(_folders(corpus)):
            pack = Path(self._made) / str(number)
            _write(pack, folder, compression)
            place = folder.relative_to(corpus).as_posix()
            build_data["force_include"][str(pack)] = f"toolcall_conformance/corpus/{place}{SUFFIX}"

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        if version != "editable":
            shutil.rmtree(self._made)


def _folders(corpus: Path) -> Iterator[tuple[Path, int]]:
    """What becomes a pack. The bodies of a case say the same, so the wheel compresses them best as a whole."""
    yield from ((path, zipfile.ZIP_STORED) for path in sorted(corpus.glob("scenarios/*/*")) if path.is_dir())
    yield corpus / "verdicts", zipfile.ZIP_DEFLATED


def _write(pack: Path, folder: Path, compression: int) -> None:
    """Write the files of a folder: the same bytes for the same files, so that a build can be repeated."""
    with zipfile.ZipFile(pack, "w") as made:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix())  # of 1980
            entry.compress_type = compression
            made.writestr(entry, path.read_bytes(), compresslevel=9)


class AddressHook(MetadataHookInterface):
    """Gives the metadata the readme and the addresses, made of ``repository`` in the hook's table and the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        repository = str(self.config["repository"])
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, repository, str(metadata["version"]))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {
            "Repository": repository,
            "Documentation": f"{repository}/tree/main/docs",
            "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }


def with_absolute_links(text: str, repository: str, version: str) -> str:
    """A page in Markdown whose links to files lead to those of the version's tag; links within the page stay."""
    place = f"{repository}/blob/v{version}/"
    return re.sub(r"(\]\()(?![a-z]+:|#)([^)\s]+\))", rf"\g<1>{place}\g<2>", text)
