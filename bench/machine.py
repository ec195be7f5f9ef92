"""On what machine a figure was taken."""
import datetime as dt
import os
import platform
import sqlite3
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def cpu_seconds(process):
    """Of a process and of its children that have ended."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def fsync_microseconds(times=200):
    """Median of writing a page and waiting until it is on disk, where temporary files lie."""
    took = []
    with tempfile.NamedTemporaryFile() as file:
        for _ in range(times):
            begin = time.perf_counter()
            os.pwrite(file.fileno(), bytes(8192), 0)
            os.fdatasync(file.fileno())
            took.append((time.perf_counter() - begin) * 1e6)
    return round(statistics.median(took))


def commit():
    def git(*arguments):
        done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""
    return (git("rev-parse", "--short=12", "HEAD") or "unknown") + ("+" if git("status", "--porcelain") else "")


def describe(postgres_version):
    return {
        "date": dt.datetime.now(dt.timezone.utc).strftime("%Y-%m-%d"),
        "commit": commit(),
        "cores": len(os.sched_getaffinity(0)),
        "processor": processor(),
        "kernel": platform.release(),
        "postgresql": postgres_version,
        "sqlite": sqlite3.sqlite_version,
        "fsyncMicroseconds": fsync_microseconds(),
        "load": round(os.getloadavg()[0], 2),
    }
