"""Installs the clients in the versions that `package-lock.json` names, and `llm-comply` next to them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from clients.comply import VERSION

HERE = Path(__file__).resolve().parent
COMPLY = "llm-comply"


def install(folder: Path) -> None:
    """Install all into ``folder``. Raises CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    place = folder / COMPLY
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    subprocess.run([str(place / "bin/pip"), "install", "-q", f"{COMPLY}=={VERSION}"], check=True)


def versions() -> dict[str, str]:
    """The versions by the names of the packages."""
    locked = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    return {**locked, COMPLY: VERSION}
