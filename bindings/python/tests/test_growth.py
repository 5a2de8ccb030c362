"""Many calls, good and bad: PROMPTC_CALLS of them; no memory leaks, and bad input only raises exceptions."""

import json
import os
import pathlib
import random
import unittest

import promptc_cli as promptc

TOP = pathlib.Path(__file__).resolve().parents[3]
CALLS = int(os.environ.get("PROMPTC_CALLS", "2000"))
#: How much more may be resident at the end than after the first tenth, in MB: what allocators keep.
MOST = 16


def resident():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def nested(depth):
    out = []
    for _ in range(depth):
        out = [out]
    return out


def bad_value(draw):
    return draw.choice(
        [None, -(10**400), 1e308, float("inf"), "\ud800", "\0", "x" * draw.randrange(5000), b"x", object(), {}, {"": []}, {1: 2}]
        + [nested(draw.randrange(300)), draw.random(), {"k": nested(draw.randrange(100))}, set(), lambda: None, type]
    )


def bad_name(draw):
    return draw.choice(["", "\0", "\ud800", "user", "anthropic", "claude-opus-5-5", "system", "x" * 300, "../..", "builtin:", "{{", "%s"])


class Growth(unittest.TestCase):
    def calls(self, draw, project, prompt):
        text = prompt.to_json()

        def changed():
            at = draw.randrange(len(text))
            return text[:at] + draw.choice(["", "\0", "9" * 30, '"', "}", "[" * 200]) + text[at + draw.randrange(9) :]

        name, value = (lambda: bad_name(draw)), (lambda: bad_value(draw))
        return [
            lambda: project.build({"user": "Ann"}),
            lambda: project.build({"user": f"U{draw.random()}"}, now="2026-11-27T09:00:00Z").text,
            lambda: project.build({name(): value()}),
            lambda: project.build(value()),
            lambda: project.build(set={name(): name()}, scenario=name()),
            lambda: project.build(now=name(), tokenizer=draw.choice([None, name()])),
            lambda: project.explain(layer=name()),
            lambda: project.check(base=name()),
            lambda: promptc.Prompt.from_json(changed()).layers,
            lambda: prompt.blame(draw.randrange(-9, 9000)),
            lambda: prompt.blame(line=name(), channel=name()),
            lambda: prompt.blame(find=name()),
            lambda: prompt.emit(name(), name(), value()),
            lambda: prompt.emit("anthropic", "claude-opus-5-5", [{"role": name(), "content": value()}], ttl=name()),
            lambda: prompt.emit("anthropic", "claude-opus-5-5", last=draw.randrange(-2, 9)),
            lambda: promptc.Project(TOP / "examples/sdk", overlay=name()).build(),
            lambda: promptc.Project(name()),
        ]

    def setUp(self):
        os.chdir(TOP)
        self.draw = random.Random(int(os.environ.get("PROMPTC_SEED", "1")))
        self.project = promptc.Project("examples/sdk")

    def stays_flat(self, calls):
        first, done, refused = None, 0, 0
        for at in range(CALLS):
            try:
                self.draw.choice(calls)()
                done += 1
            except promptc.InternalError:
                raise
            except (promptc.Error, TypeError, ValueError, OverflowError, RecursionError, AttributeError):
                refused += 1
            if at == CALLS // 10:
                first = resident()
        grown = resident() - first
        print(json.dumps({"calls": CALLS, "done": done, "refused": refused, "resident MB": round(resident()), "grown MB": round(grown, 1)}))
        self.assertLess(grown, MOST)

    def test_memory_is_flat_whatever_is_given(self):
        self.stays_flat(self.calls(self.draw, self.project, self.project.build({"user": "Ann"})))

    def test_memory_is_flat_over_good_calls(self):
        self.stays_flat(
            [
                lambda: self.project.build({"user": "Ann"}).layers,
                lambda: self.project.build({"user": f"U{self.draw.random()}"}).text,
            ]
        )


if __name__ == "__main__":
    unittest.main()
