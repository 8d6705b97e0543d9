#!/usr/bin/env python3
"""Tests of deploy/mutate: which changes it makes, and the code that it compiles.

Usage: mutate_test.py
"""
import importlib.machinery
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/mutate")
loader = importlib.machinery.SourceFileLoader("mutate", PATH)
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)


def changes(code):
    """What is changed, and the changed code."""
    source = mutate.Source("a.swift", code)
    found = []
    for mutant in mutate.mutants_of(source):
        mutant.number = 7
        found.append((mutant.what, mutate.render(source, [mutant])))
    return found


def in_function(statement):
    return "func f() -> Int {\n" + statement + "\nreturn x\n}\n"


class ChangeTests(unittest.TestCase):
    def expect(self, statement, *expected):
        found = [(what, code.split("\n", 1)[1].rsplit("\nreturn x", 1)[0]) for what, code in changes(in_function(statement))]
        self.assertEqual(found, list(expected))

    def test_comparisons_keep_operands_of_higher_precedence(self):
        self.expect("let y = a + b < c && d",
                    ("+ → -", "let y = (isMutated(7) ? a - b : a + b) < c && d"),
                    ("< → <=", "let y = (isMutated(7) ? a + b <= c : a + b < c) && d"),
                    ("< → >=", "let y = (isMutated(7) ? a + b >= c : a + b < c) && d"),
                    ("operand of && → true", "let y = ((a + b < c) || isMutated(7)) && d"),
                    ("operand of && → true", "let y = a + b < c && ((d) || isMutated(7))"))

    def test_conditions(self):
        self.expect("if let a, b { }",
                    ("binding never succeeds", "if !isMutated(7), let a, b { }"),
                    ("condition → true", "if let a, ((b) || isMutated(7)) { }"),
                    ("condition → false", "if let a, (!isMutated(7) && (b)) { }"))

    def test_statements(self):
        self.expect("a.b { c in d(c) }", ("statement removed", "if !isMutated(7) { a.b { c in d(c) } }"))
        self.expect("a = b", ("statement removed", "if !isMutated(7) { a = b }"))
        self.expect("defer { a() }", ("statement removed", "defer { if !isMutated(7) { a() } }"))
        self.expect("switch a {\ncase .b: c()\ndefault: break\n}",
                    ("statement removed", "switch a {\ncase .b: if !isMutated(7) { c() }\ndefault: break\n}"))

    def test_a_guard_must_leave(self):
        self.assertEqual([what for what, _ in changes(in_function("guard a else { return }"))],
                         ["condition → true", "condition → false"])

    def test_constants_and_defaults(self):
        self.expect("let y: Box<Int> = a ?? 0x10",
                    ("default of ?? always used", "let y: Box<Int> = (isMutated(7) ? 0x10 : a ?? 0x10)"),
                    ("0x10 → 17", "let y: Box<Int> = a ?? (isMutated(7) ? 17 : 0x10)"),
                    ("0x10 → 15", "let y: Box<Int> = a ?? (isMutated(7) ? 15 : 0x10)"))

    def test_texts_comments_assertions_logs_and_conditional_code_stay(self):
        for code in ['let y = "1 < 2 \\(f("true") + 1)"', "// a = 1", "/* a = 1 /* */ b = 2 */", "precondition(a < 1)",
                     'logger.info("x", metadata: ["a": "\\(b)"])', "#if DEBUG\na = 1\n#endif", "assert({ a < 1 }())"]:
            self.expect(code)


class RenderTests(unittest.TestCase):
    def test_lines_keep_their_numbers(self):
        code = in_function("if a,\n    b\n        < c\n{\n    d()\n}")
        for _, changed in changes(code):
            self.assertEqual(changed.count("\n"), code.count("\n"))

    def test_nested_changes(self):
        source = mutate.Source("a.swift", in_function("if a { b(1) }"))
        chosen = mutate.pick(mutate.mutants_of(source), 100, seed=1)
        changed = mutate.render(source, chosen)
        self.assertIn(f"{chosen[0].check}", changed)
        for mutant in chosen:
            self.assertEqual(changed.count(mutant.check), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
