#!/usr/bin/env python3
"""tools/check_prose finds each phrase in each kind of file, names its line, and leaves plain English and code alone.

usage: check_prose_test.py CHECK_PROSE
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Without site-packages: loading those takes longer than the check.
CHECK = (sys.executable, "-S", pathlib.Path(sys.argv.pop(1)).resolve())

PLAIN = {
    "src/application/delivery/worker.cpp": (
        "// Returns LOCK_HELD at once. How many jobs have failed is a counter.\n"
        'const char* name = "ext:nobody"; int anew = 1;  // the lease has expired\n'
        'auto told = R"sql(SELECT anew -- oldest events first\n    FROM nobody)sql"; auto c = \'"\';\n'
        "/* There is no reaper. Which of them is next? What is due? */\n"
    ),
    "tests/domain/event_test.cpp": 'EXPECT_EQ(text, "what is due is told to nobody");\n',
    "src/queue.sql": "-- Claims due events.\nSELECT 'whoever is told' AS nobody;\n",
    "tools/run": '#!/usr/bin/env python3\n"""Runs the worker."""\nnobody = "what is told anew"  # the default\n',
    "build.cmake": "# One library per layer.\nset(nobody anew)\n",
    "config.toml": 'nobody = "told" # Maximum time a due event may wait.\n',
    "docs/guide.md": (
        "# What is not there\n\n## Who may use it\n\nA `nobody` in backticks is code. Two columns are told apart. See [locks](nobody.md).\n\n"
        "```sh\nsundial told anew   # what is due\n```\n\n| what | is |\n|---|---|\n| what | are |\n\nEnds with what\n\nis due.\n"
    ),
    "openapi.json": '{\n  "nobody": "what is told",\n  "description": "The lock is held by another client."\n}\n',
    "main.go": "// Works jobs.\nvar nobody = `told\n// what is due`\n",
    "LICENSE": "whoever\n",
}

# file, its text, line, words found
FINDINGS = [
    ("src/a.cpp", "// Refused by\n// whoever holds it.\n", 2, "whoever"),
    ("src/a.hpp", "int a;  ///< Nobody reads it.\n", 1, "Nobody"),
    ("src/a.cpp", "/* For\n * somebody. */\n", 2, "somebody"),
    ("src/a.cpp", 'throw Error("it is over, begin anew");\n', 1, "anew"),
    ("src/a.cpp", 'auto sql = R"sql(SELECT 1 -- what is due\n)sql";\n', 1, "what is"),
    ("src/a.cpp", "// Sends what\n    // is due.\n", 1, "what is"),
    ("src/a.cpp", "int b;\n// What fails is kept.\n", 2, "What"),
    ("src/a.cpp", "// Waits. Who waits holds a slot.\n", 1, "Who"),
    ("src/a.cpp", "// Everybody who asks for it.\n", 1, "Everybody"),
    ("src/a.cpp", "// A caller who asks for it.\n", 1, "who asks"),
    ("src/a.cpp", "// The rows, two of which are new.\n", 1, "of which"),
    ("src/a.cpp", "// So long does an event wait.\n", 1, "So long does"),
    ("src/a.cpp", "// It is the server who decides.\n", 1, "It is the server who"),
    ("src/a.cpp", "// A name that stands alone is no path.\n", 1, "is no path"),
    ("src/a.cpp", "// Stops once the lease is over.\n", 1, "lease is over"),
    ("src/a.cpp", "// The keys in force.\n", 1, "in force"),
    ("src/a.cpp", "// Events that are kept back.\n", 1, "kept back"),
    ("src/a.cpp", "// Reads one.cpp, two.hpp and three.sql.\n", 1, "3 file names"),
    ("src/a.sql", "SELECT 1;\n/* one */ -- told\n", 2, "told"),
    ("tests/a.py", 'a = 1\n\n\ndef f():\n    """Tells\n    somebody."""\n', 6, "somebody"),
    ("tests/a.py", "a = 1  # is told so\n", 1, "told"),
    ("tools/a", "#!/usr/bin/env bash\necho told # for nobody\n", 2, "nobody"),
    ("CMakeLists.txt", "set(a b)\n# what is built\n", 2, "what is"),
    ("a.toml", "# Whoever reads this.\na = 1\n", 1, "Whoever"),
    ("a.md", "Text.\n\n- one\n- what was sent\n", 4, "what was"),
    ("a.md", "## For nobody\n", 1, "nobody"),
    ("openapi.json", '{\n"summary": "a user", "description": "An event that nobody has"\n}\n', 2, "nobody"),
]


class CheckProse(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.git("init", "-q")

    def write(self, files):
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def check(self, *arguments):
        done = subprocess.run([*CHECK, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def git(self, *arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "--allow-empty", "-q", "-m", message)

    def test_plain_english_and_code_pass(self):
        self.write(PLAIN)
        self.assertEqual(self.check("."), (0, ""))

    def test_each_finding_has_file_line_words_and_a_suggestion(self):
        for path, text, line, words in FINDINGS:
            with self.subTest(path=path, text=text):
                self.write({path: text})
                code, output = self.check(path)
                self.assertEqual(code, 1)
                first, *others = output.splitlines()
                self.assertTrue(first.startswith(f'{path}:{line}: "{words}": '), output)
                self.assertGreater(len(first.split('": ')[1]), 5)
                self.assertTrue(all("who asks" in other for other in others), output)

    def test_changed_reports_only_lines_that_are_new(self):
        self.write({"src/a.cpp": "// For nobody.\nint a;\n", "a.sql": "-- Told.\nSELECT 1;\n", "old.md": "Somebody waits, long enough\nto be told.\n\nEnd.\n"})
        self.commit("before")
        self.assertEqual(self.check("--changed", "HEAD"), (0, ""))

        # A moved file, a moved line and an edit beside an old finding are not new; the rest is.
        self.git("mv", "old.md", "new.md")
        self.write({
            "src/a.cpp": "int a;\n// Sends what\n// is due.\n",
            "src/b.cpp": "// For nobody.\n",
            "a.sql": "SELECT 1;\n",
            "b.sql": "-- Told.\nSELECT 2;\n",
            "new.md": "Somebody waits, long enough\nto be told.\n\nThe end.\n",
        })
        code, output = self.check("--changed", "HEAD")
        self.assertEqual((code, output.count("\n")), (1, 1), output)
        self.assertTrue(output.startswith('src/a.cpp:2: "what is": '), output)

    def test_changed_reads_files_that_git_does_not_know_yet(self):
        self.commit("before")
        self.write({"fresh.md": "Told.\n"})
        code, output = self.check("--changed", "HEAD")
        self.assertEqual((code, output.split(":")[:2]), (1, ["fresh.md", "1"]))

    def test_a_base_that_is_not_a_commit_is_refused(self):
        self.commit("before")
        done = subprocess.run([*CHECK, "--changed", "elsewhere"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("elsewhere", done.stderr)

    def test_commits_have_a_short_subject_and_a_reason_in_plain_english(self):
        self.commit("before")
        self.commit("sqlite: flush the WAL before answering\n\nAn answer came before the fsync, so a crash lost it.\n")
        self.assertEqual(self.check("--commits", "HEAD~1"), (0, ""))

        for message, complaint in (
            (72 * "x" + "y\n\nBecause it was slow.", "73 characters"),
            ("locks: answer at once", "no body"),
            ("locks: answer at once\n\nSigned-off-by: A <a@example.org>", "no body"),
            ("locks: who asks again is refused\n\nBecause it was slow.", '"who asks"'),
            ("locks: answer at once\n\nBefore, the caller was told too late.", ':3: "told"'),
        ):
            with self.subTest(message=message):
                self.commit(message)
                code, output = self.check("--commits", "HEAD~1")
                self.assertEqual((code, output.count("\n")), (1, 1), output)
                self.assertIn(complaint, output)

    def test_count_gives_each_phrase_per_thousand_words(self):
        self.write({"src/a.cpp": "// " + "word " * 498 + 'nobody told\nauto a = "what is in a text of ours";\n', "docs/a.md": "word " * 100})
        code, output = self.check("--count", "src", "docs")
        self.assertEqual(code, 0)
        rows = {line.split("|")[1].strip(): [cell.strip() for cell in line.split("|")[2:-1]] for line in output.splitlines()}
        self.assertEqual(rows["words"], ["500", "100"])
        self.assertEqual(rows["nobody"], ["2.00", "0.00"])
        self.assertEqual(rows["told"], ["2.00", "0.00"])
        self.assertEqual(rows["what is"], ["0.00", "0.00"])
        self.assertEqual(rows["all"], ["4.00", "0.00"])


unittest.main()
