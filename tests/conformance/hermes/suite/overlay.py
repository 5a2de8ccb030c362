"""The overlay of the built-in manifest that a run uses: the package's texts, wordings and threat patterns.

    promptc.kdl          extends the built-in
    rules.kdl            the rule set `hermes`, made from the package's table
    hermes/*.j2          the package's own wordings of what was cut or blocked
    text/hermes/*.txt    its texts, for `--root text=`
"""

import json
import os
import re
import unicodedata

from . import patterns

WORDINGS = ("blocked", "blocked-path", "cut", "memory-blocked")
PLACEHOLDER = re.compile(r"\{\{\w+\}\}")


def write(folder, constants, base):
    """Writes the overlay of `base` from the folder `constants`, and answers the path of its manifest."""
    for name in sorted(os.listdir(constants)):
        if name.startswith("WORDING."):
            wording = name.removeprefix("WORDING.").removesuffix(".template.txt")
            # One line end at the end of a template's file is not part of it.
            write_file(f"{folder}/hermes/{wording}.j2", read(f"{constants}/{name}") + "\n")
        elif name.endswith(".txt"):
            text = read(f"{constants}/{name}")
            write_file(f"{folder}/text/hermes/{name}", escaped(text) if ".template." in name else text)
    path = f"{folder}/promptc.kdl"
    write_file(f"{folder}/rules.kdl", rules(constants))
    write_file(path, f'promptc 1\nname hermes\nextends "{base}"\nremove scan=hermes\ninclude "rules.kdl"\n')
    return path


def escaped(text):
    """A template of the generator, whose only syntax is `{{name}}`: any other opening brace of ours is a text."""
    parts = PLACEHOLDER.split(text)
    names = PLACEHOLDER.findall(text) + [""]
    opening = re.compile(r"\{[{%#]")
    return "".join(opening.sub(lambda m: '{{ "' + m[0] + '" }}', part) + name for part, name in zip(parts, names))


def rules(constants):
    """The package's table of threat patterns as a rule set: the same ids, scopes, order, window and characters."""
    with open(f"{constants}/threat_patterns.json", encoding="utf-8") as file:
        table = json.load(file)
    with open(f"{constants}/tables.json", encoding="utf-8") as file:
        tables = json.load(file)
    if unicodedata.unidata_version != tables["UNICODE_VERSION"]:
        raise SystemExit("the goldens were made by a Python with other tables of Unicode than this one's")
    lines = [f"scan hermes normalize=nfkc window={tables['MAX_SCAN_CHARS']} {{"]
    lines.append("    scopes all context strict")
    invisible = "".join(f"\\u{{{code}}}" for code in tables["INVISIBLE_CHARS"])
    lines.append(f'    invisible-unicode chars="{invisible}" id="invisible_unicode_U+{{hex}}"')
    for row in table:
        lines.append(f'    rule {row["id"]} #"{patterns.translate(row["regex"])}"# scope={row["scope"]}')
    return "\n".join(lines + ["}"]) + "\n"


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write_file(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
