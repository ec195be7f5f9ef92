"""Locks: one holder at a time on two instances, a command under a lock, a holder that is killed, one that is frozen."""
import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time

import harness as h

HOLD = "import signal, sys; print('held', flush=True); signal.pause()"  # a command that goes on until it is stopped


def acquire(client, name, holder, **members):
    return client.call("POST", f"/v1/locks/{name}", {"holder": holder, **members})


def release(client, name, lock):
    return client.call("DELETE", f"/v1/locks/{name}", headers={"Sundial-Lock-Token": lock["lockToken"]})


def end_of_lease(client):
    return client.ok("GET", "/v1/locks?q=job")["data"][0]["expiresAt"]


def lock_run(server, name, *command, ttl="PT2S", wait="PT0S", **options):
    """`sundial lock run` as a process."""
    return subprocess.Popen([h.PROGRAM, "lock", "run", name, "--ttl", ttl, "--wait", wait, "--server",
                             f"http://127.0.0.1:{server.port}", "--", *command],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def instances(kind, db, folder, *flags):
    """Two on PostgreSQL; SQLite has one process, which is both."""
    first = h.Server("serve", "--db", db, *flags, folder=folder).ready()
    return first, h.Server("serve", "--db", db, *flags, folder=folder).ready() if kind == "postgres" else first


def one_holder(kind, first, second):
    a, b = first.client(), second.client()
    held = acquire(a, "job", "a", ttl="PT60S")
    assert held.status == 201, held.body
    lock = held.json()
    assert lock["fencingToken"] == 1 and lock["holder"] == "a" and len(lock["lockToken"]) == 32, lock
    refused = acquire(b, "job", "b")
    assert refused.status == 409 and refused.json()["code"] == "LOCK_HELD" and "Retry-After" in refused.headers
    assert refused.json()["holder"] == "a" and refused.json()["expiresAt"] == lock["expiresAt"], refused.body
    assert acquire(a, "job", "a").status == 409, "not re-entrant"
    shown = b.ok("GET", "/v1/locks?q=jo")["data"]
    assert [one["name"] for one in shown] == ["job"] and "lockToken" not in shown[0], shown

    answers = []
    waiter = threading.Thread(target=lambda: answers.append(acquire(b, "job", "b", wait="PT60S")))
    waiter.start()
    renewed = a.ok("PUT", "/v1/locks/job", {"lockToken": lock["lockToken"], "ttl": "PT120S"})
    assert renewed["fencingToken"] == 1 and renewed["expiresAt"] > lock["expiresAt"], renewed
    assert release(a, "job", lock).status == 204
    waiter.join(h.HANG_GUARD)
    next_lock = answers[0].json()
    assert answers[0].status == 201 and next_lock["fencingToken"] == 2, answers[0].body
    spent = release(a, "job", lock)
    assert spent.status == 409 and spent.json()["code"] == "LOCK_NOT_HELD", spent.body
    metrics = first.client().get("/metrics").body.decode() + second.client().get("/metrics").body.decode()
    assert 'sundial_lock_waits_total{outcome="granted"} 1' in metrics and "sundial_locks_held" in metrics, metrics
    assert release(second.client(), "job", next_lock).status == 204


def command(kind, first, second):
    shown = lock_run(first, "job", sys.executable, "-c", "import os; print(os.environ['SUNDIAL_FENCING_TOKEN'])")
    out, err = shown.communicate(timeout=h.HANG_GUARD)
    assert shown.returncode == 0 and out.strip() == b"1", (out, err)
    assert lock_run(first, "job", "sh", "-c", "exit 7").wait(h.HANG_GUARD) == 7
    assert lock_run(first, "job", h.PROGRAM, "config", "show").wait(h.HANG_GUARD) == 0, "its variable is no setting"
    assert lock_run(first, "job", "/nowhere/at/all").wait(h.HANG_GUARD) == 127
    holder = lock_run(first, "job", sys.executable, "-c", HOLD, ttl="PT9S")  # it is renewed in time on a slow machine, too
    assert holder.stdout.readline() == b"held\n"
    assert lock_run(second, "job", "true").wait(h.HANG_GUARD) == 4, "another session holds it"
    client = second.client()
    first_end = end_of_lease(client)
    h.wait_until(lambda: end_of_lease(client) > first_end, "the lock to be renewed")
    assert lock_run(second, "job", "true").wait(h.HANG_GUARD) == 4
    holder.send_signal(signal.SIGTERM)
    assert holder.wait(h.HANG_GUARD) == 128 + signal.SIGTERM, "the command got the signal"
    assert lock_run(second, "job", "true").wait(h.HANG_GUARD) == 0, "it was released"


def killed(kind, first, second):
    """LK07: kill -9; the command goes with its keeper, the lock with its lease."""
    holder = lock_run(first, "job", sys.executable, "-c", HOLD)
    assert holder.stdout.readline() == b"held\n"
    holder.kill()
    assert holder.stdout.read() == b"", "the command ends too"  # its end of the pipe closes
    began = time.monotonic()
    successor = lock_run(second, "job", "sh", "-c", "echo $SUNDIAL_FENCING_TOKEN", wait="PT60S")
    out, err = successor.communicate(timeout=h.HANG_GUARD)
    assert successor.returncode == 0 and out.strip() == b"2", (out, err)
    print(f"granted {time.monotonic() - began:.1f} s after the kill, with a lease of 2 s")


class Resource:
    """The resource that the lock guards: refuses tokens smaller than one that it has seen."""

    def __init__(self):
        self.greatest, self.text = 0, None

    def write(self, text, token):
        if token < self.greatest:
            return False
        self.greatest, self.text = token, text
        return True


def frozen(kind, first, second):
    """LK08: the keeper is stopped beyond its lease while its command goes on; another takes over."""
    resource = Resource()
    old = subprocess.Popen([h.PROGRAM, "lock", "run", "job", "--ttl", "PT2S", "--server",
                            f"http://127.0.0.1:{first.port}", "--", sys.executable, "-c",
                            "import os, signal; print(os.environ['SUNDIAL_FENCING_TOKEN'], flush=True); signal.pause()"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    old_token = int(old.stdout.readline())
    assert resource.write("old", old_token)
    old.send_signal(signal.SIGSTOP)
    new = lock_run(second, "job", "sh", "-c", "echo $SUNDIAL_FENCING_TOKEN", wait="PT60S")
    out, err = new.communicate(timeout=h.HANG_GUARD)
    assert new.returncode == 0, err
    assert int(out) > old_token and resource.write("new", int(out))
    assert not resource.write("late", old_token) and resource.text == "new", "an old holder wrote"
    old.send_signal(signal.SIGCONT)  # sees at once that its lease has expired
    assert old.wait(h.HANG_GUARD) in (128 + signal.SIGTERM, 128 + signal.SIGKILL), old.returncode
    assert b"is lost" in old.stderr.read()


class Redis:
    """A redis-server of one's own that keeps nothing."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, h.free_port(), None
        self.url = f"redis://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                                         "--dir", self.folder], stdout=subprocess.DEVNULL)

        def answers():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)) as client:
                client.sendall(b"PING\r\n")
                return client.recv(16) == b"+PONG\r\n"
        h.wait_until(answers, "Redis to answer")
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()


def on_redis(kind, first, second, redis):
    """LK13, LK15: the lock server is killed, and comes back with nothing."""
    client = first.client()
    held = acquire(client, "job", "a", ttl="PT60S")
    assert held.status == 201 and acquire(second.client(), "job", "b").status == 409, held.body
    redis.kill()
    gone = acquire(client, "job", "b")
    assert gone.status == 503 and gone.json()["code"] == "STORAGE_UNAVAILABLE", gone.body
    assert client.get("/readyz").status == 200, "the database is there"
    assert client.get("/metrics").status == 200
    redis.start()
    again = acquire(second.client(), "job", "b")
    assert again.status == 201 and again.json()["fencingToken"] > held.json()["fencingToken"], again.body
    late = client.call("PUT", "/v1/locks/job", {"lockToken": held.json()["lockToken"]})
    assert late.status == 409, late.body


TESTS = {"one_holder": one_holder, "command": command, "killed": killed, "frozen": frozen, "on_redis": on_redis}


def main(name, kind):
    with h.folder() as folder, h.database(kind, folder) as db, contextlib.ExitStack() as ends:
        if name == "on_redis":
            redis = Redis(folder).start()
            ends.callback(redis.kill)
            servers = instances(kind, db, folder, f"--locks.url={redis.url}")
        else:
            redis, servers = None, instances(kind, db, folder)
        for server in servers:
            ends.callback(server.kill)
        TESTS[name](kind, *servers, *([redis] if redis else []))
    print(f"locks {name} {kind}: passed")


if __name__ == "__main__":
    main(*sys.argv[1:])
