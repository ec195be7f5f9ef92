"""The power fails during `sundial db backup`, `restore` and `copy`, and unflushed data is gone. No half backup has the name of a
backup, no half database that of a database, and the result that a command has reported stays.

As root: the files lie on an ext4 file system on a loop device, whose power tools/chaos/machine.py cuts. PostgreSQL has its data
directory there, and uses fsync.
"""
import contextlib
import os
import random
import subprocess
import sys
import tempfile
import time
import types
import uuid

import backups
import copies
import harness as h

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/chaos"))
import machine  # noqa: E402
from postgres import Postgres  # noqa: E402

EVENTS, EARLIER = 5000, 200
EXPECTED = f"events  {EVENTS}\n"


@contextlib.contextmanager
def disk():
    machine.need_root("power cuts")
    machine.mount_apart()
    with tempfile.TemporaryDirectory(prefix="sundial-disk-") as folder:
        os.chmod(folder, 0o755)  # PostgreSQL runs as a user of its own
        world = types.SimpleNamespace(folder=folder, closing=[])
        try:
            made = machine.Disk(world, megabytes=1024)
        except subprocess.CalledProcessError as error:
            print(f"no loop device with ext4 here ({error}): skipped")
            sys.exit(77)
        try:
            os.chmod(made.folder, 0o755)
            yield made
        finally:
            for close in reversed(world.closing):
                close()


class Sqlite:
    """A place for databases on the disk."""

    def __init__(self, on):
        self.disk, self.number, self.url = on, 0, None

    def next(self):
        self.number += 1
        self.url = os.path.join(self.disk.folder, f"target{self.number}.db")

    def cut_power(self):
        assert self.disk.cut_power() == 1, "the cut lost nothing"

    def end(self):
        pass


class PostgresOnDisk:
    def __init__(self, on):
        self.disk, self.number = on, 0
        self.server = Postgres(on.folder)
        self.server.create()
        self.url = None

    def next(self):
        self.number += 1
        self.server.sql(f"CREATE DATABASE target{self.number} TEMPLATE template0")
        self.url = f"postgresql://sundial@127.0.0.1:{self.server.port}/target{self.number}?sslmode=disable&gssencmode=disable"
        self.disk.flush()  # initdb did not

    def cut_power(self):
        self.server.kill()
        assert self.disk.cut_power() == 1, "the cut lost nothing"
        self.server.start()

    def end(self):
        self.server.stop()


PLACES = {"sqlite": Sqlite, "postgres": PostgresOnDisk}


@contextlib.contextmanager
def target(kind, on):
    place = PLACES[kind](on)
    try:
        place.next()
        yield place
    finally:
        place.end()


