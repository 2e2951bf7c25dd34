"""One test for many things of a kind: it checks every one of them, and names all that fail.

A test for each of a thousand files costs more to collect, in every worker, than the checks in it take. ``every`` takes
the place of ``pytest.mark.parametrize``, and leaves the test as it is, for one thing::

    @every("case, name", GOLDENS, id=lambda case, name: f"{case.id}-{name}", by=lambda case, name: case.family)
    def test_settings(case: Case, name: str) -> None: ...

It is collected once for each family (``by``), or once altogether; things that take long to find can be given as a
function that finds them when the test runs. A run of it goes through all things of the family.
What fails does not hide what follows: the test fails at the end, with the id of each and what its assertion said, or
whatever else it raised. ``-k`` finds a test by the ids of the things in it.

Where things are alike and a check takes long, ``parts=3`` lets a run of all tests go through a third of each family,
another each day (``turns``).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

import pytest

from turns import everything, part_of, today

GROUP = "together"


@dataclass
class Group:
    """The things that one test goes through: the arguments of the test for each, by its id; ``parts`` as above."""

    things: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    parts: int = 1

    def part_of_day(self, day: int) -> Group:
        """What is gone through on a day."""
        return Group({name: self.things[name] for name in part_of([*self.things], self.parts, day)}, self.parts)


def every(
    names: str,
    things: Iterable[Any] | Callable[[], Iterable[Any]],
    *,
    id: Callable[..., str],
    by: Callable[..., str] | None = None,
    parts: int = 1,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a test for one thing check many.

    names: the parameters of the test that say which thing it is, with commas between; a thing is one value, or a tuple
    of as many values as there are names. ``id`` and ``by`` get these values. An id is there once. Other parameters of
    the test are fixtures, which all things of a group share. A function that finds the things has no ``by``. Of each
    group one of so many ``parts`` is gone through, another each day.

    Without any thing it raises ValueError, for such a test could not fail.
    """
    words = [word.strip() for word in names.split(",")]
    if callable(things):
        if by is not None:
            raise ValueError("what is found in the run makes no groups: leave `by` out")
        find = things
        groups: dict[str, Group | Callable[[], Group]] = {"all": lambda: _group_cases(words, find(), id, None)["all"]}
    else:
        grouped = _group_cases(words, things, id, by)
        for group in grouped.values():
            group.parts = parts
        groups = dict(grouped)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def all_of(**arguments: Any) -> None:
            group = arguments.pop(GROUP)
            group = group if isinstance(group, Group) else group()
            check_all(
                group if everything() else group.part_of_day(today()),
                lambda values: test(**dict(zip(words, values, strict=True)), **arguments),
            )

        parameters = inspect.signature(test).parameters
        fixtures = [parameter for name, parameter in parameters.items() if name not in words]
        own = inspect.Parameter(GROUP, inspect.Parameter.KEYWORD_ONLY)
        all_of.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [own, *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in fixtures)]
        )
        marked: Callable[..., None] = pytest.mark.parametrize(GROUP, list(groups.values()), ids=list(groups))(all_of)
        return marked

    return decorate


def _group_cases(
    words: Sequence[str], things: Iterable[Any], id: Callable[..., str], by: Callable[..., str] | None
) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    names: set[str] = set()
    for thing in things:
        values = (thing,) if len(words) == 1 else tuple(thing)
        name = id(*values)
        if name in names:
            raise ValueError(f"two things have the id {name}")
        names.add(name)
        groups.setdefault(by(*values) if by else "all", Group()).things[name] = values
    if not groups:
        raise ValueError("there is nothing to check")
    return groups


def check_all(group: Group, check: Callable[[tuple[Any, ...]], None]) -> None:
    """Check each thing of a group, and fail with all that failed.

    One thing cannot be skipped, or be expected to fail: among others nobody would see it. Where all are skipped, as
    without an SDK that they need, the test is.
    """
    failed: dict[str, str] = {}
    skipped: list[BaseException] = []
    for name, values in group.things.items():
        try:
            check(values)
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:
            failed[name] = _error_text(error)
            skipped += [error] if isinstance(error, pytest.skip.Exception) else []
    if len(skipped) == len(group.things):
        raise skipped[0]
    if failed:
        lines = [f"{len(failed)} of {len(group.things)} fail: {', '.join(failed)}"]
        lines += [f"____ {name} ____\n{message}" for name, message in failed.items()]
        pytest.fail("\n".join(lines), pytrace=False)


def _error_text(error: BaseException) -> str:
    """What pytest would say of it, without our own lines: this loop, and the call of the test."""
    trace = error.__traceback__
    for _ in range(2):
        trace = trace.tb_next if trace and trace.tb_next else trace
    return str(pytest.ExceptionInfo.from_exception(error.with_traceback(trace)).getrepr(style="short"))


def pytest_itemcollected(item: pytest.Item) -> None:
    group = getattr(item, "callspec", None) and item.callspec.params.get(GROUP)  # type: ignore[attr-defined]
    if isinstance(group, Group):
        item.extra_keyword_matches.update(group.things)
