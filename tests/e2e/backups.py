"""`sundial db backup`, `check` and `restore` over real databases: while events flow, killed, damaged, and then delivered."""
import contextlib
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time

import harness as h

ENDING = {"sqlite": "db", "postgres": "backup"}


def run(*arguments, code=0):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
    done = subprocess.run([h.PROGRAM, "db", *arguments], env=clean, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=h.HANG_GUARD)
    assert done.returncode == code, (arguments, done)
    return done.stdout if code == 0 else done.stdout + done.stderr


@contextlib.contextmanager
def empty_database(kind, directory):
    if kind == "sqlite":
        yield os.path.join(directory, "restored.db")
    else:
        with h.postgres() as url:
            yield url


def endpoint(client, receiver):
    return client.ok("POST", "/v1/endpoints", {"externalId": "crm", "name": "crm", "type": "WEBHOOK", "url": receiver.url})["id"]


def create(client, target, count, when):
    events = [{"eventType": "SAVED", "idempotencyKey": os.urandom(8).hex(), "targetTimestampUTC": when, "endpointId": target, "deliveryPayload": {"n": n, "text": "a\tb\\n\n"}}
              for n in range(count)]
    ids = []
    for start in range(0, count, 500):
        answer = client.ok("POST", "/v1/events/batch", {"events": events[start:start + 500]})
        assert all("id" in one for one in answer["data"]), answer["data"][0]
        ids += [one["id"] for one in answer["data"]]
    return ids


def serve(database, directory):
    return h.running("serve", "--db", database, *h.LOCAL_RECEIVERS, folder=directory)


def while_events_flow(kind):
    """A backup under load is whole: it is restored elsewhere and delivers the due events under the same ids."""
    hold = threading.Event()  # no delivery ends before the backup is made
    receiver = h.Receiver(hold=hold)
    with h.folder() as directory, h.database(kind, directory) as database, empty_database(kind, directory) as other:
        saved = os.path.join(directory, "saved." + ENDING[kind])
        with serve(database, directory) as server:
            client = server.client()
            target = endpoint(client, receiver)
            later = create(client, target, 20, "now+300d")
            create(client, target, 1500, "now")
            h.wait_until(lambda: receiver.count() > 20, "deliveries")
            said = run("backup", saved, "--db", database)
            assert receiver.count() < 1500, "the events were delivered before the backup was made: make more"
            assert "saved and verified" in said and "key for secrets" in said, said
            assert ("snapshot was open for" in said) == (kind == "postgres"), said
            assert "exists already" in run("backup", saved, "--db", database, code=1)
            run("backup", directory, "--db", database)
            assert len([name for name in os.listdir(directory) if name.startswith("sundial-2")]) == 1
            if kind == "postgres":
                assert "use the database" in run("restore", saved, "--db", database, "--replace", "-y", code=1)
            else:
                assert "in use by another process" in run("restore", saved, "--db", database, "--replace", "-y", code=1)
            assert "sound" in run("check", "--db", database)
            server.kill()
            hold.set()
        assert stat.S_IMODE(os.stat(saved).st_mode) == 0o600
        assert not [name for name in os.listdir(directory) if name.endswith(".partial")]
        assert "sound" in run("check", saved)
        said = run("restore", saved, "--db", other)
        assert "crm: " in said and "the oldest was due 2" in said, said
        assert "has data" in run("restore", saved, "--db", other, code=1)
        assert "give -y" in run("restore", saved, "--db", other, "--replace", code=2)
        whole = run("check", "--db", other)
        tried = run("restore", saved, "--db", other, "--replace", "--dry-run")
        assert "would restore" in tried and "nothing has changed" in tried and "crm: " in tried, tried
        assert run("check", "--db", other) == whole and not [name for name in os.listdir(directory) if "restoring" in name]
        run("restore", saved, "--db", other, "--replace", "-y")
        assert "sound" in run("check", "--db", other)
        before = receiver.count()
        with serve(other, directory) as server:
            client = server.client()
            h.wait_until(lambda: not [e for e in client.all("/v1/events?status=PENDING&limit=200")
                                      if e["id"] not in later] and
                         not client.all("/v1/events?status=PROCESSING&limit=200"), "the restored events")
            assert receiver.count() > before
            pending = {e["id"] for e in client.all("/v1/events?status=PENDING&limit=200")}
            assert pending == set(later), "events of the future are there, and nothing else"
            # Numbers continue after those of the backup.
            assert create(client, target, 1, "now+300d")[0] not in later
            done = client.ok("POST", "/v1/users", {"firstName": "A", "lastName": "B", "dateOfBirth": "1990-01-01",
                                                   "timezone": "UTC"})
            assert done["id"]
            assert server.stop() == 0
        assert len(set(receiver.ids())) == 1500, "every event arrived, under its id"


