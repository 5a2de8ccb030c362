"""Truncation: rows of a text, a limit and names, through a small manifest that cuts as the built-in does."""

import json
import os

from . import promptc
from .overlay import write_file
from .report import Result, compare

CUT = """promptc 1
fact long_text string
fact label_name string
fact file_name string
fact folder_name string default=""
fact maximum int
tier rows {
    trim #false
    newlines #false
    bom #false
    layer row {
        fact long_text {
            budget (fact)maximum head=0.7 tail=0.2 at=char marker-outside=#true { marker file="row-cut.j2" }
        }
    }
}
"""
CUT_MARKER = (
    '{% set folder = folder_name %}{% set file = file_name if folder_name else label_name %}'
    '{% set label = label_name %}{% include "hermes/cut.j2" %}\n')


def run(program, manifest, goldens, scratch, exceptions, result=None):
    rows = load(goldens + "/truncate.json")["rows"]
    folder = os.path.dirname(manifest)
    write_file(folder + "/row-cut.kdl", CUT)
    write_file(folder + "/row-cut.j2", CUT_MARKER)
    lines = []
    for row in rows:
        where, name = os.path.split(row["read_path"] or "")
        lines.append({"long_text": row["content"], "maximum": row["max_chars"], "label_name": row["filename"],
                      "file_name": name, "folder_name": where})
    result = result or Result("truncate")
    artifacts = program.batch(folder + "/row-cut.kdl", lines)
    for number, (row, text) in enumerate(zip(rows, map(promptc.system_text, artifacts))):
        problem = compare(text, row["out"])
        recorded = {"max_chars": row["max_chars"], "longer": len(row["content"]) > row["max_chars"]}
        excuse = exceptions.excuse("truncate", recorded, ["row"] if problem else [])
        result.add(f"row {number} ({row['filename']} to {row['max_chars']})", problem, excuse)
    return result


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
