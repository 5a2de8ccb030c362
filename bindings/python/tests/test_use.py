"""The behaviour of the package in Python beyond the bytes: facts, exceptions, threads, types."""

import copy
import dataclasses
import datetime
import doctest
import enum
import importlib.util
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

import promptc_cli as promptc

TOP = pathlib.Path(__file__).resolve().parents[3]
HOUSE = """promptc 1
name house
root project default="."
fact who string default=Ann
fact day date optional=#true
fact mood string optional=#true { one-of calm brisk }
fact tools list { default }
fact at datetime optional=#true
tier t changes=deploy { layer rules { file "RULES.md" root=project } }
tier u changes=session {
    layer who { template "{{ who }} {{ day | default('-') }} {{ mood | default('-') }} {{ tools | join('+') }} {{ at | default('-') }}" }
}
"""


class Mood(enum.Enum):
    CALM = "calm"


class Word(str, enum.Enum):
    BRISK = "brisk"


@dataclasses.dataclass
class Given:
    who: str
    day: datetime.date
    mood: Mood
    tools: tuple


class Use(unittest.TestCase):
    def setUp(self):
        self.here = os.getcwd()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, self.here)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "promptc.kdl").write_text(HOUSE)
        (self.folder / "RULES.md").write_text("Be kind.\n")
        os.chdir(self.folder)

    def test_examples_of_docstrings_run(self):
        os.chdir(TOP)
        found = doctest.testmod(promptc, optionflags=doctest.ELLIPSIS)
        self.assertGreater(found.attempted, 15)
        self.assertEqual(found.failed, 0)

    def test_facts_may_be_dataclasses_models_dates_and_enums(self):
        day, at = datetime.date(2026, 11, 27), datetime.datetime(2026, 11, 27, 9, tzinfo=datetime.timezone.utc)
        project = promptc.Project()
        text = "Be kind.\n\nBo 2026-11-27 calm a+b -"
        self.assertEqual(project.build(Given("Bo", day, Mood.CALM, ("a", "b"))).text, text)
        self.assertEqual(project.build({"who": "Bo", "day": day, "mood": Mood.CALM, "tools": ["a", "b"]}).text, text)
        frozen = types.MappingProxyType({"mood": Word.BRISK, "at": at, "who": pathlib.PurePosixPath("a/b")})
        self.assertEqual(project.build(frozen).text, "Be kind.\n\na/b - brisk  2026-11-27T09:00:00+00:00")
        self.assertEqual(project.build(set={"who": "Cy"}).layers[1].text.split()[0], "Cy")

    @unittest.skipUnless(importlib.util.find_spec("pydantic"), "pydantic is not here")
    def test_facts_may_be_a_model_of_pydantic(self):
        import pydantic

        class Model(pydantic.BaseModel):
            who: str
            day: datetime.date
            mood: Mood

        made = promptc.Project().build(Model(who="Bo", day=datetime.date(2026, 11, 27), mood=Mood.CALM))
        self.assertEqual(made.layers[1].text.strip(), "Bo 2026-11-27 calm  -")

    def test_what_is_no_fact_is_an_exception_of_python(self):
        project = promptc.Project()
        for wrong in (7, "text", [1], Given, object()):
            self.assertRaises(TypeError, project.build, wrong)
        for wrong in ({"who": object()}, {"tools": {1, 2}}, {"who": b"bytes"}):
            self.assertRaises(TypeError, project.build, wrong)
        self.assertRaises(ValueError, project.build, {"who": float("nan")})

    def test_an_exception_has_the_diagnostics(self):
        (self.folder / "promptc.kdl").write_text(HOUSE.replace("layer rules", "layr rules"))
        with self.assertRaises(promptc.Error) as caught:
            promptc.Project()
        error = caught.exception
        self.assertEqual((error.code, error.path, error.line), ("unknown-node", "promptc.kdl", 9))
        self.assertIn("layer", error.help or "")
        self.assertIn("promptc.kdl:9:", str(error))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.diagnostics, str(again)), (error.diagnostics, str(error)))

    def test_warnings_are_with_the_prompt(self):
        project = promptc.Project(TOP / "examples/atlas/promptc.kdl")
        self.assertIn("cut", [notice["code"] for notice in project.build().artifact["notices"]])

    @unittest.skipUnless(hasattr(promptc._native, "fault"), "a build without debug assertions")
    def test_a_fault_of_promptc_is_an_exception_that_says_so(self):
        with self.assertRaisesRegex(promptc.InternalError, "fault of promptc.*shown"):
            promptc._native.fault()

    def test_an_overlay_is_laid_over_the_manifest_and_writes_nothing(self):
        overlay = 'refine who { template "Only {{ who }}." }\n'
        for path in (None, "promptc.kdl", ".", self.folder):
            project = promptc.Project(path, overlay=overlay)
            self.assertEqual(project.build().text, "Be kind.\n\nOnly Ann.")
        self.assertEqual(sorted(os.listdir()), ["RULES.md", "promptc.kdl"])
        with self.assertRaises(promptc.Error) as caught:
            promptc.Project(overlay='\nrefine nobody { text "x" }')
        self.assertEqual((caught.exception.path, caught.exception.line), ("<overlay>", 2))
        built_in = promptc.Project("builtin:minimal@1", roots={"workspace": self.folder}, overlay="name other")
        self.assertEqual(built_in.build().name, "other")

    def test_what_changes_on_the_disk_is_in_the_next_prompt(self):
        project = promptc.Project()
        first, bare = project.build(keep_inputs=True), project.build()
        (self.folder / "RULES.md").write_text("Be kinder.\n")
        second = project.build(keep_inputs=True)
        self.assertEqual(second.layers[0].text, "Be kinder.")
        [change] = first.diff(second)["comparisons"]
        [cause] = change["break"]["causes"]
        self.assertEqual((change["break"]["layer"], cause["kind"], cause["path"]), ("rules", "document-changed", "RULES.md"))
        self.assertEqual(bare.diff(second)["comparisons"][0]["break"]["causes"], [])
        (self.folder / "promptc.kdl").write_text(HOUSE.replace("default=Ann", "default=Bo"))
        self.assertIn("Bo", project.build().text)

    def test_prompts_are_values(self):
        prompt = promptc.Project().build()
        self.assertEqual(pickle.loads(pickle.dumps(prompt)), prompt)
        self.assertEqual(copy.deepcopy(prompt), prompt)
        self.assertEqual(str(prompt), prompt.text)
        self.assertEqual(len({prompt, promptc.Project().build()}), 1)
        self.assertEqual(prompt.blame(0)["places"][0]["stretches"][0]["layer"], "rules")
        self.assertRaises(promptc.Error, prompt.blame, 10**6)
        self.assertRaises(ValueError, prompt.blame)
        self.assertRaises(ValueError, prompt.blame, 1, line=1)

    def test_a_session_keeps_its_bytes(self):
        project, store = promptc.Project(), self.folder / "store.db"
        first = project.session("chat-7", {"who": "Bo"}, store=store)
        (self.folder / "RULES.md").write_text("Other.\n")
        again = project.session("chat-7", store=store)
        self.assertEqual(again.text, first.text)
        self.assertEqual(project.session("chat-7", refresh=True, store=store).layers[0].text, "Other.")
        found = project.diff("session:chat-7", ".", {"who": "Bo"}, store=store)
        self.assertIs(found["comparisons"][0]["same"], True)

    def test_a_request_has_the_conversation(self):
        prompt = promptc.Project(TOP / "examples/sdk").build({"user": "Ann"})
        messages = [{"role": "user", "content": "Hello"}]
        body = prompt.emit("anthropic", "claude-opus-5-5", messages, ttl={"stable": "1h"}, max_tokens=99)
        self.assertEqual(body["max_tokens"], 99)
        self.assertEqual(body["messages"][-1]["role"], "user")
        for wrong, code in (({"shape": "antropic"}, "usage"), ({"model": "claud"}, "unknown-model"), ({"key": "k"}, "conflicting-settings")):
            with self.assertRaises(promptc.Error) as caught:
                prompt.emit(**{"shape": "anthropic", "model": "claude-opus-5-5", **wrong})
            self.assertEqual(caught.exception.code, code)

    def test_usage_reads_logs(self):
        said = {"role": "user", "content": "Hello"}
        request = {"model": "claude-opus-5-5", "max_tokens": 500, "system": "You are Harbor.", "messages": [said]}
        response = {"type": "message", "content": [], "usage": {"input_tokens": 900, "output_tokens": 6}}
        entry = {"time": "2026-11-21T10:00:00Z", "conversation": "c", "request": request, "response": response}
        log = self.folder / "requests.jsonl"
        log.write_text(json.dumps(entry) + "\n")
        found = promptc.usage(log, by=["day"])
        self.assertGreater(found["requests"], 0)
        ran = subprocess.run([promptc.program(), "usage", log, "--by", "day", "--format", "json"], capture_output=True, check=True)
        self.assertEqual(found.text, ran.stdout.decode())
        self.assertRaises(promptc.Error, promptc.usage, log, by=["moon"])

    def test_a_batch_ends_with_the_exception_of_its_facts(self):
        def rows():
            yield {"who": "Bo"}
            yield {"whom": "Bo"}
            raise KeyError("gone")

        made = promptc.Project().batch(rows(), jobs=2)
        self.assertIn("Bo", next(made).text)
        self.assertEqual(next(made).code, "unknown-fact")
        self.assertRaises(KeyError, next, made)
        self.assertRaises(StopIteration, next, made)
        # One that is left is not waited for.
        next(promptc.Project().batch({"who": str(at)} for at in iter(int, 1)))

    def test_threads_share_a_project_and_others_run_meanwhile(self):
        (self.folder / "RULES.md").write_text("A long text to count. " * 40_000)
        (self.folder / "promptc.kdl").write_text(HOUSE.replace('{ file "RULES.md" root=project }', '{ file "RULES.md" root=project; budget 900000 tokens }'))
        project = promptc.Project()
        texts = [None] * 4

        def build(at):
            texts[at] = project.build({"who": f"W{at}"}, tokenizer="o200k").layers[1].text

        threads = [threading.Thread(target=build, args=(at,)) for at in range(4)]
        for thread in threads:
            thread.start()
        turns = 0
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.001)
            turns += 1
        self.assertGreater(turns, 10)
        self.assertEqual([text.split()[0] for text in texts], ["W0", "W1", "W2", "W3"])

    def test_the_command_is_there(self):
        ran = subprocess.run([sys.executable, "-m", "promptc_cli", "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout.strip(), f"promptc {promptc.__version__}")


if __name__ == "__main__":
    unittest.main()
