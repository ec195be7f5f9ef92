"""Clients that do not read large pages: the bytes of unread answers have a budget, the clients are cut off, and another
client notices nothing."""
import json
import re
import socket
import threading

import harness as h

PAYLOAD = 200 * 1024
EVENTS = 100
HOSTILE = 30
BOUND_MB = 100


def shortages(client):
    """How often each resource ran short."""
    text = client.call("GET", "/metrics").body.decode()
    return {name: int(float(value))
            for name, value in re.findall(r'^sundial_http_shortages_total\{of="(\w+)"\} (\S+)$', text, re.M)}


def peak_mb(server):
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def create(client, number, size=10):
    body = {"eventType": "NOTE", "targetTimestampUTC": f"2040-01-01T00:00:{number % 60:02}Z",
            "deliveryPayload": {"text": "x" * size}}
    return client.call("POST", "/v1/events", body)


def ask_and_never_read(port):
    """From an address of its own, with a small buffer."""
    wire = socket.socket()
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    wire.bind(("127.0.0.2", 0))
    wire.connect(("127.0.0.1", port))
    wire.sendall(b"GET /v1/events?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return wire


def budget(kind):
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url,
                                                                               folder=directory) as server:
        client = server.client()
        for number in range(EVENTS):
            assert create(client, number, PAYLOAD).status == 201
        page = client.ok("GET", "/v1/events?limit=500")
        assert page["hasMore"] and len(page["data"]) < EVENTS, "a page is bounded in bytes"
        assert len(json.dumps(page)) < 3 * 1024 * 1024
        assert len(client.all("/v1/events?limit=500")) == EVENTS, "the cursor leads to all events"

        before = peak_mb(server)
        end = threading.Event()
        failures = []

        def other_client():
            other = server.client()
            number = 0
            while not end.is_set():
                number += 1
                for answer in (create(other, number), other.get("/livez")):
                    if answer.status not in (200, 201):
                        failures.append((answer.status, answer.body))
        beside = threading.Thread(target=other_client)
        beside.start()
        try:
            held = [ask_and_never_read(server.port) for _ in range(HOSTILE)]

            def refused_and_cut():
                seen = shortages(client)
                if not seen.get("unsent_bytes"):  # on a slow machine, many waited too long for a seat
                    held.append(ask_and_never_read(server.port))
                return seen.get("unsent_bytes") and seen.get("slow_reader")
            h.wait_until(refused_and_cut, "the budget was reached, and slow readers were cut off")
            grown = peak_mb(server) - before
        finally:
            end.set()
            beside.join()
            for wire in held:
                wire.close()
        assert not failures, failures[:3]
        assert grown < BOUND_MB, f"{HOSTILE} clients that do not read cost {grown:.0f} MB"
        assert server.stop() == 0


if __name__ == "__main__":
    h.main({"budget": budget})
