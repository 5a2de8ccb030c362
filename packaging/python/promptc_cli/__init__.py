"""The program promptc, for an interpreter in which the extension does not run: `program()` is its path.

`Project` and all else that works in this process needs CPython 3.9 or later with a global interpreter lock.
"""

from __future__ import annotations

import sys
import sysconfig
from typing import Any

from ._program import program

__all__ = ["program"]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    kind = " without a global interpreter lock" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    raise ImportError(
        f"promptc_cli.{name} needs CPython 3.9 or later with a global interpreter lock, and this is {sys.implementation.name}"
        f"{kind}. Here the package has the program alone: run promptc_cli.program(), `promptc` or `python -m promptc_cli`"
    )