def damaged(kind):
    """A backup with one wrong byte, or without its end, is refused, and nothing changes."""
    receiver = h.Receiver()
    with h.folder() as directory, h.database(kind, directory) as database, empty_database(kind, directory) as other:
        with serve(database, directory) as server:
            client = server.client()
            create(client, endpoint(client, receiver), 300, "now+300d")
            assert server.stop() == 0
        saved = os.path.join(directory, "saved." + ENDING[kind])
        run("backup", saved, "--db", database)
        with open(saved, "rb") as file:
            whole = file.read()
        at = whole.rindex(b"SAVED")
        wrong = {"byte": whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:], "end": whole[:len(whole) // 2],
                 "empty": b"", "other": b"Dear Sundial, this is a letter. " * 4000}
        run("restore", saved, "--db", other)
        for name, content in wrong.items():
            broken = os.path.join(directory, name)
            with open(broken, "wb") as file:
                file.write(content)
            if name == "empty" or name == "other":
                run("restore", broken, "--db", other, "--replace", "-y", code=1)
                continue
            said = run("check", broken, code=1)
            assert "FAULT" in said, (name, said)
            run("restore", broken, "--db", other, "--replace", "-y", code=1)
        with serve(other, directory) as server:
            assert len(server.client().all("/v1/events?status=PENDING&limit=200")) == 300
            assert server.stop() == 0
        if kind == "sqlite":
            # A table that was changed in a sound file differs from its digest.
            with contextlib.closing(sqlite3.connect(saved)) as connection:
                connection.execute("UPDATE events SET payload = '{}' WHERE id = (SELECT min(id) FROM events)")
                connection.commit()
            assert "SHA-256" in run("check", saved, code=1)
            assert "events belong to users" in broken_relations(directory, database)
            over_a_damaged_file(directory)
            copied_by_hand(directory)


def over_a_damaged_file(directory):
    """A restore replaces what a crash of the machine may leave: half a database or none, beside the log of SQLite."""
    database, saved = (os.path.join(directory, name) for name in ("lost.db", "new.db"))
    run("migrate", "--db", database)
    run("backup", saved, "--db", database)
    for damage in (lambda: os.truncate(database, 5000), lambda: os.remove(database)):
        with serve(database, directory) as server:
            server.kill()
        assert os.path.exists(database + "-wal")
        damage()
        run("restore", saved, "--db", database, "--replace", "-y")
        assert "sound" in run("check", "--db", database)


def broken_relations(directory, database):
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE events SET user_id = x'00000000000000000000000000000001' WHERE id = (SELECT min(id) FROM events)")
        connection.commit()
    return run("check", "--db", database, code=1)


def copied_by_hand(directory):
    """A copy of a backup works as a database, and is not called damaged because it has changed since."""
    saved, database = (os.path.join(directory, name) for name in ("new.db", "copied.db"))
    shutil.copy(saved, database)
    with serve(database, directory) as server:
        server.client().ok("POST", "/v1/users", {"firstName": "A", "lastName": "B", "dateOfBirth": "1990-01-01",
                                                 "timezone": "UTC"})
        assert server.stop() == 0
    assert "sound" in run("check", "--db", database)
    assert "FAULT" in run("check", database, code=1), "it is no longer the backup"


def edited_schedule(kind):
    """A database whose only data is an edit of the schedule that every database has is not empty: a restore would undo it."""
    with h.folder() as directory, h.database(kind, directory) as database, empty_database(kind, directory) as other:
        run("migrate", "--db", database)
        saved = os.path.join(directory, "saved." + ENDING[kind])
        run("backup", saved, "--db", database)
        run("restore", saved, "--db", other)
        run("restore", saved, "--db", other)  # it is still empty
        # An edit by the API is also recorded, but a record is deleted sooner or later.
        edit = "UPDATE {}schedules SET note = 'by me', version = version + 1"
        if kind == "sqlite":
            with contextlib.closing(sqlite3.connect(other)) as connection:
                connection.execute(edit.format(""))
                connection.commit()
        else:
            subprocess.run(["psql", other, "-Xqc", edit.format("sundial.")], check=True)
        assert "has data" in run("restore", saved, "--db", other, code=1)
        run("restore", saved, "--db", other, "--replace", "-y")
        run("restore", saved, "--db", other)


def killed(kind):
    """kill -9 at any moment of a backup or a restore: no half backup has the name, and no half database is left."""
    receiver = h.Receiver()
    with h.folder() as directory, h.database(kind, directory) as database, empty_database(kind, directory) as other:
        with serve(database, directory) as server:
            client = server.client()
            create(client, endpoint(client, receiver), 2000, "now+300d")
            assert server.stop() == 0
        saved = os.path.join(directory, "saved." + ENDING[kind])
        started = time.monotonic()
        run("backup", saved, "--db", database)
        whole = time.monotonic() - started
        kills = 0
        for part in range(1, 11):
            name = os.path.join(directory, f"killed{part}." + ENDING[kind])
            early = ended_early(whole * part / 11, "backup", name, "--db", database)
            kills, whole = kills + early, whole if early else 0.7 * whole  # the machine was busier before
            if os.path.exists(name):
                assert "sound" in run("check", name)
            run("backup", name + "2", "--db", database)
        run("restore", saved, "--db", other)
        started = time.monotonic()
        run("restore", saved, "--db", other, "--replace", "-y")
        whole = time.monotonic() - started
        for part in range(1, 11):
            early = ended_early(whole * part / 11, "restore", saved, "--db", other, "--replace", "-y")
            kills, whole = kills + early, whole if early else 0.7 * whole
            said = run("check", "--db", other)
            assert "events  2000\n" in said, said
        assert kills > 5, f"only {kills} of the commands were killed"
        run("restore", saved, "--db", other, "--replace", "-y")
        assert "events  2000\n" in run("check", "--db", other)


