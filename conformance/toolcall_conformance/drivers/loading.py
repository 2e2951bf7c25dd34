"""Loads the driver that ``--toolcall-translator`` names, or says why that fails."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from toolcall_conformance.drivers.base import Driver
from toolcall_conformance.drivers.child.driver import PREFIX as EXEC_PREFIX
from toolcall_conformance.drivers.child.driver import ExecDriver
from toolcall_conformance.drivers.child.platforms import verify_pipes
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.gateway.driver import GatewayDriver
from toolcall_conformance.drivers.gateway.loopback import exempt_loopback
from toolcall_conformance.drivers.isolated.driver import DEFAULT_MEMORY, IsolatedDriver
from toolcall_conformance.drivers.library.fused import Transports
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.python.foreign import (
    PASSED_EXCEPTIONS,
    attribute_text,
    has_method,
    is_a,
    public_names,
    text_of,
    type_name,
)
from toolcall_conformance.drivers.python.limits import TimeIsUp, call_within
from toolcall_conformance.drivers.python.tracebacks import raised_at

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Isolation:
    """How a Python translator is isolated: ``memory`` is its address space in megabytes; None is without a limit."""

    memory: float | None = DEFAULT_MEMORY


# Specs of translators that live in a process of their own anyway.
OTHER_PROCESSES = (EXEC_PREFIX, GatewayDriver.prefix)

# Large libraries take ten seconds to import on a busy machine.
LOAD_SECONDS = 30.0
# For adapters that we ship: the largest library takes 24 s, with a warm disk.
SHIPPED_SECONDS = 180.0
_SHIPPED_PREFIX = "toolcall_conformance.adapters."

# The number of classes in a hint.
_MAX_LISTED = 5

_CONTRACT = (
    "A translator has a method open(route), which returns a session with request(body), response(body), "
    "error(status, body) or some of them, and raises an exception named Unsupported for a route that it does not do"
)


def load_driver(
    spec: str,
    *,
    directory: Path,
    timeout: float = 10.0,
    transports: Transports = dict,
    notify: Callable[[str], None] = lambda _sentence: None,
    isolation: Isolation | None = None,
) -> Driver:
    """Load the driver for ``spec``: ``package.module:attribute``, ``exec:COMMAND`` or ``gateway:FILE.toml``.

    Puts ``directory`` on ``sys.path``, as ``python -m pytest`` does. The attribute is a translator, or a class or
    factory that returns one when called without arguments. ``notify`` gets a sentence on what takes long. With
    ``isolation`` a Python translator lives in a child process, as the others do anyway. Raises SpecError.
    """
    if spec.startswith(EXEC_PREFIX):
        verify_pipes(spec)
        return ExecDriver(spec, directory=directory, timeout=timeout)
    if spec.startswith(GatewayDriver.prefix):
        path = directory / spec.removeprefix(GatewayDriver.prefix)
        return GatewayDriver(spec, path, transports(), timeout=timeout, notify=notify)
    module_name, colon, attribute = spec.partition(":")
    parts = [*module_name.split("."), *attribute.split(".")]
    if not colon or not all(part.isidentifier() for part in parts) or module_name.endswith(".py"):
        raise SpecError(f"{spec!r} names no Python object; write package.module:attribute{_slash_hint(spec)}")
    exempt_loopback()  # before the import: some clients read the environment when they are made
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))
    limit = max(timeout, SHIPPED_SECONDS if spec.startswith(_SHIPPED_PREFIX) else LOAD_SECONDS)
    if isolation is not None:
        verify_pipes(spec)
        return IsolatedDriver(
            spec,
            directory=directory,
            timeout=timeout,
            load_seconds=limit,
            memory=isolation.memory,
            transports=transports,
        )
    translator, name, version = _call_limited(
        limit, spec, lambda: _import_translator(module_name, attribute, spec, directory)
    )
    return PythonDriver(translator, spec, name=name, version=version, timeout=timeout, transports=transports)


def adopt_translator(target: Any, name: str, *, timeout: float, transports: Transports) -> PythonDriver:
    """Make the driver of a translator object, or of a class or factory that makes one. Raises SpecError."""
    translator = _call_limited(max(timeout, LOAD_SECONDS), name, lambda: _make_translator(target, name))
    return PythonDriver(translator, name, timeout=timeout, transports=transports)


def spec_of(target: Any, name: str) -> str:
    """The spec by which another process can import a class or a factory. Raises SpecError."""
    module, path = attribute_text(target, "__module__"), attribute_text(target, "__qualname__")
    member = sys.modules.get(module)
    for part in path.split("."):
        member = getattr(member, part, None)
    if not path or member is not target:
        raise SpecError(
            f"{name}: an isolated translator is made in another process, which cannot find this one; write "
            'translator = "package.module:attribute", or give a class or function at the top of a module'
        )
    return f"{module}:{path}"


def _call_limited(limit: float, spec: str, work: Callable[[], T]) -> T:
    """Import or make a translator within ``limit`` seconds. Raises SpecError."""
    try:
        return call_within(limit, work)
    except TimeIsUp:
        raise SpecError(
            f"{spec!r}: importing and making it took more than {limit:g} s; leave what takes long to `open`, or raise "
            "the time limit"
        ) from None


def _import_translator(
    module_name: str, attribute: str, spec: str, directory: Path
) -> tuple[Any, str | None, str | None]:
    """Import and make the translator; returns it, its name, and its version."""
    translator = _make_translator(_find_attribute(_import_module(module_name, spec, directory), attribute, spec), spec)
    return translator, attribute_text(translator, "name") or None, attribute_text(translator, "version") or None


def _slash_hint(spec: str) -> str:
    path, _, attribute = spec.partition(":")
    if "/" in path or path.endswith(".py"):
        dotted = path.removesuffix(".py").strip("./").replace("/", ".")
        return f" ({dotted}:{attribute or 'Translator'} perhaps)"
    return ""


def _import_module(name: str, spec: str, directory: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise SpecError(_missing_module_text(error.name, spec, directory)) from None
        raise SpecError(_failed_import_text(name, spec, error)) from None
    except PASSED_EXCEPTIONS:
        raise
    except BaseException as error:  # SystemExit, and what pytest raises to skip a module
        raise SpecError(_failed_import_text(name, spec, error)) from None


def _missing_module_text(missing: str, spec: str, directory: Path) -> str:
    parent, _, last = missing.rpartition(".")
    if parent:
        package = sys.modules[parent]
        if not hasattr(package, "__path__"):
            return f"{spec!r}: {parent} is a module and no package, so there is no {missing}"
        siblings = [entry.name for entry in pkgutil.iter_modules(package.__path__)]
        place = f"in the package {parent}"
    else:
        siblings = [entry.name for entry in pkgutil.iter_modules([str(directory)])]
        place = f"in {directory} (which is on sys.path) nor among the installed packages"
    advice = _suggestion(last, siblings) or "; install it, or start the command in the directory that holds it"
    return f"{spec!r}: there is no module {missing!r} {place}{advice}"


def _failed_import_text(name: str, spec: str, error: BaseException) -> str:
    where = f" at {error.filename}:{error.lineno}" if isinstance(error, SyntaxError) else ""
    frame = raised_at(error)
    where = where or (f" at {frame}" if frame else "")
    reason = error.msg if isinstance(error, SyntaxError) else text_of(error)
    return (
        f"{spec!r}: importing {name} failed with {type_name(error)}: {reason}{where}; make `import {name}` work first"
    )


def _find_attribute(module: ModuleType, attribute: str, spec: str) -> Any:
    target: Any = module
    for part in attribute.split("."):
        try:
            target = getattr(target, part)
        except PASSED_EXCEPTIONS:
            raise
        except BaseException as error:
            if not is_a(error, AttributeError):
                raise SpecError(f"{spec!r}: reading {part!r} raised {_raised_text(error)}; repair that first") from None
            names = public_names(target)
            advice = _suggestion(part, names) or (_class_hint(module) if target is module else "")
            holder = module.__name__ if target is module else attribute_text(target, "__name__") or _kind(target)
            where = f" ({module.__file__})" if target is module and getattr(module, "__file__", None) else ""
            raise SpecError(f"{spec!r}: {holder}{where} has no attribute {part!r}{advice}") from None
    return target


def _make_translator(target: Any, spec: str) -> Any:
    """Return ``target`` if it is a translator, else the translator that it makes."""
    if not is_a(target, type) and has_method(target, "open"):
        return target
    if is_a(target, ModuleType) or not callable(target):
        raise SpecError(f"{spec!r} is {_kind(target)} without a method `open`. {_CONTRACT}")
    try:
        translator = target()
    except PASSED_EXCEPTIONS:
        raise
    except BaseException as error:  # SystemExit, and what pytest raises to skip a module
        raise SpecError(
            f"{spec!r}: calling it without arguments raised {_raised_text(error)}; "
            "name an instance, or a factory that needs no arguments"
        ) from None
    if not has_method(translator, "open"):
        if inspect.iscoroutine(translator):
            translator.close()
            raise SpecError(f"{spec!r} is an async factory; name a plain function (open itself may be async)")
        subject = "the class" if is_a(target, type) else f"what it returned, {_kind(translator)},"
        advice = _suggestion("open", public_names(translator)) or "."
        raise SpecError(f"{spec!r}: {subject} has no method `open`{advice} {_CONTRACT}")
    return translator


def _kind(value: Any) -> str:
    if is_a(value, ModuleType):
        return "a module"
    return f"an object of type {type_name(value)}"


def _suggestion(wrong: str, names: list[str]) -> str:
    close = difflib.get_close_matches(wrong, names, n=3, cutoff=0.6)
    if not close:
        close = [name for name in names if name.lower() == wrong.lower()]
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _class_hint(module: ModuleType) -> str:
    """A hint at the classes of a module; only at those with a method ``open``, if there are any."""
    classes = [name for name, value in vars(module).items() if is_a(value, type) and not name.startswith("_")]
    defined_names = [
        name for name in classes if attribute_text(vars(module)[name], "__module__") == module.__name__
    ] or classes
    fitting = [name for name in defined_names if has_method(vars(module)[name], "open")] or defined_names
    if not fitting:
        return ""
    more = f" or {len(fitting) - _MAX_LISTED} more" if len(fitting) > _MAX_LISTED else ""
    return f"; did you mean its class {' or '.join(map(repr, fitting[:_MAX_LISTED]))}{more}?"


def _raised_text(error: BaseException) -> str:
    frame = raised_at(error)
    return f"{type_name(error)}: {text_of(error)}" + (f" at {frame}" if frame else "")
