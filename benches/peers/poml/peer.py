"""poml: a captioned paragraph for each file, a limit at the top and priorities; all of the lowest priority goes at once.

The package starts a Node process for each render, so a warm call has one too.
"""

from common import main
from poml import poml


def render():
    return poml("task.poml", chat=False, format="dict")["messages"]


main(render)
