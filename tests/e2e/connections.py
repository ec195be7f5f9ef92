"""Idle connections without a key give way to new connections, within the bound of an address and within the bound of all.
Health has a port of its own."""
import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import time

import harness as h

OF_AN_ADDRESS, OF_ALL = 128, 2048
IDLE_FOR = 20  # seconds; a connection is closed after a minute without a request
SKIPPED = 77


def request(path="/livez", fields=""):
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode()


class Wire:
    """A raw connection, from a loopback address of its own."""

    def __init__(self, port, address="127.0.0.1"):
        server = "::1" if ":" in address else "127.0.0.1"
        self.socket = socket.create_connection((server, port), timeout=h.HANG_GUARD, source_address=(address, 0))

    def ask(self, path="/livez", fields=""):
        """The status of the answer; None if the other side has closed."""
        try:
            return self.exchange(request(path, fields))[0]
        except ConnectionError:
            return None

    def post(self, path, body):
        payload = json.dumps(body)
        fields = f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n"
        status, answer = self.exchange(request(path, fields).replace(b"GET", b"POST", 1) + payload.encode())
        assert status == 201, answer
        return json.loads(answer)

    def exchange(self, sent):
        """Status and body; ConnectionError if the other side has closed."""
        self.socket.sendall(sent)
        received = b""
        while b"\r\n\r\n" not in received:
            some = self.socket.recv(65536)
            if not some:
                raise ConnectionError("closed")
            received += some
        head, _, body = received.partition(b"\r\n\r\n")
        length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        while len(body) < length:
            body += self.socket.recv(65536)
        return int(head.split(b" ")[1]), body

    def close(self):
        self.socket.close()


@contextlib.contextmanager
def wires(port, addresses, each):
    """So many connections of each address, each after one answered request: idle, and kept alive."""
    held, asked = [], time.monotonic()
    try:
        for address in addresses:
            for _ in range(each):
                held.append(Wire(port, address))
                assert held[-1].ask() == 200, f"connection {len(held)} of {address}"
            if time.monotonic() > asked + IDLE_FOR:
                open_count(held)  # on a slow machine the first would be closed before the last is open
                asked = time.monotonic()
        yield held
    finally:
        for wire in held:
            wire.close()


def open_count(held):
    return sum(1 for wire in held if wire.ask() == 200)


def of_one_address(directory):
    """Idle connections hold all slots of an address. A new connection takes the slot of the longest idle connection."""
    with h.running("serve", "--db", "one.db", folder=directory) as server:
        admin = server.client().ok("POST", "/v1/api-keys", {"name": "ops", "role": "ADMIN"})["key"]
        with wires(server.port, ["127.0.0.1"], OF_AN_ADDRESS) as held:
            for _ in range(10):
                wire = Wire(server.port)
                assert wire.ask() == 200, "an address that holds its own slots is kept out"
                assert wire.ask("/v1/info", f"Authorization: Bearer {admin}\r\n") == 200
                wire.close()
            # At least the first of these ten took a slot, that of the longest idle connection.
            assert held[0].ask() is None and held[-1].ask() == 200
            assert open_count(held) >= OF_AN_ADDRESS - 10, open_count(held)
            other = Wire(server.port, "127.0.0.2")
            assert other.ask() == 200
            other.close()
        # Connections that have shown a key keep their slots.
        with wires(server.port, ["127.0.0.3"], 1) as [first]:
            keyed = [Wire(server.port, "127.0.0.3") for _ in range(OF_AN_ADDRESS - 1)]
            for wire in keyed:
                assert wire.ask("/v1/info", f"Authorization: Bearer {admin}\r\n") == 200
            last = Wire(server.port, "127.0.0.3")
            assert last.ask("/v1/info", f"Authorization: Bearer {admin}\r\n") == 200
            assert first.ask() is None, "it had shown no key"
            assert Wire(server.port, "127.0.0.3").ask() == 503, "128 of an address are enough"
            assert all(wire.ask() == 200 for wire in keyed + [last])
        assert server.stop() == 0


def of_seventeen(directory):
    """2,125 connections of 17 addresses: each gets an answer, and 2,048 stay open."""
    def as_on_most_systems():  # 1,024 open files, unless a process asks for more
        resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with h.running("serve", "--db", "many.db", folder=directory, preexec=as_on_most_systems) as server:
        addresses = [f"127.0.1.{i}" for i in range(1, 18)]
        with wires(server.port, addresses, 125) as held:
            assert len(held) == 2125
            newcomer = Wire(server.port)
            assert newcomer.ask() == 200 and newcomer.ask("/v1/info") == 200
            assert open_count(held) == OF_ALL - 1
            newcomer.close()
        assert server.stop() == 0


def without_descriptors(directory):
    """Idle connections also give way when the process has no file descriptor left."""
    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
    with h.running("serve", "--db", "few.db", folder=directory, preexec=few_files) as server:
        with wires(server.port, ["127.0.0.1"], 110):
            assert Wire(server.port).ask() == 200
        h.wait_until(lambda: [line for line in server.log() if "could not be accepted" in line["msg"]], "a line: there were too few")
        assert server.stop() == 0


