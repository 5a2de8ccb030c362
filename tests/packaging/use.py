"""Uses the helper in a folder with `atlas`, `one.json` and `two.json`."""

import contextlib
import io
import pathlib

import promptc_cli as promptc

manifest = "atlas/promptc.kdl"
text = pathlib.Path("prompt.txt").read_bytes().decode()
said = io.StringIO()
with contextlib.redirect_stderr(said):
    artifact = promptc.build(manifest=manifest)
assert "warning[cut]" in said.getvalue(), "what atlas cuts is lost in silence"
system = [channel["text"] for channel in artifact["channels"] if channel["channel"] == "system"]
assert system == [text], system

[change] = promptc.diff("one.json", "two.json")["comparisons"]
assert change["same"] is False and change["break"]["causes"], change
assert promptc.diff("one.json", "one.json")["comparisons"][0]["same"] is True

first = promptc.session("chat-7", manifest=manifest)["system"]
assert promptc.session("chat-7", manifest=manifest)["system"] == first and first in text

# Facts go in on standard input: text that JSON and a command line would mangle arrives as it is.
ann = promptc.build(manifest=manifest, facts={"user_name": "Änn \"O'Hara\"", "tools": ["other"]})
assert any("Änn \"O'Hara\"" in channel["text"] for channel in ann["channels"]), ann
assert promptc.session("chat-8", manifest=manifest, facts={"duty": "incident"})["system"] != first
assert promptc.session("--chat", manifest=manifest)["system"] == first
assert promptc.diff("two.json", manifest=manifest)["comparisons"][0]["same"] is False
assert promptc.diff("two.json", manifest=manifest, facts={"tools": ["other"]})["comparisons"][0]["same"] is True

try:
    promptc.build(manifest=manifest, facts={"no_such_fact": "x"})
except promptc.Error as error:
    assert "no_such_fact" in error.stderr, error.stderr
else:
    raise AssertionError("a fact that nothing declares is taken in silence")

try:
    promptc.build(manifest="nowhere.kdl")
except promptc.Error as error:
    assert error.code == 2 and "manifest-not-found" in error.stderr, error.stderr
else:
    raise AssertionError("a manifest that is not there builds")
