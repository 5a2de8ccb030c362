"""The findings of promptc, and the exceptions that carry them."""

from __future__ import annotations

import json
from typing import NamedTuple, Optional


class Diagnostic(NamedTuple):
    """One thing that promptc found, as `--message-format json` writes it."""

    #: `error`, `warning` or `note`.
    severity: str
    #: Its kind, such as `unknown-fact`: `promptc explain --code CODE` says more.
    code: str
    message: str
    #: The file that it is about, and where in it: line and column from 1. None if it is about no file.
    path: Optional[str]
    line: Optional[int]
    column: Optional[int]
    #: How to fix it.
    help: Optional[str]

    def __str__(self) -> str:
        place = "" if self.path is None else f"\n  at {self.path}:{self.line}:{self.column}"
        return f"{self.severity}[{self.code}]: {self.message}{place}" + (f"\n  help: {self.help}" if self.help else "")


def diagnostics_of(text: str) -> tuple[Diagnostic, ...]:
    """Those of a JSON list."""
    keys = ("severity", "code", "message", "path", "line", "column", "help")
    return tuple(Diagnostic(**{key: found[key] for key in keys}) for found in json.loads(text))


class Error(Exception):
    """Why a call has no result: promptc found what must be changed first.

    The message has all of it. `diagnostics` has one error at least, and `code`, `path`, `line` and `help` are those of the first.
    """

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message, diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def _first(self) -> Optional[Diagnostic]:
        return next((found for found in self.diagnostics if found.severity == "error"), None)

    @property
    def code(self) -> Optional[str]:
        first = self._first
        return first.code if first else None

    @property
    def path(self) -> Optional[str]:
        first = self._first
        return first.path if first else None

    @property
    def line(self) -> Optional[int]:
        first = self._first
        return first.line if first else None

    @property
    def help(self) -> Optional[str]:
        first = self._first
        return first.help if first else None

    @classmethod
    def _of(cls, message: str, found: str) -> Error:
        return cls(message, diagnostics_of(found))


class InternalError(Error):
    """A fault in promptc itself: nothing that is given should lead to it. Please report it."""

    @classmethod
    def _of(cls, message: str, found: str = "[]") -> InternalError:
        return cls(f"this is a fault of promptc, and not of what it was given; please report it: {message}")
