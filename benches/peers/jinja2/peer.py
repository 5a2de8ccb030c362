"""jinja2: a template that is compiled once. It has no budget; `fit` in common.py cuts."""

import jinja2
from common import fit, main, read, task

TASK = task()
TEMPLATE = jinja2.Environment(autoescape=False, keep_trailing_newline=True).from_string(
    "{% for file in files %}## {{ file.name }}\n{{ file.text }}\n{% endfor %}"
)


def render():
    files = fit(read(TASK["files"]), TASK["budget"], lambda entry: len(entry["name"]) + 5)
    return TEMPLATE.render(files=files)


main(render)
