"""Checks that texts from outside are nothing but literals in scripts, whatever stands in them.

    same_scripts.py CASES

Every line of the file CASES has, in hexadecimal digits: a script, the same script with harmless texts NAME0, NAME1, …,
and the texts that stand in the places of those. Python must read the first as the second with those texts in it: no
statement, call or name more, no literal different. Prints what is wrong, and exits with 1 then. Needs nothing but
Python.
"""

import ast
import os
import re
import sys


class Paths(ast.NodeTransformer):
    """The text in place of what decodes a path that is not UTF-8, and no import for that."""

    def visit_Call(self, node):
        self.generic_visit(node)
        if ast.unparse(node.func) == "os.fsdecode" and [type(each) for each in node.args] == [ast.Constant]:
            return ast.copy_location(ast.Constant(os.fsdecode(node.args[0].value)), node)
        return node

    def visit_Import(self, node):
        return None if [each.name for each in node.names] == ["os"] else node


def texts_with(template, texts):
    """What `template` may have become: archives end a name before a zero byte."""
    for each in (texts, [text.split("\0")[0] for text in texts]):
        yield re.sub("NAMÉ?E?([0-9]+)", lambda found: each[int(found[1])], template)


def difference(script, harmless, texts):
    if type(script) is not type(harmless):
        return f"{ast.dump(script)} instead of {ast.dump(harmless)}"
    if isinstance(harmless, ast.Constant) and isinstance(harmless.value, str):
        # The width that names are printed with.
        if isinstance(script.value, str) and script.value.isdigit() and harmless.value.isdigit():
            return None
        if script.value in texts_with(harmless.value, texts):
            return None
        return f"{script.value!r} instead of {harmless.value!r}"
    for field, theirs in ast.iter_fields(harmless):
        ours = getattr(script, field)
        pairs = list(zip(ours, theirs)) if isinstance(theirs, list) else [(ours, theirs)]
        if isinstance(theirs, list) and len(ours) != len(theirs):
            return f"{len(ours)} instead of {len(theirs)} in {field}"
        for one, other in pairs:
            found = difference(one, other, texts) if isinstance(other, ast.AST) else None
            if not isinstance(other, ast.AST) and one != other:
                found = f"{one!r} instead of {other!r}"
            if found:
                return found
    return None


def check(line):
    script, harmless, *texts = [bytes.fromhex(word) for word in line.split(" ")]
    texts = [text.decode("utf-8", "surrogateescape") for text in texts]
    try:
        found = difference(Paths().visit(ast.parse(script)), Paths().visit(ast.parse(harmless)), texts)
    except (SyntaxError, ValueError) as error:
        found = f"Python does not read it: {error}"
    return found and f"{texts!r}: {found}\n{script.decode('utf-8', 'backslashreplace')}"


def main(path):
    with open(path, encoding="ascii") as cases:
        lines = cases.read().splitlines()
    wrong = [found for found in map(check, lines) if found]
    print(*wrong[:3], sep="\n")
    print(f"{len(lines)} scripts, {len(wrong)} wrong")
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