def health_port(directory):
    """/livez, /readyz, /healthz and /metrics on a separate port, while all slots of the API are taken."""
    with h.running("serve", "--db", "health.db", "--http.health_listen=127.0.0.1:0", folder=directory) as server:
        [ready] = server.logged("server.ready")
        host, port = ready["healthListen"].rsplit(":", 1)
        assert host == "127.0.0.1" and int(port) != server.port, ready
        health = h.Client(int(port))
        for path in ("/livez", "/readyz", "/healthz", "/metrics"):
            assert health.get(path).status == 200, path
        for path in ("/v1/users", "/openapi.json", "/docs/errors", "/", "/v1/info"):
            answer = health.get(path)
            assert answer.status == 404 and answer.json()["code"] == "ROUTE_NOT_FOUND", f"{path}: {answer.body}"
        assert health.call("GET", "/livez", headers={"Host": "evil.example"}).status == 403
        admin = server.client().ok("POST", "/v1/api-keys", {"name": "ops", "role": "ADMIN"})["key"]
        bearer = {"Authorization": f"Bearer {admin}"}
        assert health.get("/metrics").status == 401 and health.call("GET", "/metrics", headers=bearer).status == 200
        assert health.get("/livez").status == 200
        keyed = [Wire(server.port) for _ in range(OF_AN_ADDRESS - 1)]
        for wire in keyed:
            assert wire.ask("/v1/info", f"Authorization: Bearer {admin}\r\n") == 200
        busy = server.client()
        assert busy.call("GET", "/v1/users", headers=bearer).status == 200
        assert Wire(server.port).ask() == 503, "every slot of this address is taken"
        assert health.get("/livez").status == 200 and health.get("/readyz").status == 200
        server.process.terminate()
        # It answers for a second more: too short to look for a line in the log first.
        answer = h.wait_until(lambda: (now := health.get("/readyz")).status != 200 and now, "the begin of the end")
        assert answer.status == 503 and "stopping" in answer.json()["detail"], answer.body
        assert server.process.wait(timeout=h.HANG_GUARD) == 0
    # The port also answers before the database is available.
    waiting = h.Server("serve", "--db", "postgresql://sundial@127.0.0.1:1/nothing", "--http.health_listen=127.0.0.1:0",
                       folder=directory)
    try:
        h.wait_until(lambda: [line for line in waiting.log() if "does not answer" in line["msg"]], "a try in the log")
        ports = listening(waiting.process.pid)
        assert len(ports) == 2, ports
        answers = {path: {h.Client(port).get(path).status for port in ports} for path in ("/livez", "/readyz", "/metrics")}
        assert answers == {"/livez": {200}, "/readyz": {503}, "/metrics": {503}}, answers
        assert waiting.stop() == 0
    finally:
        if waiting.process.poll() is None:
            waiting.kill()
    with h.running("serve", "--db", "taken.db", folder=directory) as server:
        refused = h.Server("serve", "--db", "second.db", f"--http.health_listen=127.0.0.1:{server.port}", folder=directory)
        assert refused.process.wait(timeout=h.HANG_GUARD) == 1
        assert "http.health_listen" in refused.log_text() and "in use" in refused.log_text(), refused.log_text()


def of_one_ipv6_network(directory):
    """All addresses of one /64 share the slots of one address."""
    apart = ["unshare", "-rn"]
    if os.environ.get("SUNDIAL_APART") is None:
        if subprocess.run([*apart, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            print("skipped: no network namespace may be made here")
            sys.exit(SKIPPED)
        inner = subprocess.run([*apart, sys.executable, __file__, sys.argv[1]], env={**os.environ, "SUNDIAL_APART": "yes"})
        sys.exit(inner.returncode)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    one, other = [f"2001:db8:1:2:{n:x}::1" for n in range(4)], "2001:db8:1:3::1"
    for address in [*one, other]:
        subprocess.run(["ip", "-6", "address", "add", address + "/128", "dev", "lo", "nodad"], check=True)
    with h.running("serve", "--db", "six.db", folder=directory, listen="[::1]") as server:
        first = Wire(server.port, one[0])
        made = first.post("/v1/api-keys", {"name": "ops", "role": "ADMIN"})
        shown = f"Authorization: Bearer {made['key']}\r\n"
        held = [Wire(server.port, one[number % 3]) for number in range(OF_AN_ADDRESS)]
        assert all(wire.ask("/v1/info", shown) == 200 for wire in held)
        assert first.ask() is None, "its /64 had 128 connections, and it had shown no key"
        assert Wire(server.port, one[3]).ask() == 503, "an address of the same /64 has slots of its own"
        assert Wire(server.port, other).ask() == 200, "another /64 has none"
        assert server.stop() == 0


def listening(process):
    """The ports on which a process listens, from /proc."""
    inodes = set()
    for descriptor in os.listdir(f"/proc/{process}/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(f"/proc/{process}/fd/{descriptor}")
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and row[9] in inodes}


if __name__ == "__main__":
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    def in_a_folder(test):
        def run():
            with h.folder() as directory:
                test(directory)
        return run
    h.main({"of_one_address": in_a_folder(of_one_address), "of_seventeen": in_a_folder(of_seventeen),
            "of_one_ipv6_network": in_a_folder(of_one_ipv6_network), "without_descriptors": in_a_folder(without_descriptors), "health_port": in_a_folder(health_port)})
