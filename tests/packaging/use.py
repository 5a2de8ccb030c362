"""Uses the helper in a folder with `atlas`, `one.json` and `two.json`."""

import pathlib

import promptc

manifest = "atlas/promptc.kdl"
text = pathlib.Path("prompt.txt").read_bytes().decode()
artifact = promptc.build(manifest=manifest)
system = [channel["text"] for channel in artifact["channels"] if channel["deliver"] == "system"]
assert system == [text], system

change = promptc.diff("one.json", "two.json")
assert change["same"] is False and change["break"]["causes"], change
assert promptc.diff("one.json", "one.json")["same"] is True

first = promptc.session("chat-7", manifest=manifest)
assert promptc.session("chat-7", manifest=manifest) == first and first in text

try:
    promptc.build(manifest="nowhere.kdl")
except promptc.Error as error:
    assert error.code == 2 and "manifest-not-found" in error.stderr, error.stderr
else:
    raise AssertionError("a manifest that is not there builds")
