"""The cases: each folder of `cases/` is one."""

import dataclasses
import json
import os

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = HERE + "/manifests/layered.kdl"


@dataclasses.dataclass
class Case:
    """What `case.json` says.

    `emit` are the arguments behind `promptc emit`; `sdk` is who checks the request (the shape's own if it is not written);
    `seed` says that the quick run has it; `marks` is how many places have to be marked; `refused` is the code of the error
    that promptc has to give, and `why` says for the reader what is wrong.
    """

    name: str
    folder: str
    emit: list
    sdk: str = ""
    seed: bool = False
    refused: str = ""
    why: str = ""
    marks: int | None = None

    @property
    def manifest(self):
        """The folder's own manifest, or the one that most cases share."""
        own = self.folder + "/promptc.kdl"
        return own if os.path.exists(own) else SHARED

    @property
    def arguments(self):
        history = self.folder + "/history.json"
        return [*self.emit, *(["--messages", history] if os.path.exists(history) else [])]

    @property
    def shape(self):
        return self.emit[0]


def all_cases():
    root = HERE + "/cases"
    for name in sorted(os.listdir(root)):
        with open(f"{root}/{name}/case.json", encoding="utf-8") as file:
            said = json.load(file)
        case = Case(name=name, folder=f"{root}/{name}", **said)
        case.sdk = case.sdk or case.shape
        yield case
