"""A PostgreSQL that is lost between COMMIT and its answer: creates are found out, and answered as if nothing had been."""
import contextlib
import re
import socket
import threading

import harness as h

CREATES = 40


class Proxy:
    """Stands between the program and PostgreSQL. `cut`: of every third COMMIT of a request the answer is lost, and the
    connection with it; the server has it all the same."""

    def __init__(self, url):
        self.server = re.search(r"host=([^&]*)", url).group(1) + "/.s.PGSQL.5432"
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = re.sub(r"host=[^&]*", f"host=127.0.0.1&port={self.listener.getsockname()[1]}&sslmode=disable&gssencmode=disable", url)
        self.cut, self.commits, self.cuts, self.lock = False, 0, 0, threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.server)
            lose = threading.Event()
            threading.Thread(target=self.ask, args=(client, server, lose), daemon=True).start()
            threading.Thread(target=self.answer, args=(client, server, lose), daemon=True).start()

    def shall_cut(self, data):
        if b"\0COMMIT\0" not in data[:20]:  # alone: those of the worker come with what they commit
            return False
        with self.lock:
            self.commits += 1
            cut = self.cut and self.commits % 3 == 0
            self.cuts += cut
            return cut

    def ask(self, client, server, lose):
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self.shall_cut(data):
                    lose.set()
                server.sendall(data)
        if not lose.is_set():
            hang_up(server)

    def answer(self, client, server, lose):
        with contextlib.suppress(OSError):
            while (data := server.recv(65536)) and not lose.is_set():
                client.sendall(data)
        hang_up(client, server)


def hang_up(*ends):
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def main():
    with h.folder() as directory, h.postgres() as url:
        proxy = Proxy(url)
        with h.running("serve", "--db", proxy.url, folder=directory) as server:
            client = server.client()
            proxy.cut = True
            made = []
            for i in range(CREATES):
                made.append(client.ok("POST", "/v1/events", {
                    "eventType": "X", "targetTimestampUTC": "2040-01-01T00:00:00Z", "deliveryPayload": {"i": i}, "idempotencyKey": f"k-{i}"})["id"])
                client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "UTC", "externalId": f"u-{i}"})
            proxy.cut = False
            stored = client.all("/v1/events?eventType=X")
            assert sorted(event["id"] for event in stored) == sorted(made), "each create made one event"
            assert len(client.all("/v1/users")) == CREATES
            assert len(client.all("/v1/events?eventType=BIRTHDAY")) == CREATES, "each user has one birthday to come"
            metrics = client.get("/metrics").body.decode()
            [counted] = re.findall(r'sundial_commit_outcome_unknown_total\{operation="transact"\} (\d+)', metrics)
            assert proxy.cuts > 0 and int(counted) == proxy.cuts, (proxy.cuts, counted)
            assert len(server.logged("commit.outcome_unknown")) == proxy.cuts
            print(f"{2 * CREATES} creates, {proxy.cuts} of them without an answer to their COMMIT: each is there once")


if __name__ == "__main__":
    main()
