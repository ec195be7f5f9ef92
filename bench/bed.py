"""Where measurements take place: a PostgreSQL of their own with fsync on, the programs, fresh databases and files."""
import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

from machine import cpu_seconds

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = os.environ.get("BENCH_PROGRAMS", os.path.join(ROOT, "build", "release", "bin"))
# The programs that the test harness starts.
os.environ.setdefault("SUNDIAL", os.path.join(PROGRAMS, "sundial"))
os.environ.setdefault("TEMPORARY_POSTGRES", os.path.join(ROOT, "build", "dev", "bin", "temporary_postgres"))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
import harness as h  # noqa: E402

PEERS = os.environ.get("BENCH_PEERS", os.path.join(ROOT, "build", "bench", "peers"))


class NotMeasured(Exception):
    """A program failed, or what it did is not valid."""


def program(name):
    return os.path.join(PROGRAMS, name)


def run(command):
    """The objects that it printed; the last one sums them up."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines or not lines[-1].get("valid"):
        raise NotMeasured(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return lines, done.stderr


def run_measured(command, database_cpu):
    """The last object that it printed, with the CPU seconds of the process and of the database between two lines that say when
    it measures."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        errors = []
        reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
        reader.start()
        noted, last = [], None
        for line in process.stdout:
            if not line.startswith("{"):
                continue
            last = json.loads(line)
            if "measuring" in last:
                noted.append((cpu_seconds(process.pid), database_cpu()))
        reader.join()
    if process.returncode != 0 or last is None or not last.get("valid") or len(noted) != 2:
        raise NotMeasured(f"{' '.join(command)}: exit code {process.returncode}\n{last}\n{errors[0][-2000:]}")
    (own, its), (own_after, its_after) = noted
    return {**last, "processCpuSeconds": own_after - own, "databaseCpuSeconds": its_after - its}


class Bed:
    """Databases and files for one program each."""

    def __init__(self, url, folder):
        self.url, self.folder = url, folder
        self.numbers = itertools.count(1)

    def sql(self, text):
        done = subprocess.run(["psql", self.url, "-XqAtc", text], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    @contextlib.contextmanager
    def database(self):
        """The URL of an empty one, dropped afterwards."""
        name = f"bench{next(self.numbers)}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE template0")
        before, _, after = self.url.partition("/test1?")
        try:
            yield f"{before}/{name}?{after}"
        finally:
            self.sql(f"DROP DATABASE {name} WITH (FORCE)")

    @contextlib.contextmanager
    def file(self):
        """The name of one that is not there, in a folder that goes with it."""
        folder = tempfile.mkdtemp(dir=self.folder)
        try:
            yield os.path.join(folder, "bench.db")
        finally:
            shutil.rmtree(folder)

    def database_cpu(self):
        """CPU seconds of PostgreSQL's processes so far. The first one comes last: it has the time of those that end meanwhile."""
        total = 0.0
        for process in reversed(h.postgres_processes(self.url)):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                total += cpu_seconds(process)
        return total

    def sundial(self, storage, *arguments):
        """One run of `sundial bench`: its summary, and the run's own line."""
        db = ["--db", self.url] if storage == "postgres" else []
        lines, _ = run([program("sundial"), "bench", *map(str, arguments), "--runs", "1", "--json", *db])
        return {**lines[-2], **lines[-1]}

    def raw(self, storage, work, events, batch, connections=1):
        place = self.database() if storage == "postgres" else self.file()
        with place as where:
            subprocess.run([program("sundial"), "db", "migrate", "--db", where], check=True, stdout=subprocess.DEVNULL)
            how = [work, str(events), str(batch)] + ([str(connections)] if storage == "postgres" else [])
            return run_measured([program(f"bench_raw_{storage}"), where, *how], self.database_cpu if storage == "postgres" else lambda: 0.0)

    def peer(self, script, work, events):
        place = self.file() if script == "plainjob" else self.database()
        with place as where:
            node = os.path.join(PEERS, "node_modules", ".bin", "node")
            return run_measured([node, os.path.join(PEERS, f"{script}.mjs"), work, str(events), where],
                                (lambda: 0.0) if script == "plainjob" else self.database_cpu)


@contextlib.contextmanager
def bed():
    with tempfile.TemporaryDirectory(prefix="sundial-bench-") as folder, h.postgres(on_disk=True) as url:
        os.environ["TMPDIR"] = folder  # what `sundial bench` makes without --db lies there too
        yield Bed(url, folder)
