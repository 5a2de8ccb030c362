"""The prompt of each scenario is the one in `prompts` beside this file: `pytest`, and `PROMPTC_UPDATE=1 pytest` to write it."""

from pathlib import Path

import promptc_cli as promptc
import pytest
from promptc_cli.testing import assert_prompt

PROJECT = promptc.Project(Path(__file__).with_name("promptc.kdl"))


@pytest.mark.parametrize("scenario", ["friday"])
def test_prompt(scenario):
    assert_prompt(PROJECT, scenario)
