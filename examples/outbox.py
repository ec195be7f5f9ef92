#!/usr/bin/env python3
"""A shop with a database of its own, which Sundial only reads. An order and its reminder are two rows in one transaction of
the shop; Sundial follows the table sundial_outbox, and schedules each row once, also if it was down meanwhile.

usage: outbox.py SUNDIAL    (the program: bin/sundial)
"""
import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

TABLES = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL);
CREATE TABLE sundial_outbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT NOT NULL CHECK (kind IN ('event', 'schedule', 'user')),
    request    TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
"""
LIMIT = 30


def place_order(shop, number, in_stock=True):
    """The order and its reminder, or neither."""
    reminder = {"eventType": "REMINDER", "targetTimestampUTC": "now+3d", "endpointId": "ext:crm",
                "deliveryPayload": {"order": number}}
    try:
        shop.execute("INSERT INTO sundial_outbox (kind, request) VALUES ('event', ?)", [json.dumps(reminder)])
        # the same transaction
        shop.execute("INSERT INTO orders (id, customer) VALUES (?, 'ada')", [number])
        if not in_stock:
            raise LookupError("found out late")
        shop.commit()
    except LookupError:
        shop.rollback()


def call(server, method, path, body=None):
    request = urllib.request.Request(server + path, json.dumps(body).encode() if body else None,
                                     {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=LIMIT) as answer:
        return json.load(answer)


def reminders(server):
    """The orders that have one."""
    events = call(server, "GET", "/v1/events?eventType=REMINDER")["data"]
    return sorted(event["deliveryPayload"]["order"] for event in events)


def until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"not so in {LIMIT} s: {what}"
        time.sleep(0.02)


class Sundial:
    """The server, as long as the block runs."""

    def __init__(self, program, folder):
        self.log = pathlib.Path(folder, "log")
        with open(self.log, "w") as errors:
            self.process = subprocess.Popen([program, "serve", "--db", f"{folder}/sundial.db", "--http.listen=127.0.0.1:0",
                                             "--log.level=info", f"--storage.intake=shop=sqlite:{folder}/shop.db"], stderr=errors)

    def __enter__(self):
        until(lambda: self.process.poll() is not None or '"server.ready"' in self.log.read_text(), "the server is ready")
        ready = [line for line in self.log.read_text().splitlines() if '"server.ready"' in line]
        assert ready, self.log.read_text()
        return "http://" + json.loads(ready[0])["listen"]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        shop = sqlite3.connect(f"{folder}/shop.db")
        shop.execute("PRAGMA journal_mode = WAL")
        shop.executescript(TABLES)
        with Sundial(program, folder) as server:
            call(server, "PUT", "/v1/endpoints/ext:crm", {"name": "CRM", "type": "PULL"})
            place_order(shop, 17)
            place_order(shop, 18, in_stock=False)
            place_order(shop, 19)
            until(lambda: 19 in reminders(server), "the last order has its reminder")
            assert reminders(server) == [17, 19], "an order that was rolled back has no reminder"
        place_order(shop, 20)  # while Sundial is down
        with Sundial(program, folder) as server:
            until(lambda: 20 in reminders(server), "an order from meanwhile has its reminder")
            assert reminders(server) == [17, 19, 20], "each row is scheduled once"
        print("three orders, three reminders")


main(sys.argv[1])
