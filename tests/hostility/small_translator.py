"""A translator between the formats of the corpus in miniature; ``hostile_translator`` says what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Small:
    """Good but for one deed."""

    def __init__(self) -> None:
        from hostility import hostile_translator as hostile

        if hostile.WHERE == "constructor":
            hostile.hostile_value()

    def open(self, route: Any) -> Any:
        from hostility import hostile_translator as hostile

        class Session:
            pass

        def good(to: str) -> Callable[[Any], Any]:
            return lambda body: {"format": to, "text": body["text"]}

        session = Session()
        for name, to in (("request", route.upstream), ("response", route.client)):
            setattr(session, name, hostile.method(name, good(to)))
        if hostile.WHERE in ("losses", "made_up", "history"):
            setattr(session, hostile.WHERE, hostile.hostile_value())
        return hostile.hostile_value() if hostile.WHERE == "open" and hostile.is_attack() else session
