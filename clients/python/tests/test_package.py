"""The package as a user gets it: built, unpacked, and used as the README says."""
import base64
import os
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
import zipfile

from support import HERE, REAL_CLOCK, TEST_CLOCK, harness, url

from sundial_client import Sundial

SOURCE = os.path.dirname(HERE)
BUILD = "from setuptools import build_meta as b; b.build_sdist('out'); b.build_wheel('out')"


KEY = "whsec_" + base64.b64encode(b"of the test, which has 24 bytes").decode()
# The parts that the programs of the README leave to the reader. The worker and the feed end after their first event.
BEFORE_README = """
import builtins, contextlib, os, signal

class database:
    transaction = staticmethod(contextlib.nullcontext)

position, handled = 0, set()

def print(*texts):
    builtins.print(*texts, flush=True)
    if texts[0] == "page":
        os.kill(os.getpid(), signal.SIGTERM)

def show(users):
    print("shown", bool(users))
    closing.stop()

def refresh(ident):
    pass

def apply(events):
    print("applied", len(events))

def save(position):
    stop.stop()

def handled_before(ident):
    return ident in handled or handled.add(ident)

def handle(event_type, payload):
    builtins.print("handled", event_type, payload)
"""

AFTER_README = """
import base64, hashlib, hmac, time

def request(secret, body):
    at = str(int(time.time()))
    signature = base64.b64encode(hmac.new(secret, f"key-1.{at}.".encode() + body, hashlib.sha256).digest()).decode()
    return {"webhook-id": "key-1", "webhook-timestamp": at, "webhook-signature": "v1," + signature, "sundial-event-type": "REMINDER"}, body

secret = base64.b64decode(KEY.split("_")[1])
assert on_request(*request(secret, b'{"n": 1}')) == 204
print(on_request(*request(secret, b'{"n": 1}')))
print(on_request(*request(b"another one", b'{"n": 1}')))
"""


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
        with tarfile.open(self.sdist) as archive:
            source = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
        self.assertTrue({"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "sundial_client/py.typed"} <= source, source)
        self.assertFalse([name for name in [*self.names, *source] if re.search("test|example", name)], "tests are not part of the package")
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

    def test_the_programs_of_the_readme(self):
        """All of them, one after the other, with the parts that they leave to the reader."""
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            programs = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
        self.assertEqual(len(programs), 7)
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            Sundial(url(server)).streams.append("Order", "17", {"events": [{"eventType": "Placed", "data": {}}]})
            script = os.path.join(self.folder, "readme.py")
            with open(script, "w", encoding="utf-8") as file:
                text = "\n".join([BEFORE_README, *programs, f"KEY = {KEY!r}", AFTER_README])
                # The README shows keys that end in an ellipsis.
                file.write(text.replace("http://127.0.0.1:8080", url(server)).replace('["whsec_…", "whsec_of_the_rotation…"]', f'["{KEY}"]'))
            lines = self.run_program(script)
        checked = subprocess.run(["mypy", "--no-incremental", "--cache-dir=/dev/null", script], cwd=self.folder, text=True, capture_output=True,
                                 env={**os.environ, "MYPYPATH": self.installed}, timeout=harness.HANG_GUARD, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertEqual(lines[0], "2040-03-25T03:30:00.000+02:00")
        events = [line.split()[0] for line in lines[1:lines.index("whsec_")]]
        self.assertIn("PRINT", events)
        preview, *rest = lines[len(events) + 2:]
        self.assertIn("T02:30:00", preview)
        self.assertEqual(rest[:-4], ["0", "COMPLETED", "page 7", "shown True", "applied 1"])
        self.assertRegex(rest[-4], r"^OPTIMISTIC_LOCK \d+$")
        self.assertEqual(rest[-3:], ["handled REMINDER {'n': 1}", "204", "401"])


if __name__ == "__main__":
    unittest.main()
