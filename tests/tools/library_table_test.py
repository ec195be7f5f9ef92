"""The table "By task" of docs/reference/library.md: each name is declared in one of the headers of its row.

usage: library_table_test.py ROOT
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))


def rows(text):
    """(names, headers) of each row. SQL functions are in the first cell, which has no names of C++."""
    table = text[text.index("\n## By task\n"):]
    for line in table[:table.index("\nNot available:")].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 3 and cells[2].startswith("`"):
            yield re.findall(r"`([^`]+)`", cells[1]), re.findall(r"`([^`]+)`", cells[2])


class LibraryTable(unittest.TestCase):
    def test_each_name_is_in_a_header_of_its_row(self):
        all_rows = list(rows((ROOT / "docs/reference/library.md").read_text()))
        self.assertGreater(len(all_rows), 20)
        for names, headers in all_rows:
            # Types of one header are used by functions of another: Engine is in embedding.hpp.
            text = "".join((ROOT / "include/sundial" / header).read_text() for header in [*headers, "embedding.hpp"])
            # Streams is declared where its header says, and defined in recording.hpp.
            text += (ROOT / "include/sundial/recording.hpp").read_text() if "streams.hpp" in headers else ""
            for name in names:
                for part in re.findall(r"\w+", name.removeprefix("tx.")):
                    if not part.isupper():  # words of SQL
                        found = re.search(rf"\b{part}\b", text)
                        self.assertTrue(found, f"{name} is not in {', '.join(headers)}")


if __name__ == "__main__":
    unittest.main()
