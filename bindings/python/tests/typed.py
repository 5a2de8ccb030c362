"""The types of the package for type checkers; nothing here runs."""

import datetime
from dataclasses import dataclass
from typing import Optional, Union

import promptc_cli as promptc
from promptc_cli.testing import assert_prompt


@dataclass
class Given:
    user: str
    day: datetime.date


def texts(project: promptc.Project, given: Given) -> list[str]:
    prompt: promptc.Prompt = project.build(given, now=datetime.datetime.now(datetime.timezone.utc))
    layers: list[str] = [layer.text for layer in prompt.layers if layer.channel == "system"]
    channels: dict[str, str] = prompt.channels
    return layers + list(channels.values())


def first(project: promptc.Project) -> Optional[str]:
    made: Union[promptc.Prompt, promptc.Error]
    for made in project.batch([{"user": "Ann"}, {"user": "Bo"}]):
        if isinstance(made, promptc.Error):
            return made.code
        return made.text
    return None


def found(error: promptc.Error) -> list[tuple[str, str, Optional[int]]]:
    return [(one.code, one.message, one.line) for one in error.diagnostics]


def tested(project: promptc.Project) -> None:
    assert_prompt(project, "friday")
    assert_prompt(project, "friday", beside=__file__)
