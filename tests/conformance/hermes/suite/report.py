"""What passed and what did not."""

AROUND = 60


class Result:
    """The verdicts of one kind of golden."""

    def __init__(self, kind):
        self.kind = kind
        self.passed = 0
        self.excepted = []
        self.failed = []

    def add(self, where, problem, exception=None):
        """`problem` is None for the same bytes; an exception that covers the problem takes it out of the failures."""
        if problem is None:
            self.passed += 1
        elif exception:
            self.excepted.append((where, exception))
        else:
            self.failed.append((where, problem))

    def show(self, most=5):
        excepted = f", {len(self.excepted)} excepted" if self.excepted else ""
        print(f"{self.kind:12} {self.passed} passed, {len(self.failed)} failed{excepted}")
        for exception in sorted({exception for _, exception in self.excepted}):
            covered = [where for where, by in self.excepted if by == exception]
            print(f"  excepted by {exception}: {', '.join(covered)}")
        for where, problem in self.failed[:most]:
            print(f"  FAILED {where}: {shortened(problem)}")
        if len(self.failed) > most:
            print(f"  and {len(self.failed) - most} more: {', '.join(where for where, _ in self.failed[most:])}")


def shortened(problem, most=12):
    lines = problem.split("\n")
    return "\n".join(lines[:most] + (["    …"] if len(lines) > most else []))


def first_difference(got, wanted):
    """Where two texts part, and both sides of that place."""
    pairs = enumerate(zip(got, wanted))
    at = next((i for i, (a, b) in pairs if a != b), min(len(got), len(wanted)))
    start = max(0, at - AROUND // 2)
    return at, f"    promptc {got[start:at + AROUND]!r}\n    Hermes  {wanted[start:at + AROUND]!r}"


def compare(got, wanted):
    """None, or the first difference in words."""
    if got == wanted:
        return None
    if got is None:
        return "not built"
    at, excerpt = first_difference(got, wanted)
    return f"code point {at}\n{excerpt}"
