"""Makes the environment of an adapter: a folder of its own, either complete or absent."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from toolcall_conformance.adapters.catalogue import FOLDER, Adapter
from toolcall_conformance.basics.visible_text import visible

DISTRIBUTION = "toolcall-conformance"
Run = Callable[[Sequence[str], Path], None]


class NotMadeError(Exception):
    """The environment could not be made; the message says why, and what to do."""


def make(adapter: Adapter, directory: Path, run: Run | None = None) -> str:
    """Make ``directory`` and return the command that judges the translator in it.

    Builds it beside ``directory`` and renames it when it is complete. Raises NotMadeError.
    """
    if adapter.cannot:
        raise NotMadeError(f"{adapter.name} cannot be run: {adapter.cannot}")
    directory = directory.absolute()
    if os.path.lexists(directory):
        raise NotMadeError(f"{directory} is there already; name a new one, or take it away first")
    if not directory.parent.is_dir():
        raise NotMadeError(f"{directory.parent} is no directory; make it first")
    try:
        building = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
    except OSError as error:
        raise NotMadeError(f"{directory.parent} cannot be written to ({error.strerror})") from None
    try:
        building.chmod(0o755)  # mkdtemp gives access to its owner only
        _fill(adapter, building, run or _run)
        _name_anew(building, directory)
        building.rename(directory)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise
    return command(adapter, directory)


def command(adapter: Adapter, directory: Path) -> str:
    """Return the command that judges the translator in its environment."""
    spec = adapter.translator.replace("{directory}", str(directory))
    if spec.startswith("exec:"):  # a command line, which the driver splits as a shell does
        spec = adapter.translator.replace("{directory}", shlex.quote(str(directory)))
    pytest = ["pytest"]
    if "extra" in adapter.environment:
        # Not bin/pytest: scripts name the folder in which they were installed.
        pytest = [str(_python(directory)), "-m", "pytest"]
    return shlex.join([*pytest, "--toolcall-translator", spec, "toolcall::"])


def _fill(adapter: Adapter, building: Path, run: Run) -> None:
    environment = adapter.environment
    if "extra" in environment:
        _virtual_environment(building, _ourselves(environment["extra"]), run)
        return
    shutil.copytree(FOLDER / environment["folder"], building, dirs_exist_ok=True)
    if environment.get("npm"):
        npm = shutil.which("npm")
        if npm is None:
            raise NotMadeError(f"{adapter.name} needs npm, which is not on the PATH; install Node.js 20 or later")
        # Installing must not run the packages' scripts.
        run([npm, "install", "--no-audit", "--no-fund", "--ignore-scripts"], building)
    if "requirements" in environment:
        _virtual_environment(building / "venv", environment["requirements"], run)


def _virtual_environment(place: Path, requirements: Sequence[str], run: Run) -> None:
    run([sys.executable, "-m", "venv", str(place)], place.parent)
    run([str(_python(place)), "-m", "pip", "install", *requirements], place.parent)


def _name_anew(building: Path, directory: Path) -> None:
    """Let the scripts of a virtual environment name the folder that it will have: each begins with its Python's path.

    On Windows they are programs, whose path pip puts into them; there only those that are text are changed.
    """
    for place in (building, building / "venv"):
        for path in [place / "pyvenv.cfg", *(place / "bin").glob("*"), *(place / "Scripts").glob("*")]:
            if path.is_symlink() or not path.is_file():
                continue
            content = path.read_bytes()
            if os.fsencode(building) in content and b"\0" not in content:
                path.write_bytes(content.replace(os.fsencode(building), os.fsencode(directory)))


def _python(place: Path) -> Path:
    return place / "Scripts" / "python.exe" if os.name == "nt" else place / "bin" / "python"


def _ourselves(extra: str) -> list[str]:
    """Return pip's arguments that install this package as it is installed here, with ``extra``."""
    distribution = metadata.distribution(DISTRIBUTION)
    # https://packaging.python.org/en/latest/specifications/direct-url/
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    url = origin.get("url", "")
    if not url:
        return [f"{DISTRIBUTION}[{extra}]=={distribution.version}"]
    if "dir_info" in origin:
        folder = f"{url2pathname(urlsplit(url).path)}[{extra}]"
        return ["--editable", folder] if origin["dir_info"].get("editable") else [folder]
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    return [f"{DISTRIBUTION}[{extra}] @ {url}"]


def _run(words: Sequence[str], directory: Path) -> None:
    print(visible(f"+ {shlex.join(words)}"), flush=True)
    try:
        code = subprocess.run(words, cwd=directory, check=False).returncode
    except OSError as error:
        raise NotMadeError(f"{words[0]} cannot be run ({error.strerror})") from None
    if code:
        raise NotMadeError(f"`{shlex.join(words)}` ended with exit code {code}; its output is above")
