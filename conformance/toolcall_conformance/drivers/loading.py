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
from toolcall_conformance.drivers.child.driver import PREFIX as EXEC
from toolcall_conformance.drivers.child.driver import ExecDriver
from toolcall_conformance.drivers.child.platforms import verify_pipes
from toolcall_conformance.drivers.errors import SpecError
from toolcall_conformance.drivers.gateway.driver import GatewayDriver
from toolcall_conformance.drivers.gateway.loopback import reach_loopback
from toolcall_conformance.drivers.isolated.driver import MEMORY, IsolatedDriver
from toolcall_conformance.drivers.library.fused import Transports
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.python.foreign import PASSING, has_method, is_a, names_in, text_at, text_of, type_name
from toolcall_conformance.drivers.python.limits import TimeIsUp, call_within
from toolcall_conformance.drivers.python.tracebacks import last_frame

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Isolation:
    """How a Python translator is isolated: with how many megabytes of address space; None is without a limit."""

    megabytes: float | None = MEMORY


# Specs of translators that live in a process of their own anyway.
OTHER_PROCESSES = (EXEC, GatewayDriver.prefix)

# Large libraries take ten seconds to import on a busy machine.
LOAD_SECONDS = 30.0
# We know how large the libraries of the adapters are that we ship: the largest takes 24 s, with a warm disk.
SHIPPED_SECONDS = 180.0
_SHIPPED = "toolcall_conformance.adapters."

# So many classes are listed.
_MOST = 5

_CONTRACT = (
    "A translator has a method open(route), which returns a session with request(body), response(body), "
    "error(status, body) or some of them, and raises an exception named Unsupported for a route that it does not do"
)


def load_driver(
    spec: str,
    *,
    directory: Path,
    seconds: float = 10.0,
    transports: Transports = dict,
    say: Callable[[str], None] = lambda _sentence: None,
    isolation: Isolation | None = None,
) -> Driver:
    """Load the driver for ``spec``: ``package.module:attribute``, ``exec:COMMAND`` or ``gateway:FILE.toml``.

    Puts ``directory`` on ``sys.path``, as ``python -m pytest`` does. The attribute is a translator, or a class or
    factory that returns one when called without arguments. ``say`` is told what takes long. With ``isolation`` a Python
    translator lives in a child process, as the others do anyway. Raises SpecError.
    """
    if spec.startswith(EXEC):
        verify_pipes(spec)
        return ExecDriver(spec, directory=directory, seconds=seconds)
    if spec.startswith(GatewayDriver.prefix):
        path = directory / spec.removeprefix(GatewayDriver.prefix)
        return GatewayDriver(spec, path, transports(), seconds=seconds, say=say)
    module_name, colon, attribute = spec.partition(":")
    parts = [*module_name.split("."), *attribute.split(".")]
    if not colon or not all(part.isidentifier() for part in parts) or module_name.endswith(".py"):
        raise SpecError(f"{spec!r} names no Python object; write package.module:attribute{_slash_hint(spec)}")
    reach_loopback()  # before the import: some clients read the environment when they are made
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))
    limit = max(seconds, SHIPPED_SECONDS if spec.startswith(_SHIPPED) else LOAD_SECONDS)
    if isolation is not None:
        verify_pipes(spec)
        return IsolatedDriver(
            spec,
            directory=directory,
            seconds=seconds,
            load_seconds=limit,
            memory=isolation.megabytes,
            transports=transports,
        )
    translator, name, version = _limited(limit, spec, lambda: _loaded(module_name, attribute, spec, directory))
    return PythonDriver(translator, spec, name=name, version=version, seconds=seconds, transports=transports)


def adopt(target: Any, name: str, *, seconds: float, transports: Transports) -> PythonDriver:
    """The driver for a translator, or a class or factory that makes one. Raises SpecError."""
    translator = _limited(max(seconds, LOAD_SECONDS), name, lambda: _translator(target, name))
    return PythonDriver(translator, name, seconds=seconds, transports=transports)


def importable(target: Any, name: str) -> str:
    """The spec by which another process finds a class or a factory. Raises SpecError."""
    module, path = text_at(target, "__module__"), text_at(target, "__qualname__")
    member = sys.modules.get(module)
    for part in path.split("."):
        member = getattr(member, part, None)
    if not path or member is not target:
        raise SpecError(
            f"{name}: an isolated translator is made in another process, which cannot find this one; write "
            'translator = "package.module:attribute", or give a class or function at the top of a module'
        )
    return f"{module}:{path}"


def _limited(limit: float, spec: str, work: Callable[[], T]) -> T:
    """Import or make a translator within ``limit`` seconds. Raises SpecError."""
    try:
        return call_within(limit, work)
    except TimeIsUp:
        raise SpecError(
            f"{spec!r}: importing and making it took more than {limit:g} s; leave what takes long to `open`, or raise "
            "the time limit"
        ) from None


