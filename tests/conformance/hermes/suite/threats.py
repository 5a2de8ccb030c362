"""The threat scan: what each scope finds in a text, and what becomes of the text as a file."""

import json
import os

from . import promptc
from .overlay import write_file
from .report import Result

SCOPES = ("all", "context", "strict")
MANIFEST = """promptc 1
include "rules.kdl"
root texts
tier rows {
    trim #false
    newlines #false
    layer rows {
        glob "*/F.md" root=texts {
            bom #%s
            scan hermes scope=%s on-hit=replace { placeholder %s }
        }
        template "{%% for d in documents %%}{{ [d.dir, d.replaced, d.text] | json }}\\n{%% endfor %%}"
    }
}
"""
IDS = '''"{{ findings | map(attribute='id') | join(',') }}"'''


def run(program, manifest, goldens, scratch, exceptions, result=None):
    with open(goldens + "/threat.json", encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    texts = write_texts(scratch, [row["text"] for row in rows])
    overlay = os.path.dirname(manifest)
    found = {scope: scanned(program, f"{overlay}/scan-{scope}.kdl", texts, len(rows), scope) for scope in SCOPES}
    blocked = documents(program, f"{overlay}/scan-file.kdl", texts, MANIFEST % ("true", "context", 'file="hermes/blocked.j2"'))
    result = result or Result("threat")
    for number, row in enumerate(rows):
        problems = []
        for scope in SCOPES:
            if found[scope][number] != row[scope]:
                problems.append(f"{scope}: promptc {found[scope][number]}, Hermes {row[scope]}")
        replaced, text = blocked.get(number, (False, row["text"]))
        if text != row["as_file"]:
            problems.append(f"as a file: promptc {text[:200]!r}, Hermes {row['as_file'][:200]!r}")
        result.add(f"row {number} {row['text'][:60]!r}", "; ".join(problems) or None)
    return result


def write_texts(scratch, texts):
    folder = scratch + "/texts"
    for number, text in enumerate(texts):
        write_file(f"{folder}/{number:05}/F.md", text)
    return folder


def scanned(program, path, texts, count, scope):
    """The ids found in each of the texts."""
    answers = documents(program, path, texts, MANIFEST % ("false", scope, IDS))
    return [answers[n][1].split(",") if answers.get(n, (False,))[0] else [] for n in range(count)]


def documents(program, path, texts, manifest):
    """By the number of its folder: whether a text was replaced, and what stands there now. Blank ones are left out."""
    write_file(path, manifest)
    printed, error = program.build(path, *promptc.roots([f"texts={texts}"]))
    if error:
        raise SystemExit(error)
    rows = [json.loads(line) for line in printed.decode().split("\n") if line]
    return {int(folder): (replaced, text) for folder, replaced, text in rows}
