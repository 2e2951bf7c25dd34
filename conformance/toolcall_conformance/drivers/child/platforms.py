"""What a driver needs of the operating system, and the sentence for one that lacks it."""

from __future__ import annotations

import os
import select
import sys

from toolcall_conformance.drivers.errors import SpecError

_NAMES = {"win32": "Windows", "darwin": "macOS", "emscripten": "a browser", "wasi": "WASI"}


def verify_pipes(spec: str) -> None:
    """Verify that pipes can be read within a time limit. Raises SpecError.

    That needs ``select.poll``, which Windows has for sockets only.
    """
    if hasattr(select, "poll") and hasattr(os, "set_blocking"):
        return
    system = _NAMES.get(sys.platform, sys.platform)
    raise SpecError(
        f"{spec!r}: exec: and isolated translators are asked over pipes, which {system} cannot wait for; use Linux, "
        "macOS or WSL, or name a Python translator (package.module:attribute, not isolated) or an HTTP gateway "
        "(gateway:FILE.toml)"
    )
