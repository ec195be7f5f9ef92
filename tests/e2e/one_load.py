"""Eight processes want the same cold value (concurrency SF11): one loads it for all. If that one dies, another does
once its lease expires, and no request waits longer than that.

usage: one_load.py all_live|loader_dies LOADER_PROCESS
"""
import os
import subprocess
import sys
import threading

import harness as h

PROCESSES = 8
LEASE = 3.0  # seconds, where its end is waited for
LONG_LEASE = 60.0


class Loader:
    """A process, and what it has said so far."""

    def __init__(self, program, url, lease):
        self.process = subprocess.Popen([program, url, str(int(lease * 1000))], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.strip())

    def loads(self):
        return "loading" in self.lines

    def go_on(self):
        self.process.stdin.write("go on\n")
        self.process.stdin.flush()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(timeout=h.HANG_GUARD)
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


def who_loads(loaders, what):
    h.wait_until(lambda: any(loader.loads() for loader in loaders), what)
    return next(loader for loader in loaders if loader.loads())


def check(dies, program):
    with h.postgres() as url:
        subprocess.run([program, url, "prepare"], check=True)
        loaders = [Loader(program, url, LEASE if dies else LONG_LEASE) for _ in range(PROCESSES)]
        try:
            first = who_loads(loaders, "a first load")
            others = [one for one in loaders if one is not first]
            if dies:
                for one in others:
                    one.go_on()
                first.process.kill()
                who_loads(others, "a load after the lease")
            else:
                first.go_on()
            for one in others if dies else loaders:
                assert one.process.wait(timeout=h.HANG_GUARD) == 0
                one.reader.join()
                assert one.lines[-1] == "got the value of report", one.lines
            loads = sum(one.loads() for one in loaders)
            assert loads == (2 if dies else 1), f"{loads} loads"
        finally:
            for one in loaders:
                one.end()
    print(f"{loads} load(s) by {PROCESSES} processes: passed")


check(sys.argv[1] == "loader_dies", os.path.abspath(sys.argv[2]))