def ended_early(seconds, *arguments):
    """Whether the power was due before the command had ended."""
    process = subprocess.Popen([h.PROGRAM, "db", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert process.wait(timeout=seconds) == 0, arguments
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


def filled(database, directory, events, first=True):
    with backups.serve(database, directory) as server:
        client = server.client()
        if first:
            backups.endpoint(client, h.Receiver())
        backups.create(client, "ext:crm", events, "now+300d")
        assert server.stop() == 0


def timed(command):
    started = time.monotonic()
    command()
    return time.monotonic() - started


class Cuts:
    """Moments over the whole time of a command, and a little after it. More than `cuts` of them if none came before its end:
    the machine may have been slower while the command was timed."""

    def __init__(self, whole, cuts):
        seed = int(os.environ.get("SEED", time.time_ns() % 1_000_000))
        print("SEED", seed)
        self.chance, self.whole, self.cuts, self.early = random.Random(seed), whole, cuts, 0

    def moments(self):
        for cut in range(self.cuts):
            yield self.whole * 1.3 * (cut + self.chance.random()) / self.cuts
        for _ in range(10):
            if self.early == 0:
                self.whole /= 2
                yield self.whole * self.chance.random()
                self.cuts += 1

    def count(self, early):
        self.early += early
        return early


def backup(kind, cuts):
    with h.folder() as directory, h.database(kind, directory) as source, disk() as on:
        filled(source, directory, EVENTS)
        ending = backups.ENDING[kind]
        name = lambda number: os.path.join(on.folder, f"saved{number}.{ending}")  # noqa: E731
        whole = timed(lambda: backups.run("backup", name("-first"), "--db", source))
        kept, plan = 0, Cuts(whole, int(cuts))
        for number, moment in enumerate(plan.moments()):
            plan.count(ended_early(moment, "backup", name(number), "--db", source))
            assert on.cut_power() == 1, "the cut lost nothing"
            if os.path.exists(name(number)):
                kept += 1
                assert EXPECTED in backups.run("check", name(number))
            else:
                backups.run("backup", name(number), "--db", source)
                remains = [file for file in os.listdir(on.folder) if file.startswith(f"saved{number}.") and file != os.path.basename(name(number))]
                assert not remains, remains
        assert plan.early > 0, "no cut came before the end"
        backups.run("backup", name("-last"), "--db", source)
        on.cut_power()
        for which in ("-first", "-last"):
            assert EXPECTED in backups.run("check", name(which)), "a backup that was reported is lost"
        print(f"{plan.cuts} power cuts, {plan.early} before the end; {kept} backups were complete, none was half")


def leave_a_log(database, directory):
    """A killed server leaves the log of SQLite beside its database, which must not become that of the next one."""
    with backups.serve(database, directory) as server:
        server.client().ok("POST", "/v1/streams/Note/1", {"events": [{"eventId": str(uuid.uuid4()), "eventType": "Noted", "data": {}}]})
        server.kill()
    assert os.path.exists(database + "-wal")


def restore(kind, cuts):
    with h.folder() as directory, h.database(kind, directory) as source, disk() as on, target(kind, on) as place:
        small, large = (os.path.join(directory, f"{size}.{backups.ENDING[kind]}") for size in ("small", "large"))
        filled(source, directory, EARLIER)
        backups.run("backup", small, "--db", source)
        filled(source, directory, EVENTS - EARLIER, first=False)
        backups.run("backup", large, "--db", source)
        backups.run("restore", small, "--db", place.url)
        whole = timed(lambda: backups.run("restore", large, "--db", place.url, "--replace", "-y"))
        old, plan = 0, Cuts(whole, int(cuts))
        for number, moment in enumerate(plan.moments()):
            backups.run("restore", small, "--db", place.url, "--replace", "-y")
            if kind == "sqlite" and number % 2 == 0:
                leave_a_log(place.url, directory)
            on.flush()
            plan.count(ended_early(moment, "restore", large, "--db", place.url, "--replace", "-y"))
            place.cut_power()
            said = backups.run("check", "--db", place.url)
            assert EXPECTED in said or f"events  {EARLIER}\n" in said, said
            old += EXPECTED not in said
        assert plan.early > 0 and old > 0, "no cut came before the end"
        backups.run("restore", large, "--db", place.url, "--replace", "-y")
        place.cut_power()
        assert EXPECTED in backups.run("check", "--db", place.url), "a restore that was reported is lost"
        print(f"{plan.cuts} power cuts, {plan.early} before the end; {old} left the old database, {plan.cuts - old} the new one, "
              "none a mixture")


def copy(kind, cuts):
    """`kind` is that of the source."""
    with h.folder() as directory, h.database(kind, directory) as source, disk() as on, target(copies.OTHER[kind], on) as place:
        filled(source, directory, EVENTS)
        whole = timed(lambda: copies.copy(source, place.url))
        place.next()
        went_on, plan = 0, Cuts(whole, int(cuts))
        for moment in plan.moments():
            cut = plan.count(ended_early(moment, "copy", place.url, "--db", source, "-y"))
            place.cut_power()
            if cut and copies.nothing_visible(place.url):
                went_on += copies.copy(source, place.url)["rowsCopiedBefore"] > 0
                place.cut_power()
            assert EXPECTED in backups.run("check", "--db", place.url), "a copy that was reported is lost"
            place.next()
        assert plan.early > 0, "no cut came before the end"
        print(f"{plan.cuts} power cuts, {plan.early} before the end, {went_on} copies went on behind rows that were kept; each is whole")


if __name__ == "__main__":
    h.main({"backup": backup, "restore": restore, "copy": copy})
