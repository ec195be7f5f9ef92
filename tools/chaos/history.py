"""The history of a run, one JSON object per line: who (src), what (op), the outcome (type), when (t, mono in ns).

Every process and every part of the harness writes a file of its own while it runs. At the end they are merged into
`history.jsonl`, in the order of the machine's monotonic clock. Faults are in `nemesis.jsonl`, the final state of the
API in `final.jsonl`, and the parameters of the run in `run.json`.
"""
import contextlib
import glob
import json
import os
import threading
import time

PARSED_AT_ONCE = 20_000


class Recorder:
    """Appends lines to one file. Thread-safe. If the harness dies, a line is either complete or absent."""

    def __init__(self, path, src):
        self.src, self.lock, self.file = src, threading.Lock(), open(path, "a", encoding="utf-8")

    def write(self, kind, op, **members):
        with self.lock:
            line = {"t": time.time_ns(), "mono": time.monotonic_ns(), "src": self.src, "type": kind, "op": op, **members}
            self.file.write(json.dumps(line, separators=(",", ":")) + "\n")
        return line

    def close(self):
        self.file.close()


class Nemeses:
    """`nemesis.jsonl`: every fault with its interval, its target, and the count that proves that it happened."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")

    @contextlib.contextmanager
    def fault(self, kind, effects):
        """The fault ends, healed, when the block ends; the block sets `proof`."""
        line = {"t0": time.time_ns(), "t1": None, "mono0": time.monotonic_ns(), "mono1": None, "kind": kind,
                "effects": effects, "proof": 0}
        try:
            yield line
        finally:
            line["t1"], line["mono1"] = time.time_ns(), time.monotonic_ns()
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    def close(self):
        self.file.close()


def lines_of(path):
    """Every line of a file as an object, except an unfinished last line of a killed writer."""
    with open(path, "rb") as file:
        rest = []
        for line in file:
            if line.endswith(b"\n"):
                rest.append(line)
            if len(rest) >= PARSED_AT_ONCE:
                yield from json.loads(b"[" + b",".join(rest) + b"]")
                rest = []
        if rest:
            yield from json.loads(b"[" + b",".join(rest) + b"]")


def one(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write_one(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def merge(directory):
    """Merges the parts into history.jsonl."""
    parts = [os.path.join(directory, "client.jsonl"), os.path.join(directory, "sink.jsonl"),
             *glob.glob(os.path.join(directory, "claims-*.jsonl"))]
    lines = []
    for part in parts:
        with open(part, "rb") as file:
            lines += [line for line in file if line.endswith(b"\n")]
    mark = b'"mono":'

    def mono(line):
        begin = line.index(mark) + len(mark)
        return int(line[begin:line.index(b",", begin)])

    lines.sort(key=mono)
    with open(os.path.join(directory, "history.jsonl"), "wb") as whole:
        whole.writelines(lines)
    for part in parts:
        os.remove(part)
