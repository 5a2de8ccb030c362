"""The translation of Python's regular expressions held against Python's own, on random texts made of their pieces."""

import json
import random
import re
import unicodedata
from re import _constants as c

from . import overlay, patterns, threats

TEXTS = 1500  # a glob has 2,000 documents at most
# What the two engines could see differently: case, marks, joiners, digits, spaces, punctuation that counts as a word.
ODD = list("iıİIsſSkKK\u0301\u0345\u200d\u203f_²①٣ªǅµΣςß\u1e9e\u00ad\u180e\u0085\u001c\u001f\u00a0\u2028\u3000\u200b\ufeff-'.") + ["\n", "\r\n", "\t"]
# Of the pattern language, what the package's table does not use.
MORE = [r"\bword\b", r"\bk\w+\b", r"[^\s]x", r"(?:ab|cd){2}", r"q\d{2,3}", r"[^a-z]q", r"i.s", r"\b(?:i|ss)\W*?x\b"]
# What cannot be translated, and must not be.
REFUSED = [r"(?<=a)b", r"a\b\s", r"\bx?", r"(a)\1", r"^a", r"ab|cd\b"]


def run(program, goldens, scratch):
    with open(goldens + "/constants/threat_patterns.json", encoding="utf-8") as file:
        table = [row["regex"] for row in json.load(file)]
    refused = [pattern for pattern in REFUSED if translates(pattern)]
    table += MORE
    r = random.Random(7)
    pieces = [piece for pattern in table for piece in re.findall(r"[A-Za-z0-9_]{2,}|[^\w\s]", pattern)]
    texts = [random_text(r, table, pieces) for _ in range(TEXTS)]
    lines = [f'    rule p{n} #"{patterns.translate(p)}"# scope=all' for n, p in enumerate(table)]
    folder = scratch + "/self-test"
    overlay.write_file(folder + "/rules.kdl", "scan hermes normalize=nfkc {\n    scopes all\n" + "\n".join(lines) + "\n}\n")
    found = threats.scanned(program, folder + "/scan.kdl", threats.write_texts(folder, texts), TEXTS, "all")
    wrong, hits = 0, 0
    for text, ids in zip(texts, found):
        normal = unicodedata.normalize("NFKC", text)
        wanted = [f"p{n}" for n, p in enumerate(table) if re.search(p, normal, re.IGNORECASE)]
        hits += len(wanted)
        if ids != wanted:
            wrong += 1
            print(f"FAILED {text!r}: promptc {ids}, Python {wanted}") if wrong <= 10 else None
    print(f"self-test    {len(table)} patterns, {TEXTS} texts, {hits} matches, {wrong} texts differ")
    if refused:
        print(f"FAILED these should not be translated: {refused}")
    return 1 if wrong or refused or not hits else 0


def translates(pattern):
    try:
        patterns.translate(pattern)
    except patterns.Untranslatable:
        return False
    return True


def random_text(r, table, pieces):
    """A text near a match: what a pattern matches, then damaged."""
    text = example(r, patterns.parse(r.choice(table)))
    for _ in range(r.randint(0, 4)):
        at = r.randint(0, len(text))
        text = text[:at] + r.choice([r.choice(ODD), r.choice(pieces), chr(r.choice(KNOWN)), " "]) + text[at + r.randint(0, 1):]
    return text


KNOWN = [code for code in range(0x20, 0x20000) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]


def example(r, items):
    """A text that the items match, but for boundaries."""
    return "".join(example_of(r, op, argument) for op, argument in items)


def example_of(r, op, argument):
    if op is c.AT:
        return r.choice(["", " "])
    if op is c.SUBPATTERN:
        return example(r, argument[3])
    if op is c.BRANCH:
        return example(r, r.choice(argument[1]))
    if op in (c.MAX_REPEAT, c.MIN_REPEAT):
        low, high, body = argument
        return "".join(example(r, body) for _ in range(r.randint(low, min(high, low + r.choice([1, 1, 2, 9])))))
    found = patterns.runs(op, tuple(argument) if isinstance(argument, list) else argument)
    run = found[0] if r.random() < 0.8 else r.choice(found)
    return r.choice(run[:128])
