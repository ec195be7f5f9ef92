"""A coordinator and two workers with PostgreSQL's extension citus, which this project neither has nor installs: the profiles
and tests that use it are skipped without it."""
import contextlib
import glob
import os
import subprocess

import harness as h
from postgres import Postgres

SKIPPED = 77
SETTINGS = ("max_prepared_transactions=200", "max_worker_processes=16", "wal_level=logical",
            "citus.enable_statistics_collection=off",
            "citus.recover_2pc_interval=1s")  # a coordinator that was killed leaves transactions in doubt: end them soon


def use_tools():
    """Puts the folder with the tools of a PostgreSQL that has the extension into POSTGRES_TOOLS: the one that is named there,
    or one that Debian installed. Ends the program as skipped if there is none."""
    folders = [os.environ["POSTGRES_TOOLS"]] if "POSTGRES_TOOLS" in os.environ else glob.glob("/usr/lib/postgresql/*/bin")
    for folder in folders:
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            shared = subprocess.run([f"{folder}/pg_config", "--sharedir"], check=True, capture_output=True, text=True).stdout.strip()
            if os.path.exists(f"{shared}/extension/citus.control"):
                os.environ["POSTGRES_TOOLS"] = folder
                return
    print("skipped: extension citus is not installed")
    raise SystemExit(SKIPPED)


def sundial(*arguments):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, "db", *arguments], env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    assert done.returncode == 0, (arguments, done)


class Cluster:
    """The servers, each in a folder of its own below `folder`."""

    def __init__(self, folder, options=(), libraries="citus"):
        # Servers look for certificates in HOME, and may not be able to read ours.
        os.environ["HOME"] = folder
        options = (f"shared_preload_libraries={libraries}", *SETTINGS, *options)
        self.coordinator, *self.workers = self.nodes = [Postgres(folder, name, options=options)
                                                        for name in ("coordinator", "one", "two")]

    def create(self):
        for node in self.nodes:
            node.create()
            node.sql("CREATE EXTENSION citus")
        self.coordinator.sql(f"SELECT citus_set_coordinator_host('127.0.0.1', {self.coordinator.port})")
        return self

    @property
    def url(self):
        return self.coordinator.url()

    def add_workers(self, ports=None):
        """`ports` lead to the workers; by default, their own."""
        for port in ports or [worker.port for worker in self.workers]:
            self.coordinator.sql(f"SELECT citus_add_node('127.0.0.1', {port})")

    def distribute(self, ports=None):
        """A database of 64 shards in 32 parts, half of them on each worker."""
        sundial("migrate", "--db", self.url, "--storage.shards=64")
        self.add_workers(ports)
        sundial("distribute", "-y", "--db", self.url)
        return self

    def in_doubt(self):
        """Transactions that are prepared on a worker and not yet ended."""
        return sum(int(worker.sql("SELECT count(*) FROM pg_prepared_xacts")) for worker in self.workers)

    def parts(self):
        """Of each part of the events its shard of Citus, and the port of its worker."""
        rows = self.coordinator.sql("SELECT shardid, nodeport FROM citus_shards WHERE table_name = 'sundial.events'::regclass")
        return [tuple(map(int, row.split("|"))) for row in rows.split("\n")]

    def stop(self):
        for node in self.nodes:
            node.stop()


@contextlib.contextmanager
def running(folder, options=("fsync=off",), libraries="citus"):
    """A cluster whose workers are not registered yet."""
    cluster = Cluster(folder, options, libraries)
    try:
        yield cluster.create()
    finally:
        cluster.stop()