def one_name(kind):
    """Two backups to one name at once: one is kept, whole. The remains of a killed one are removed by the next of its name."""
    receiver = h.Receiver()
    with h.folder() as directory, h.database(kind, directory) as database:
        with serve(database, directory) as server:
            client = server.client()
            create(client, endpoint(client, receiver), 3000, "now+300d")
            assert server.stop() == 0
        saved = os.path.join(directory, "saved." + ENDING[kind])
        both = [subprocess.Popen([h.PROGRAM, "db", "backup", saved, "--db", database], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True) for _ in range(2)]
        said = [process.communicate(timeout=h.HANG_GUARD)[1] for process in both]
        assert sorted(process.returncode for process in both) == [0, 1], said
        assert any("exists already" in one or "another process has made it" in one for one in said), said
        assert "events  3000\n" in run("check", saved)
        other = os.path.join(directory, "other." + ENDING[kind])
        remains = lambda: [name for name in os.listdir(directory) if ".partial" in name]  # noqa: E731
        process = subprocess.Popen([h.PROGRAM, "db", "backup", other, "--db", database], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        h.wait_until(lambda: remains() or process.poll() is not None, "a partial backup")
        process.kill()
        process.wait()
        if os.path.exists(other):  # it was faster
            os.remove(other)
        with open(other + ".Abc123.partial", "wb"), open(other + ".partial", "wb"):
            pass
        run("backup", other, "--db", database)
        assert not remains(), remains()


def ended_early(seconds, *arguments):
    process = subprocess.Popen([h.PROGRAM, "db", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def sequences_of(kind, database):
    if kind == "sqlite":
        return None  # rows alone decide the next number
    query = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'sundial' ORDER BY sequencename"
    return subprocess.run(["psql", database, "-XAtc", query], check=True, capture_output=True, text=True).stdout


def tried(kind):
    """A dry run leaves the database as it was, its sequences too: changes made since the backup do not hinder the next ones."""
    user = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}
    with h.folder() as directory, h.database(kind, directory) as database:
        saved = os.path.join(directory, "saved." + ENDING[kind])
        with serve(database, directory) as server:
            server.client().ok("POST", "/v1/users", user)
            assert server.stop() == 0
        run("backup", saved, "--db", database)
        with serve(database, directory) as server:
            server.client().ok("POST", "/v1/users", user)
            assert server.stop() == 0
        before = sequences_of(kind, database)
        assert "nothing has changed" in run("restore", saved, "--db", database, "--replace", "--dry-run")
        assert sequences_of(kind, database) == before
        with serve(database, directory) as server:
            server.client().ok("POST", "/v1/users", user)
            assert len(server.client().all("/v1/users")) == 3


def made_by_root(kind):
    """A database that root restores into the folder of a service belongs to the service, which could not open it otherwise."""
    if os.geteuid() != 0:
        print("needs root: skipped")
        sys.exit(77)
    service = 65534
    with h.folder() as directory, h.database(kind, directory) as database:
        run("migrate", "--db", database)
        saved = os.path.join(directory, "saved.db")
        run("backup", saved, "--db", database)
        assert os.stat(saved).st_uid == 0, "a backup belongs to the user that made it"
        own = os.path.join(directory, "service")
        os.mkdir(own)
        os.chown(own, service, service)
        restored, target = os.path.join(own, "restored.db"), os.path.join(directory, "elsewhere")
        with open(target, "wb"):
            pass
        os.symlink(target, restored + "-lock")
        run("restore", saved, "--db", restored)
        run("migrate", "--db", os.path.join(own, "migrated.db"))
        assert {os.lstat(os.path.join(own, name)).st_uid for name in os.listdir(own) if not name.endswith("restored.db-lock")} == {service}
        assert os.stat(target).st_uid == 0, "a link must not give a file of root away"
        os.remove(restored + "-lock")
        run("restore", saved, "--db", restored, "--replace", "-y")
        assert {os.stat(os.path.join(own, name)).st_uid for name in os.listdir(own)} == {service}


TESTS = {"made_by_root": made_by_root, "tried": tried, "while_events_flow": while_events_flow, "damaged": damaged, "edited_schedule": edited_schedule, "killed": killed, "one_name": one_name}

if __name__ == "__main__":
    TESTS[sys.argv[1]](sys.argv[2])
    print("ok", sys.argv[1], sys.argv[2])
