"""Tests of the agent: what it answers. That they leave its cache whole is what the recorder shows."""

import unittest

from agent import ask


class Talk(unittest.TestCase):
    def test_it_answers_twice(self):
        history = ask("Is there a berth for 12 metres?")
        history = ask("And for 20?", history)
        self.assertEqual(len(history), 4)
        self.assertIn("Berth", history[-1]["content"][0]["text"])
