"""P16: what hostile clients of the lowest role cost another client.

    python3 bench/isolation.py [sqlite|postgres] [--rows 150000] [--seconds 20] [--rounds 3]

Measures p99 of another client's creates, and p99 of the lateness of its events, quiet and under each attack, in turns. Prints
the medians, their ratios to the quiet ones (the target is at most 3), and the server's greatest resident memory.

- previews: 64 connections that preview an expensive rule, and four readers of lists whose filter matches nothing
- readers: 30 connections at a time that ask for pages of 2 MiB and read nothing
- idlers: 2,048 idle connections without a key, opened again as the server closes them
"""
import argparse
import contextlib
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import threading
import time

from bed import h

# Visits three million days; a preview took 0.2 s.
RULE = {"dtstart": "1700-01-01T00:00:00", "rrule": "FREQ=SECONDLY;INTERVAL=7;COUNT=2000000000;BYSECOND=1,3,5"}
PREVIEW = {"schedule": {"eventType": "X", "timezone": "UTC", "trigger": {"rrule": RULE}},
           "from": "9000-01-01T00:00:00Z", "count": 10}
CREATES_A_SECOND = 50
DUE_AFTER = 1.0  # seconds
LARGE_EVENTS = 200  # of 100 KiB each, first in the list


def forever(*calls):
    for call in calls:
        threading.Thread(target=call, daemon=True).start()
    sys.stdin.read()  # until the parent closes it


def repeat(port, key, method, path, body=None):
    def run():
        client = h.Client(port)
        while True:
            with contextlib.suppress(OSError):
                client.call(method, path, body, {"Authorization": f"Bearer {key}"})
    return run


def previews(port, key):
    rare = "/v1/events?eventType=RARE&limit=500"
    forever(*[repeat(port, key, "POST", "/v1/preview", PREVIEW)] * 64, *[repeat(port, key, "GET", rare)] * 4)


def wire(port, address, receive_buffer=None):
    made = socket.socket()
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.bind((address, 0))
    made.connect(("127.0.0.1", port))
    return made


def readers(port, key):
    request = (f"GET /v1/events?limit=500 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n").encode()

    def run():
        while True:
            with contextlib.suppress(OSError):
                held = wire(port, "127.0.0.2", 4096)
                held.sendall(request)
                time.sleep(random.uniform(5, 15))
                held.close()
    forever(*[run] * 30)


def idlers(port, _key):
    def run(number):
        held = []
        while True:
            with contextlib.suppress(OSError):
                held.append(wire(port, f"127.0.1.{number}"))
            if len(held) >= 128:
                held.pop(0).close()
                time.sleep(0.01)
    forever(*[lambda number=number: run(number) for number in range(1, 17)])


ATTACKS = {"previews": previews, "readers": readers, "idlers": idlers}


@contextlib.contextmanager
def attack(name, server, key):
    if name == "quiet":
        yield
        return
    hostile = subprocess.Popen([sys.executable, os.path.abspath(__file__), "--attack", name, str(server.port), key],
                               stdin=subprocess.PIPE)
    try:
        time.sleep(3)  # until all its connections are at work
        yield
    finally:
        hostile.stdin.close()
        hostile.wait()


def p99(values):
    return sorted(values)[min(len(values) - 1, len(values) * 99 // 100)]


def measure(server, headers, endpoint, seconds):
    """(p99 of creates, p99 of lateness) in milliseconds."""
    client, took, ids = server.client(), [], []
    begin = time.perf_counter()
    for number in range(int(seconds * CREATES_A_SECOND)):
        time.sleep(max(0.0, begin + number / CREATES_A_SECOND - time.perf_counter()))
        due = time.time() + DUE_AFTER + random.random()
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(due)) + f".{int(due % 1 * 1000):03}Z"
        asked = time.perf_counter()
        answer = client.call("POST", "/v1/events", {"eventType": "OTHER", "targetTimestampUTC": text, "endpointId": endpoint,
                                                       "deliveryPayload": {}}, headers)
        took.append((time.perf_counter() - asked) * 1e3)
        assert answer.status == 201, f"{answer.status} {answer.body}"
        ids.append(answer.json()["id"])

    def event(identity):
        return client.ok("GET", f"/v1/events/{identity}", headers=headers)
    h.wait_until(lambda: event(ids[-1])["status"] == "COMPLETED", "delivery of the last event")
    late = [found["latenessMs"] for found in map(event, ids) if found["latenessMs"] is not None]
    return p99(took), p99(late)


def forget_peak(server):
    with open(f"/proc/{server.process.pid}/clear_refs", "w", encoding="utf-8") as references:
        references.write("5")


def peak_mb(server):
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def fill(client, headers, rows):
    for i in range(LARGE_EVENTS):
        client.ok("POST", "/v1/events", {"eventType": "LARGE", "targetTimestampUTC": f"2039-01-01T00:00:{i % 60:02}Z",
                                         "deliveryPayload": {"text": "x" * 102_400}}, headers)
    for begin in range(0, rows, 500):
        batch = [{"eventType": "COMMON", "targetTimestampUTC": f"2040-01-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}Z",
                  "deliveryPayload": {"text": "x" * 1000}} for i in range(begin, min(begin + 500, rows))]
        client.ok("POST", "/v1/events/batch", {"events": batch}, headers)


def report(kind, rows, seconds, rounds):
    names = ["quiet", *ATTACKS]
    results = {name: [] for name in names}
    with h.folder() as directory, h.database(kind, directory) as url, \
            h.running("serve", "--db", url, "--ui.inbox=true", f"--security.encryption_key={h.ENCRYPTION_KEY}",
                      folder=directory) as server:
        client = server.client()
        admin = client.ok("POST", "/v1/api-keys", {"name": "admin", "role": "ADMIN"})["key"]
        headers = {"Authorization": f"Bearer {admin}"}
        reader = client.ok("POST", "/v1/api-keys", {"name": "reader", "role": "READ"}, headers)["key"]
        endpoint = client.ok("POST", "/v1/endpoints", {"name": "inbox", "type": "INBOX"}, headers)["id"]
        fill(client, headers, rows)
        for _ in range(rounds):
            for name in names:
                forget_peak(server)
                with attack(name, server, reader):
                    results[name].append((*measure(server, headers, endpoint, seconds), peak_mb(server)))
    quiet = None
    rows_out = []
    for name in names:
        create, late, peak = (statistics.median(column) for column in zip(*results[name]))
        quiet = quiet or (create, late)
        row = {"attack": name, "createP99Ms": round(create, 1), "latenessP99Ms": round(late, 1),
               "createRatio": round(create / quiet[0], 2), "latenessRatio": round(late / max(quiet[1], 1), 2),
               "peakMb": round(peak)}
        rows_out.append(row)
        print(f"{name:10} create p99 {create:8.1f} ms ({row['createRatio']:5.2f})   "
              f"lateness p99 {late:8.1f} ms ({row['latenessRatio']:5.2f})   memory {row['peakMb']} MB")
    print(json.dumps({"database": kind, "rows": rows, "rounds": rounds, "results": rows_out}))


def main():
    if sys.argv[1:2] == ["--attack"]:
        name, port, key = sys.argv[2:]
        return ATTACKS[name](int(port), key)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database", nargs="?", default="sqlite", choices=["sqlite", "postgres"])
    parser.add_argument("--rows", type=int, default=150_000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    return report(arguments.database, arguments.rows, arguments.seconds, arguments.rounds)


if __name__ == "__main__":
    main()
