"""Loads, turns and the table of bench/enqueue.py, without a measurement. usage: bench_enqueue_test.py FOLDER_OF_BENCH"""
import sys
import unittest

sys.path.insert(0, sys.argv.pop())
import enqueue  # noqa: E402


class Enqueue(unittest.TestCase):
    def test_loads(self):
        self.assertEqual([enqueue.load_in(text) for text in ("1:3000", "16:16")], [(1, 3000), (16, 16)])
        for text in ("", "16", "16:", "0:100", "16:15", "-1:5", "16:3000:1", "x:3000"):
            with self.assertRaises(ValueError):
                enqueue.load_in(text)

    def test_each_turn_has_every_way_and_begins_with_another_one(self):
        self.assertEqual(enqueue.turns(["a", "b", "c"], 4), [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]])

    def test_ratios_are_those_of_a_turn(self):
        lines = enqueue.table_of(16, {"function": [100.0, 300.0, 900.0], "add-job": [100.0, 100.0, 1000.0]}).splitlines()
        self.assertEqual(lines, ["| 16 | function | 300 (100–900) | 1.00 |", "| 16 | add-job | 100 (100–1,000) | 1.00 |"])
        self.assertEqual(enqueue.table_of(1, {"row": [5.0]}), "| 1 | row | 5 (5–5) |  |")


if __name__ == "__main__":
    unittest.main()
