"""Functions that every part of packaging/package uses."""
import gzip
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], check=False, text=True, capture_output=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def write(path, content, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)


def compressed(text):
    """Without a name or a time inside, as reproducible packages need it."""
    return gzip.compress(text.encode(), 9, mtime=0)


def settle_times(tree, date):
    """Gives every file and folder the time of the sources."""
    for path in [*tree.rglob("*"), tree]:
        os.utime(path, (date, date), follow_symlinks=False)
