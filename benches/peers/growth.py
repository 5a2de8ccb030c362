"""The yardstick of the growth curves: the same work as promptc's manifest next to it, by a short script with jinja2.

growth.py sizes|layers|skills, in the folder of the files
"""

import glob
import os
import sys

import jinja2


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def skill(path):
    """Name and description from the front matter; only plain `key: value` lines are understood."""
    head = read(path).split("---\n", 2)[1]
    return dict(line.split(": ", 1) for line in head.splitlines())


def found(kind):
    if kind == "skills":
        folders = sorted(entry.name for entry in os.scandir("skills"))
        return {"skills": [skill(f"skills/{name}/SKILL.md") for name in folders]}
    texts = {name: read(name) for name in sorted(glob.glob("*.md"))}
    return {"text": texts, "files": list(texts.items())}


template = jinja2.Environment(autoescape=False).from_string(read("template.j2"))
sys.stdout.write(template.render(**found(sys.argv[1])))
