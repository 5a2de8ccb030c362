"""The task's files: ten of invented neutral text, 42 KB together, the same on every machine, and `task.json` that says which must stay.

    task.py FOLDER
"""

import json
import os
import sys

BUDGET = 30_000
CHARS_OF_A_FILE = 4_260
# The name of each file, and its priority: the lowest is cut first; none means that the file must stay whole.
FILES = [
    ("persona", None), ("rules", None), ("safety", None), ("tools", None), ("style", 20),
    ("project", 60), ("history", 10), ("memory", 50), ("hints", 30), ("notes", 40),
]
# Letters, digits, commas and full stops alone: some peers would read quotes, braces, brackets or colons as their own language.
SUBJECTS = "the report,the build,the list,a reader,the folder,the harbour,the table,a second look,the summary,the bridge".split(",")
VERBS = "names,follows,keeps,moves,shows,replaces,counts,closes,opens,repeats".split(",")
OBJECTS = "every change,the oldest entry,one short line,the next step,its source,a clear reason,the same order,two examples".split(",")
PLACES = "before noon,in the first part,behind the index,without a guess,at the end,in plain words,on each page,for the team".split(",")


class Numbers:
    """A linear congruential generator (the constants are those of Knuth's MMIX), so that no version of Python matters."""

    def __init__(self, seed):
        self.state = seed

    def pick(self, words):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return words[(self.state >> 33) % len(words)]


def paragraph(numbers):
    """A line of three sentences."""
    parts = [" ".join(numbers.pick(words) for words in (SUBJECTS, VERBS, OBJECTS, PLACES)) for _ in range(3)]
    return "- " + " ".join(part[0].upper() + part[1:] + "." for part in parts) + "\n"


def text(seed, chars):
    """Whole lines with `chars` characters in all, or up to a line fewer. Each line has a number, so that none appears twice."""
    numbers, out, count = Numbers(seed), "", 0
    while True:
        line = paragraph(numbers).replace("- ", f"- {seed}.{count} ", 1)
        if len(out) + len(line) > chars:
            return out
        out, count = out + line, count + 1


def write(folder):
    os.makedirs(folder, exist_ok=True)
    entries = []
    for number, (name, priority) in enumerate(FILES, 1):
        file = f"{number:02}-{name}.md"
        with open(f"{folder}/{file}", "w", encoding="utf-8") as out:
            out.write(text(number, CHARS_OF_A_FILE))
        entries.append({"file": file, "name": name, "priority": priority})
    with open(folder + "/task.json", "w", encoding="utf-8") as out:
        json.dump({"budget": BUDGET, "files": entries}, out, indent=2)


if __name__ == "__main__":
    write(sys.argv[1])
