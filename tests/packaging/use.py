"""Uses the package in a folder with `atlas`, `one.json` and `two.json`."""

import pathlib

import promptc_cli as promptc

project = promptc.Project("atlas")
assert project.build().text == pathlib.Path("prompt.txt").read_bytes().decode()
assert project.build({"user_name": "Änn \"O'Hara\""}).text != project.build().text

[change] = project.diff("one.json", "two.json")["comparisons"]
assert change["same"] is False and change["break"]["causes"], change
first = project.session("chat-7").text
assert project.session("chat-7").text == first
try:
    project.build({"no_such_fact": "x"})
except promptc.Error as error:
    assert error.code == "unknown-fact", error
else:
    raise AssertionError("a fact that nothing declares is taken in silence")
