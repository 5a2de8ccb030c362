"""Snapshots of prompts for the tests of a project, with pytest or any other runner."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Optional

from . import Path, Project, Prompt
from ._program import program

__all__ = ["assert_prompt"]


def assert_prompt(project: Project, scenario: str, beside: Optional[Path] = None) -> None:
    """Raises an `AssertionError` if a scenario's prompt is not the one in `prompts/SCENARIO.json` next to the test.

    The error says what differs and why. With `PROMPTC_UPDATE=1` in the environment the file is written instead: the artifact of the
    prompt. `beside` is a file in the folder that has `prompts`; without it that is the file of the caller.
    """
    __tracebackhide__ = True  # Pytest shows the caller's line.
    test = sys._getframe(1).f_code.co_filename if beside is None else beside  # pyright: ignore[reportPrivateUsage]
    file = pathlib.Path(test).parent / "prompts" / f"{scenario}.json"
    prompt = project.build(scenario=scenario)
    update = "PROMPTC_UPDATE=1 in the environment of the test writes it"
    if os.environ.get("PROMPTC_UPDATE") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(prompt.to_json().encode())
    elif not file.exists():
        raise AssertionError(f"there is no {file}\nhelp: {update}")
    # Texts alone: another release, or an edit that does not reach the text, is no difference.
    elif Prompt.from_json(file.read_text(encoding="utf-8")).channels != prompt.channels:
        diff = [program(), "diff", os.fspath(file), "-"]
        said = subprocess.run(diff, input=prompt.to_json().encode(), stdout=subprocess.PIPE).stdout.decode()
        raise AssertionError(f"the prompt of `{scenario}` is not that of {file}\n\n{said}\nhelp: if this is meant: {update}")
