"""prompt-poet: a template of YAML and Jinja with a part for each line; blocks of the highest truncation_priority go first.

It counts with a function that is given to it: a token for each character. The step is 1, so that no more is cut than must be.
"""

import os

from common import main, read, task
from prompt_poet import Prompt
from prompt_poet.template_loaders import LocalFSTemplateLoader

TASK = task()
LOADER = LocalFSTemplateLoader(os.path.join(os.path.dirname(os.path.abspath(__file__)), "task.yml.j2"))


def parts(entry):
    # A bigger number goes first, and one of 0 never.
    priority = 0 if entry["priority"] is None else 100 - entry["priority"]
    lines = [f"## {entry['name']}\n", *entry["text"].splitlines(keepends=True), "\n"]
    return [{"name": entry["name"], "text": line, "priority": priority} for line in lines]


def render():
    lines = [part for entry in read(TASK["files"]) for part in parts(entry)]
    prompt = Prompt(
        template_data={"lines": lines},
        template_loader=LOADER,
        from_cache=True,
        encode_func=lambda text: [ord(character) for character in text],
    )
    prompt.tokenize()
    prompt.truncate(token_limit=TASK["budget"], truncation_step=1)
    return prompt.string


main(render)
