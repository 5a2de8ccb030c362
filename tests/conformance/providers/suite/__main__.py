"""`python -m suite PROGRAM all|quick NAMES`: every case, then every request that must be refused."""

import sys
import time

from . import cases, mutations
from .checks import accepted, refused


def main():
    program, which, names = sys.argv[1:]
    wanted = tuple(name for name in names.split(",") if name)
    chosen = [case for case in cases.all_cases() if chosen_by(case, which, wanted)]
    if not chosen:
        print("there is no such case")
        return 2
    start, failed, checks, bodies = time.monotonic(), 0, 0, {}
    for case in chosen:
        if case.refused:
            found = refused(program, case)
        else:
            found, bodies[case.name] = accepted(program, case)
        failed += report(case.name, found)
        checks += len(found)
    mutated = mutations.run(bodies)
    for name, found in mutated.items():
        failed += report(name, found)
        checks += len(found)
    right = sum(not case.refused for case in chosen)
    print(f"{right} requests, {len(chosen) - right} wrong calls, {len(mutated)} spoiled requests: {checks} checks, "
          f"{failed} failed, {time.monotonic() - start:.1f} s")
    return 1 if failed else 0


def chosen_by(case, which, wanted):
    return (which == "all" or case.seed) and (not wanted or case.name.startswith(wanted))


def report(name, found):
    """Prints the checks that failed, and answers how many these are."""
    failures = [(check, problem) for check, problem in found if problem]
    print(f"{'FAILED' if failures else 'ok    '} {name}: {', '.join(check for check, _ in found)}")
    for check, problem in failures:
        print(f"    {check}: {str(problem)[:600]}")
    return len(failures)


sys.exit(main())
