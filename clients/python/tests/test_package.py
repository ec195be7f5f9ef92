"""The package as a user gets it: built, unpacked, and used as the README says."""
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

from support import HERE, REAL_CLOCK, TEST_CLOCK, harness, url

SOURCE = os.path.dirname(HERE)
BUILD = "from setuptools import build_meta as b; b.build_sdist('out'); b.build_wheel('out')"


def a_python_that_builds():
    """Python 3.11 of Debian has setuptools and wheel as packages; the one that runs this test may have neither."""
    for program in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([program, "-c", "import setuptools, wheel"], capture_output=True, check=False).returncode == 0:
            return program
    raise AssertionError("install python3-setuptools and python3-wheel")


def build(folder):
    """(name of the source distribution, name of the wheel), in the folder out."""
    source = os.path.join(folder, "source")
    shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__", "build", "out", "*.egg-info"))
    done = subprocess.run([a_python_that_builds(), "-c", BUILD], cwd=source, text=True, capture_output=True, timeout=harness.HANG_GUARD, check=False)
    assert done.returncode == 0, done.stderr
    out = os.path.join(source, "out")
    names = sorted(os.listdir(out))
    assert len(names) == 2, names
    return [os.path.join(out, name) for name in sorted(names, key=lambda name: name.endswith(".whl"))]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(harness.folder())
        cls.sdist, wheel = build(cls.folder)
        cls.wheel = wheel
        cls.installed = os.path.join(cls.folder, "installed")
        with zipfile.ZipFile(wheel) as archive:
            cls.names = archive.namelist()
            archive.extractall(cls.installed)

    def run_program(self, script, *arguments):
        environment = {**os.environ, "PYTHONPATH": self.installed}
        done = subprocess.run([sys.executable, "-W", "error", script, *arguments], env=environment, cwd=self.folder, text=True,
                              capture_output=True, timeout=harness.HANG_GUARD, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_contents(self):
        with open(os.path.join(SOURCE, "pyproject.toml"), encoding="utf-8") as file:
            version = re.search(r'^version = "(.*)"$', file.read(), re.M)[1]
        self.assertEqual(os.path.basename(self.sdist).replace("-", "_"), f"sundial_client_{version}.tar.gz")
        self.assertEqual(os.path.basename(self.wheel), f"sundial_client-{version}-py3-none-any.whl")
        for name in ("__init__.py", "schema.py", "py.typed"):
            self.assertIn(f"sundial_client/{name}", self.names)
        self.assertTrue(any(name.endswith("/LICENSE") for name in self.names), self.names)
        self.assertFalse([name for name in self.names if "test" in name], "tests are not part of the package")
        metadata = next(name for name in self.names if name.endswith("/METADATA"))
        with open(os.path.join(self.installed, metadata), encoding="utf-8") as file:
            text = file.read()
        self.assertIn("Requires-Python: >=3.9", text)
        self.assertNotIn("Requires-Dist", text)
        self.assertIn("# sundial-client for Python", text)

    def test_the_example(self):
        with harness.folder() as directory, harness.running(*REAL_CLOCK, folder=directory) as server:
            lines = self.run_program(os.path.join(SOURCE, "examples", "five_minutes.py"), url(server))
        self.assertEqual(lines[0], "planned: 2040-03-25T03:30:00.000+02:00 Europe/Paris")
        self.assertRegex(lines[1], r"^webhook: REMINDER \{'text': 'Renew today'\} for \d{4}-.*\[Europe/Paris\]$")
        self.assertEqual(sorted(lines[2:5]), [f"page {page}, attempt 1" for page in (1, 2, 3)])
        self.assertIn("VALIDATION_FAILED", lines[5])
        self.assertEqual(lines[6:], ["PRINT COMPLETED"] * 3)

    def test_the_program_of_the_readme(self):
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            program = re.search(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)[1]
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            script = os.path.join(self.folder, "readme.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(program.replace("http://127.0.0.1:8080", url(server)))
            lines = self.run_program(script)
        self.assertEqual(lines[0], "2040-03-25T03:30:00.000+02:00")
        self.assertIn("PRINT", lines[1])


if __name__ == "__main__":
    unittest.main()
