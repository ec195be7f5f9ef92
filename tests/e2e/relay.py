"""A listener between the program and its PostgreSQL, for tests that change or lose what passes."""
import contextlib
import re
import socket
import threading


class Relay:
    """In front of the database at `direct`, a URL with a folder of sockets as its host. Each connection has two threads, `ask`
    and `answer`, with its two sockets and a `state` of its own."""

    def __init__(self, direct, state):
        self.server, self.state = re.search(r"host=([^&]*)", direct).group(1) + "/.s.PGSQL.5432", state
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        port = self.listener.getsockname()[1]
        self.url = re.sub(r"host=[^&]*", f"host=127.0.0.1&port={port}&sslmode=disable&gssencmode=disable", direct)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            state = self.state()
            for relay in (self.ask, self.answer):
                threading.Thread(target=relay, args=(client, server, state), daemon=True).start()


def hang_up(*ends):
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
