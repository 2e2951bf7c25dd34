"""A run on a system that lacks what only POSIX has, played on one that has it: ``platforms_child.py FOLDER``.

Modules of others are imported first, as they are here. Then names go away, and all of ours is imported and used. It
prints what a user would read.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pkgutil
import select
import signal
import sys
from pathlib import Path
from typing import Any

# What ours import of others; they have their own ways on each system.
for name in (
    "aiohttp.web",
    "asyncio",
    "ctypes",
    "hypothesis",
    "jsonschema",
    "pytest",
    "subprocess",
    "tempfile",
    "yaml",
    "_pytest.pytester",
):
    importlib.import_module(name)

MISSING_MODULES = ("fcntl", "resource", "termios", "pwd", "grp", "pty", "syslog", "readline")
MISSING_NAMES: dict[Any, str] = {
    os: "fork forkpty killpg setsid getsid getpgid setpgid waitid P_PID WEXITED WNOHANG WNOWAIT EX_OK geteuid getuid "
    "nice mkfifo set_blocking O_NONBLOCK CLD_EXITED sync",
    signal: "SIGALRM SIGKILL SIGHUP SIGQUIT SIGPIPE SIGUSR1 SIGCHLD SIGXFSZ SIGSTOP setitimer ITIMER_REAL alarm "
    "pthread_sigmask SIG_BLOCK SIG_SETMASK set_wakeup_fd",
    select: "poll epoll",
}


class MissingModules:
    """Refuses to import what is missing."""

    def find_spec(self, name: str, *_: object) -> None:
        if name.partition(".")[0] in MISSING_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def remove_posix() -> None:
    sys.platform = "win32"
    for name in MISSING_MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, MissingModules())
    for module, names in MISSING_NAMES.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)


def import_product() -> None:
    import toolcall_conformance

    for module in pkgutil.walk_packages(toolcall_conformance.__path__, "toolcall_conformance."):
        # Adapters import the libraries that they are about.
        if ".adapters." not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def run_command(*words: str) -> str:
    from toolcall_conformance.cli import main

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(list(words))
    return f"{code}: {' '.join(output.getvalue().split())}"


def main() -> None:
    folder = Path(sys.argv[1])
    remove_posix()
    import_product()
    print("imported")
    print("exec", run_command("smoke", "exec:python adapter.py")[:400])
    print("isolated", run_command("smoke", "--isolated", "toolcall_reference:ReferenceTranslator")[:400])
    print("list", run_command("list", "formats")[:80])
    body = str(folder / "body.json")
    text = '{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}'
    Path(body).write_text(text, encoding="utf-8")
    print("judge", run_command("judge", "--client", "anthropic", "--upstream", "anthropic", body, body)[:80])

    from toolcall_conformance.drivers.python.limits import TimeIsUp, call_within

    assert call_within(5, lambda: 3) == 3
    with contextlib.suppress(TimeIsUp):
        call_within(0.05, lambda: [None for _ in iter(int, 1)])
        print("not limited")
    from toolcall_conformance.basics import atomic_files

    atomic_files.write(folder / "kept.json", "whole")
    print("kept", (folder / "kept.json").read_text(encoding="utf-8"))
    sys.stdout.flush()
    os._exit(0)  # what others do at the end needs what is gone


if __name__ == "__main__":
    main()
