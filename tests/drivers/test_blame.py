"""Which line of a traceback is the translator's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from toolcall_conformance import adapters
from toolcall_conformance.drivers.python.blame import blamed_line
from toolcall_conformance.drivers.python.tracebacks import reorder_dump

ADAPTERS = Path(adapters.__file__).parent
SITE = "/env/lib/python3.11/site-packages"
STANDARD = str(json.__file__)


def python(*frames: tuple[str, int] | tuple[str, int, str]) -> str:
    lines = ["Traceback (most recent call last):"]
    for file, number, *source in frames:
        lines += [f'  File "{file}", line {number}, in f', f"    {source[0] if source else 'call()'}", "    ^^^^^^"]
    return "\n".join([*lines, "SomeError: x"])


CAUSE = "\n\nThe above exception was the direct cause of the following exception:\n\n"
LITELLM = (str(ADAPTERS / "litellm_sdk.py"), 66)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (python(("/me/mine.py", 3), ("/me/deep.py", 9)), ("/me/deep.py", 9)),
        (python(("/me/mine.py", 3), (f"{SITE}/pydantic/main.py", 250)), ("/me/mine.py", 3)),
        (python(("/me/mine.py", 3), (STANDARD, 346)), ("/me/mine.py", 3)),
        (
            python(LITELLM, (f"{SITE}/litellm/main.py", 5), (f"{SITE}/httpx/_client.py", 7)),
            (f"{SITE}/litellm/main.py", 5),
        ),
        (python(LITELLM, (f"{SITE}/pydantic/main.py", 250)), None),
        (python(LITELLM), None),
        (python((f"{SITE}/mine/adapter.py", 3), (f"{SITE}/pydantic/main.py", 2)), (f"{SITE}/mine/adapter.py", 3)),
        (
            python(LITELLM, (f"{SITE}/litellm/a.py", 5), (f"{SITE}/litellm/_vendor/validate.py", 7)),
            (f"{SITE}/litellm/a.py", 5),
        ),
        ("no frame at all", None),
        ("", None),
    ],
)
def test_it_is_the_innermost_of_the_translator_s_own_package(words: str, place: tuple[str, int] | None) -> None:
    assert blamed_line(words) == place


def test_an_exception_that_was_raised_for_another_is_blamed_where_that_came_from() -> None:
    cause = python((f"{SITE}/litellm/schema.py", 66))
    outer = python(LITELLM, (f"{SITE}/litellm/main.py", 740, "raise exception_type("))
    assert blamed_line(cause + CAUSE + outer) == (f"{SITE}/litellm/schema.py", 66)
    # The handler of an error that was dealt with fails by itself.
    failing = python(LITELLM, (f"{SITE}/litellm/main.py", 741, "kinds[name]"))
    assert blamed_line(cause + CAUSE + failing) == (f"{SITE}/litellm/main.py", 741)


def test_a_package_that_shares_its_folder_is_known_by_two_names(tmp_path: Path) -> None:
    site = tmp_path / "site-packages"
    for name in ("genai", "auth"):
        (site / "google" / name).mkdir(parents=True)
        (site / "google" / name / "__init__.py").touch()
    adapter = str(ADAPTERS / "langchain_messages.py")
    genai, auth = str(site / "google/genai/models.py"), str(site / "google/auth/x.py")
    assert blamed_line(python((adapter, 66), (genai, 3), (auth, 4))) == (genai, 3)


def test_a_copy_of_an_adapter_that_we_ship_is_not_blamed(tmp_path: Path) -> None:
    copy = shutil.copy(ADAPTERS / "llm_bridge/adapter.mjs", tmp_path)
    modules = f"{tmp_path}/node_modules"
    frames = [f"{modules}/zod/index.js:8:2", f"{modules}/llm-bridge/dist/index.js:12:7", f"{copy}:24:20"]
    words = "\n".join(["ZodError: x", *(f"    at parse (file://{frame})" for frame in frames)])
    assert blamed_line(words) == (f"{modules}/llm-bridge/dist/index.js", 12)
    Path(copy).write_text("import { z } from 'zod';\n", encoding="utf-8")  # another's adapter is the other's own code
    assert blamed_line(words.replace(str(copy), f"{tmp_path}/own.mjs")) == (f"{tmp_path}/own.mjs", 24)


def test_a_process_that_died_is_written_upside_down() -> None:
    """Python's faulthandler begins with the innermost frame, and shows no source."""
    words = (
        "Fatal Python error: Segmentation fault\n\nCurrent thread 0x01 (most recent call first):\n"
        '  File "/tmp/x/deadly.py", line 30 in request\n  File "/tmp/x/adapter.py", line 20 in request\n'
    )
    assert blamed_line(reorder_dump(words)) == ("/tmp/x/deadly.py", 30)
