"""Many clients of /v1/live in one thread, from several loopback addresses, because one address may have 128 connections."""
import selectors
import socket
import threading
import time

import harness as h

MOST = 1000  # clients that an instance serves
OF_ADDRESS = 125
MARKER = b"event: users.created"


class Crowd:
    """`count` clients that note when each creation of a user arrives."""

    def __init__(self, port, count=MOST):
        self.selector, self.ended = selectors.DefaultSelector(), threading.Event()
        self.arrived = []  # the times of arrival of each creation, one for each client
        self.greeted, self.lost, self.sockets = 0, 0, []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        for number in range(count):
            one = socket.create_connection(("127.0.0.1", port), h.HANG_GUARD, source_address=(f"127.0.0.{2 + number // OF_ADDRESS}", 0))
            one.sendall(b"GET /v1/live?topics=users HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            one.setblocking(False)
            # The end of the text so far, which may be the beginning of a marker, and the number of creations.
            self.selector.register(one, selectors.EVENT_READ, {"rest": b"", "created": 0, "greeted": False})
            self.sockets.append(one)
            # A server refuses requests when too many wait at once.
            if len(self.sockets) % OF_ADDRESS == 0 or len(self.sockets) == count:
                self.await_greetings()

    def await_greetings(self):
        h.wait_until(lambda: self.lost > 0 or self.greeted == len(self.sockets), "the greetings of the clients")
        assert self.lost == 0, f"{self.lost} of {len(self.sockets)} clients were refused"

    def read(self):
        while not self.ended.is_set():
            for key, _ in self.selector.select(0.1):
                self.take(key.fileobj, key.data)

    def take(self, one, state):
        try:
            data = one.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        now = time.monotonic()
        if not data:
            self.selector.unregister(one)
            self.lost += 1
            return
        text = state["rest"] + data
        if not state["greeted"] and b"\nid: " in text:
            state["greeted"] = True
            self.greeted += 1
        for _ in range(text.count(MARKER)):
            if state["created"] == len(self.arrived):
                self.arrived.append([])
            self.arrived[state["created"]].append(now)
            state["created"] += 1
        state["rest"] = text[text.rfind(MARKER) + len(MARKER):][-(len(MARKER) - 1):] if MARKER in text else text[-(len(MARKER) - 1):]

    def delays(self, number, begun):
        """Seconds until each client had creation `number`, which began then. Waits for all of them."""
        h.wait_until(lambda: self.lost > 0 or (len(self.arrived) > number and len(self.arrived[number]) == len(self.sockets)), "a change at all clients")
        assert self.lost == 0, f"{self.lost} clients were disconnected"
        return [at - begun for at in self.arrived[number]]

    def close(self):
        self.ended.set()
        self.thread.join()
        for one in self.sockets:
            one.close()


def measured(server, changes, person, clients=MOST):
    """Creates `changes` users, one after the other; the sorted seconds until each client had each of them."""
    crowd, client, delays = Crowd(server.port, clients), server.client(), []
    try:
        for number in range(changes):
            begun = time.monotonic()
            client.ok("POST", "/v1/users", {**person, "externalId": f"crowd{number}"})
            delays += crowd.delays(number, begun)
        if clients == MOST:
            refused = client.call_once("GET", "/v1/live?topics=users")
            assert refused.status == 503 and refused.json()["code"] == "OVERLOADED", (refused.status, refused.body)
    finally:
        crowd.close()
    return sorted(delays)