def _loaded(module_name: str, attribute: str, spec: str, directory: Path) -> tuple[Any, str | None, str | None]:
    """The translator, its name, and its version."""
    translator = _translator(_attribute(_module(module_name, spec, directory), attribute, spec), spec)
    return translator, text_at(translator, "name") or None, text_at(translator, "version") or None


def _slash_hint(spec: str) -> str:
    path, _, attribute = spec.partition(":")
    if "/" in path or path.endswith(".py"):
        dotted = path.removesuffix(".py").strip("./").replace("/", ".")
        return f" ({dotted}:{attribute or 'Translator'} perhaps)"
    return ""


def _module(name: str, spec: str, directory: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise SpecError(_not_found(error.name, spec, directory)) from None
        raise SpecError(_broken(name, spec, error)) from None
    except PASSING:
        raise
    except BaseException as error:  # SystemExit, and what pytest raises to skip a module
        raise SpecError(_broken(name, spec, error)) from None


def _not_found(missing: str, spec: str, directory: Path) -> str:
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
    advice = _perhaps(last, siblings) or "; install it, or start the command in the directory that holds it"
    return f"{spec!r}: there is no module {missing!r} {place}{advice}"


def _broken(name: str, spec: str, error: BaseException) -> str:
    where = f" at {error.filename}:{error.lineno}" if isinstance(error, SyntaxError) else ""
    frame = last_frame(error)
    where = where or (f" at {frame}" if frame else "")
    reason = error.msg if isinstance(error, SyntaxError) else text_of(error)
    return (
        f"{spec!r}: importing {name} failed with {type_name(error)}: {reason}{where}; make `import {name}` work first"
    )


def _attribute(module: ModuleType, attribute: str, spec: str) -> Any:
    target: Any = module
    for part in attribute.split("."):
        try:
            target = getattr(target, part)
        except PASSING:
            raise
        except BaseException as error:
            if not is_a(error, AttributeError):
                raise SpecError(f"{spec!r}: reading {part!r} raised {_raised(error)}; repair that first") from None
            names = names_in(target)
            advice = _perhaps(part, names) or (_classes(module) if target is module else "")
            holder = module.__name__ if target is module else text_at(target, "__name__") or _kind(target)
            where = f" ({module.__file__})" if target is module and getattr(module, "__file__", None) else ""
            raise SpecError(f"{spec!r}: {holder}{where} has no attribute {part!r}{advice}") from None
    return target


def _translator(target: Any, spec: str) -> Any:
    """Return ``target`` if it is a translator, else the translator that it makes."""
    if not is_a(target, type) and has_method(target, "open"):
        return target
    if is_a(target, ModuleType) or not callable(target):
        raise SpecError(f"{spec!r} is {_kind(target)} without a method `open`. {_CONTRACT}")
    try:
        translator = target()
    except PASSING:
        raise
    except BaseException as error:  # SystemExit, and what pytest raises to skip a module
        raise SpecError(
            f"{spec!r}: calling it without arguments raised {_raised(error)}; "
            "name an instance, or a factory that needs no arguments"
        ) from None
    if not has_method(translator, "open"):
        if inspect.iscoroutine(translator):
            translator.close()
            raise SpecError(f"{spec!r} is an async factory; name a plain function (open itself may be async)")
        subject = "the class" if is_a(target, type) else f"what it returned, {_kind(translator)},"
        advice = _perhaps("open", names_in(translator)) or "."
        raise SpecError(f"{spec!r}: {subject} has no method `open`{advice} {_CONTRACT}")
    return translator


def _kind(value: Any) -> str:
    if is_a(value, ModuleType):
        return "a module"
    return f"an object of type {type_name(value)}"


def _perhaps(wrong: str, names: list[str]) -> str:
    close = difflib.get_close_matches(wrong, names, n=3, cutoff=0.6)
    if not close:
        close = [name for name in names if name.lower() == wrong.lower()]
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""


def _classes(module: ModuleType) -> str:
    """The classes of a module, of which one is perhaps meant; those with a method ``open`` alone, if there are any."""
    classes = [name for name, value in vars(module).items() if is_a(value, type) and not name.startswith("_")]
    own = [name for name in classes if text_at(vars(module)[name], "__module__") == module.__name__] or classes
    fitting = [name for name in own if has_method(vars(module)[name], "open")] or own
    if not fitting:
        return ""
    more = f" or {len(fitting) - _MOST} more" if len(fitting) > _MOST else ""
    return f"; did you mean its class {' or '.join(map(repr, fitting[:_MOST]))}{more}?"


def _raised(error: BaseException) -> str:
    frame = last_frame(error)
    return f"{type_name(error)}: {text_of(error)}" + (f" at {frame}" if frame else "")
