"""Processes that die with the harness, and instances of the product."""
import contextlib
import ctypes
import json
import os
import signal

import harness as h

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None, use_errno=True)


def die_with_us():
    """For a child: nothing of the harness survives it. (The kernel watches the thread that created the child, so only
    the main thread starts processes.)"""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def stat_of(process):
    """(state, parent), or None if there is no such process."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return fields[0], int(fields[1])
    except (FileNotFoundError, ProcessLookupError):
        return None


def children_of(process):
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            stat = stat_of(int(entry))
            if stat and stat[1] == process:
                found.append(int(entry))
    return found


def gone(process):
    stat = stat_of(process)
    return stat is None or stat[0] == "Z"


def kill(process):
    """Kills a child and removes what libfaketime keeps for it in /dev/shm: it cleans up only after a process that exits.
    Until the child is reaped, no other process gets its number."""
    process.kill()
    if process.returncode is not None:  # it had ended before
        return
    with contextlib.suppress(ChildProcessError):  # another thread has asked whether it runs, and reaped it
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    for name in (f"faketime_shm_{process.pid}", f"sem.faketime_sem_{process.pid}"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(f"/dev/shm/{name}")
    process.wait()


class Instance:
    """One of the instances: a numbered place in which one process follows another."""

    def __init__(self, number, arguments, directory, place=None, environment=None):
        self.number, self.arguments, self.directory, self.place = number, arguments, directory, place
        # Instances see each other's processes in this folder. Of three, two run on one machine.
        machine = os.path.join(directory, f"machine-{number % 2}")
        os.makedirs(machine, exist_ok=True)
        self.environment = {"XDG_RUNTIME_DIR": machine, **(environment or {})}
        self.starts, self.server, self.id, self.paused = 0, None, None, False

    def start(self, wait=True, environment=None):
        """Starts a new process, with a claim log of its own."""
        self.starts += 1
        self.claims = os.path.join(self.directory, f"claims-{self.number}-{self.starts}.jsonl")
        self.server = h.Server("serve", *self.arguments, f"--log.claims={self.claims}", folder=self.directory,
                               environment={**self.environment, **(environment or {})},
                               prefix=self.place.prefix if self.place else (), preexec=die_with_us)
        if wait:
            self.ready()
        return self

    def ready(self):
        self.server.ready()
        self.id = self.identity()
        return self

    def identity(self):
        """From the first line of its claim log: `instance:<id>`."""
        def first():
            try:
                with open(self.claims, encoding="utf-8") as file:
                    line = file.readline()
                return json.loads(line)["src"] if line.endswith("\n") else None
            except FileNotFoundError:
                return None
        return h.wait_until(first, "the claim log to begin")

    def alive(self):
        return self.server is not None and self.server.process.poll() is None

    def usable(self):
        return self.alive() and self.server.port is not None and not self.paused

    def kill(self):
        kill(self.server.process)

    def signal(self, number):
        self.server.process.send_signal(number)
        self.paused = number == signal.SIGSTOP

    def connection(self):
        return self.place.client(self.server.port) if self.place else h.Client(self.server.port)

    def end(self):
        if self.alive():
            if self.paused:
                self.signal(signal.SIGCONT)
            self.kill()
