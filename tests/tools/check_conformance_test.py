#!/usr/bin/env python3
"""tools/check_conformance accepts tests of every kind, and finds a name without a test and a requirement without a name.

usage: check_conformance_test.py CHECK_CONFORMANCE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Without site-packages: loading those takes longer than the check.
CHECK = (sys.executable, "-S", pathlib.Path(sys.argv.pop(1)).resolve())

SOURCES = {
    "tests/domain/event_test.cpp": (
        "TEST(Event, IsClaimed) {\n}\nTEST_P(EventContract, KeepsItsKey) {\n}\n"
        "RC_GTEST_PROP(Event, KeepsItsInvariants,\n              ()) {\n}\n"
    ),
    "tests/e2e/CMakeLists.txt": (
        "function(e2e_test name)\n    add_test(NAME e2e.${name} COMMAND x)\nendfunction()\n"
        "foreach(kind sqlite postgres)\n    foreach(test swap killed)\n        tz_change_test(${test} ${kind})\n    endforeach()\n"
        "    e2e_test(downtime_${kind} RUN downtime.py ${kind})\nendforeach()\ne2e_test(daily_use RUN daily_use.py)\n"
    ),
    "examples/CMakeLists.txt": (
        "example(orders)\nexample(last_item ROW HP06)\n"
        'mutant(transfer POSTGRES WITHOUT locks\n    TEXT "FOR UPDATE" BECOMES "")\n'
    ),
}
NAMES = ["Event.IsClaimed", "EventContract.KeepsItsKey", "Event.KeepsItsInvariants", "e2e.downtime_postgres",
         "e2e.tz_killed_sqlite", "e2e.daily_use", "examples.orders", "examples.last_item.HP06",
         "examples.mutants.transfer.without_locks"]
ROWS = [f"{section}{number}" for section, last in (("A", 27), ("B", 7), ("C", 8)) for number in range(1, last + 1)]


class CheckConformance(unittest.TestCase):
    def check(self, **changed):
        """The output for a table in which each row names a test, but for the changed rows."""
        shown = {row: f"`{NAMES[index % len(NAMES)]}`" for index, row in enumerate(ROWS)} | changed
        table = "".join(f"| {row} | `a.setting` of it | {text} |\n" for row, text in shown.items() if text)
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**SOURCES, "docs/conformance.md": table}.items():
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            done = subprocess.run([*CHECK, folder], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (1 if done.stdout else 0, ""))
        return done.stdout

    def test_existing_tests_and_reasons_pass(self):
        self.assertEqual(self.check(A3="**Not yet:** there is no console.", B1="`Event.IsClaimed`. **In part:** no SQS."), "")

    def test_a_name_without_a_test_is_found(self):
        for name in ("Event.IsLost", "Events.IsClaimed", "e2e.downtime", "e2e.downtime_redis", "e2e.tz_swap", "examples.last_item",
                     "examples.mutants.transfer.without_version", "tools.layers"):
            with self.subTest(name=name):
                self.assertEqual(self.check(A2=f"`Event.IsClaimed`, `{name}`"),
                                 f"docs/conformance.md: A2 names {name}, and no such test exists.\n")

    def test_a_requirement_without_a_test_and_a_reason_is_found(self):
        self.assertIn("C8 has neither a test nor", self.check(C8="it works"))
        self.assertEqual(self.check(A27=""), "docs/conformance.md: A27 has no row.\n")


unittest.main()
