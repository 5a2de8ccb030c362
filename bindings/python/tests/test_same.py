"""The same as the command line: bytes, documents and errors of all that tests/bindings/samples.py made, in PROMPTC_SAMPLES."""

import json
import os
import pathlib
import tempfile
import unittest

import promptc_cli as promptc

SAMPLES = pathlib.Path(os.environ["PROMPTC_SAMPLES"])


def cases():
    with open(SAMPLES / "cases.jsonl") as lines:
        yield from map(json.loads, lines)


def given(case):
    return {key: case[key] for key in ("set", "scenario", "now")}


def answer(call):
    """The answer of a call, in the form of the samples."""
    try:
        return {"json": call()}
    except promptc.Error as error:
        assert not isinstance(error, promptc.InternalError), error
        found = [one for one in error.diagnostics if one.severity == "error"]
        assert (error.code, error.line) == (found[0].code, found[0].line)
        return {"errors": [[one.code, one.message, one.path, one.line, one.column] for one in found]}


class Same(unittest.TestCase):
    def setUp(self):
        self.here = os.getcwd()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = f"{folder.name}/store.db"

    def tearDown(self):
        os.chdir(self.here)

    def compare(self, case):
        def project():
            return promptc.Project(case["manifest"], roots=case["roots"])

        inputs, facts = given(case), case["facts"]
        self.assertEqual(answer(lambda: project().build(facts, **inputs).to_json()), case["build"])
        if case["more"]:
            self.assertEqual(answer(lambda: project().explain(facts, **inputs).text), case["explain"])
            self.assertEqual(answer(lambda: project().check(facts, **inputs).text), case["check"])
            self.assertEqual(answer(lambda: project().emit("anthropic", "claude-opus-5-5", None, facts, **inputs).text), case["emit"])
            self.assertEqual(answer(lambda: project().diff(".", ".", facts, **inputs).text), case["diff"])
            self.assertEqual(answer(lambda: project().build(facts, **inputs).blame(3).text), case["blame"])
            for way in ("session", "again"):
                kept = answer(lambda: project().session(case["id"], facts, store=self.store, **inputs).to_json())
                self.assertEqual(kept, case[way])
        if "json" in case["build"]:
            prompt = project().build(facts, **inputs)
            self.assertEqual(promptc.Prompt.from_json(prompt.to_json()), prompt)
            for channel in prompt.channels:
                texts = [layer.text for layer in prompt.layers if layer.channel == channel]
                self.assertEqual("".join(texts), prompt.channels[channel])
            for channel, text in case["texts"].items():
                self.assertEqual(prompt.channels[channel], text)

    def test_each_sample_is_answered_as_by_the_program(self):
        seen = 0
        for case in cases():
            with self.subTest(case["id"]):
                os.chdir(case["cwd"])
                self.compare(case)
            seen += 1
        self.assertGreater(seen, 10)

    def test_a_batch_builds_what_single_calls_build(self):
        good = [case for case in cases() if "json" in case["build"] and case["id"].startswith("s")][:40]
        for case in good:
            os.chdir(case["cwd"])
            project = promptc.Project(case["manifest"])
            rows = [case["facts"] or {}, {"no such fact": 1}, case["facts"] or {}]
            made = list(project.batch(rows, **given(case)))
            texts = [one.to_json() if isinstance(one, promptc.Prompt) else one.code for one in made]
            self.assertEqual(texts, [case["build"]["json"], "unknown-fact", case["build"]["json"]])


if __name__ == "__main__":
    unittest.main()
