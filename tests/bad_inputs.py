#!/usr/bin/env python3
"""Prints the table of bad inputs, tests/bad_inputs.txt: each case with the tests that prove it.

    bad_inputs.py LASTTEST.LOG      what ctest wrote

Fails where a case has no test, or one that is not there or did not pass, and where docs/reliability.md names a test that is
not there. Those that were skipped, because the machine lacks what they need, are said. Needs nothing but Python.
"""

import fnmatch
import pathlib
import re
import sys


def outcomes(log):
    """Each test that ran, and how it ended."""
    found = {}
    for part in re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]:
        name = part.split("\n", 1)[0].strip()
        folder = re.fullmatch(r"(\w+)\.part_\d+", name)
        if folder:
            # Hundreds of tests in one process, which says of each how it ended.
            for word, test in re.findall(r"^\[ +(OK|SKIPPED|FAILED) +\] ([^ ,]+\.[^ ,]+)", part, flags=re.M):
                state = {"OK": "passed", "SKIPPED": "skipped", "FAILED": "failed"}[word]
                found[f"{folder[1]}.{test}"] = state
            continue
        passed = re.search(r"^Test Passed\.$", part, flags=re.M)
        skipped = re.search(r"\[  SKIPPED \]|^Test Skipped\.$|Not Run", part, flags=re.M)
        found[name] = "skipped" if skipped else "passed" if passed else "failed"
    return found


def missing_in_document(ran):
    """The tests that docs/reliability.md names, with * for any letters, and that are not there."""
    document = pathlib.Path(__file__).parents[1] / "docs/reliability.md"
    folders = "app|cli|core|figure|io|platform|support|ui|window"
    named = re.findall(rf"`((?:{folders})\.[A-Z][\w/*]*\.[\w/*]+)`", document.read_text())
    assert named, document
    return [name for name in named if not fnmatch.filter(ran, name) and not fnmatch.filter(ran, name + "/*")]


def main():
    ran = outcomes(pathlib.Path(sys.argv[1]).read_text(errors="replace"))
    table = pathlib.Path(__file__).with_suffix(".txt").read_text()
    wrong, numbers = 0, []
    for line in table.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        number, right, what, tests = (part.strip() for part in line.split("|"))
        numbers.append(int(number))
        states = []
        for test in tests.split():
            # A test with parameters is there once for each.
            all_of_it = [state for name, state in ran.items() if name == test or name.startswith(test + "/")]
            states += all_of_it or ["missing"]
        bad = not states or any(state in ("failed", "missing") for state in states)
        wrong += bad
        summary = "WRONG" if bad else "skipped" if "skipped" in states else "ok"
        print(f"{number:>4}  {right}  {summary:<8} {what}: {tests if bad else tests.split()[0]}")
    if numbers != list(range(1, len(numbers) + 1)):
        print("the numbers of the cases are not 1, 2, 3, …")
        wrong += 1
    for name in missing_in_document(ran):
        print(f"docs/reliability.md: there is no {name}")
        wrong += 1
    if not numbers:
        print("there is no case")
        wrong += 1
    print(f"{len(numbers)} cases, {wrong} wrong; of {len(ran)} tests")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
