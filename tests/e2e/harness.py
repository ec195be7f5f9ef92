"""The parts that end-to-end tests share: the real program, a PostgreSQL of their own, a receiver of webhooks.

Everything listens on free ports of the loopback interface, lives in a temporary folder and ends with the test.
SUNDIAL names the program, TEMPORARY_POSTGRES the helper that starts a cluster and prints its URL.
"""
import base64
import collections
import contextlib
import hashlib
import http.client
import http.server
import json
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

PROGRAM = os.environ.get("SUNDIAL", "sundial")
HANG_GUARD = 120  # seconds; nothing here takes a tenth of it on an idle machine


def wait_until(condition, what, seconds=HANG_GUARD, every=None):
    """Polls: the only way to learn what another process has done. Fails, loudly, after the hang guard. A look that costs
    the machine something is rare: the pause after it is ten times as long, at most a quarter of a second. With `every`
    it is that many seconds, for what must be seen before it goes on."""
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        value = condition()
        if value:
            return value
        now = time.monotonic()
        if now > end:
            raise AssertionError(f"waited {seconds} s in vain for: {what}")
        time.sleep(every or min(0.25, max(0.02, 10 * (now - began))))


def free_port():
    """A port for a server that is given its number. The kernel hands ports of the ephemeral range to every connection of
    the machine, so one of them could be taken before the server listens: this one is below that range."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as kernel:
        end = int(kernel.read().split()[0])
    while True:
        port = random.randrange(10000, end)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def overloaded(self):
        """Refused for now: on a busy machine a list waits long for its turn, and every client asks again after Retry-After."""
        return self.status == 503 and b'"OVERLOADED"' in self.body


def closed_by_server(connection):
    """Whether a kept connection has ended: the server closes it after a minute without a request."""
    return connection.sock is not None and bool(select.select([connection.sock], [], [], 0)[0])


class Client:
    """Calls one server over one kept connection; a thread needs one of its own."""

    def __init__(self, port):
        self.port, self.connection = port, None

    def connect(self, timeout):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, headers=None, timeout=HANG_GUARD):
        answer, end = self.call_once(method, path, body, headers, timeout), time.monotonic() + HANG_GUARD
        while answer.overloaded() and time.monotonic() < end:
            time.sleep(float(answer.headers["Retry-After"]))
            answer = self.call_once(method, path, body, headers, timeout)
        return answer

    def call_once(self, method, path, body=None, headers=None, timeout=HANG_GUARD):
        """The first answer, whatever it is."""
        text = json.dumps(body) if isinstance(body, (dict, list)) else body
        payload = text.encode() if isinstance(text, str) else text
        sent = {"Content-Type": "application/json"} if payload is not None else {}
        sent.update(headers or {})
        if self.connection and closed_by_server(self.connection):
            self.connection.close()
            self.connection = None
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = self.connect(timeout)
            try:
                self.connection.request(method, path, payload, sent)
                answer = self.connection.getresponse()
                return Answer(answer.status, dict(answer.getheaders()), answer.read())
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.connection = None
                if fresh or method != "GET" or attempt == 2:
                    raise
        raise AssertionError("unreachable")

    def get(self, path):
        return self.call("GET", path)

    def ok(self, method, path, body=None, headers=None):
        answer = self.call(method, path, body, headers)
        assert answer.status < 300, f"{method} {path}: {answer.status} {answer.body.decode()}"
        return answer.json() if answer.body else None

    def all(self, path):
        """Every row of a list, page by page."""
        rows, cursor = [], None
        while True:
            joint = "&" if "?" in path else "?"
            page = self.ok("GET", path + (f"{joint}cursor={cursor}" if cursor else ""))
            rows += page["data"]
            if not page["hasMore"]:
                return rows
            cursor = page["nextCursor"]


class Server:
    """`sundial serve` or `dev` as a process. Its log goes to a file beside the database. `prefix` is a command that
    runs it, `preexec` what the child does first, `program` another sundial."""

    processes = collections.defaultdict(list)  # of each folder

    def __init__(self, *arguments, folder, port=0, listen="127.0.0.1", environment=None, prefix=(), preexec=None, program=None):
        self.log_path = os.path.join(folder, f"log-{os.urandom(4).hex()}.jsonl")
        command = [*prefix, program or PROGRAM, *arguments, f"--http.listen={listen}:{port}", "--log.level=info"]
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL")}
        clean.pop("DATABASE_URL", None)
        clean.pop("RUNTIME_DIRECTORY", None)
        clean["XDG_RUNTIME_DIR"] = folder  # where the instances of one test see each other
        clean.update(environment or {})
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                                            env=clean, cwd=folder, preexec_fn=preexec)
        self.processes[folder].append(self.process)
        self.port = None
        self.log_lock, self.log_read, self.lines = threading.Lock(), 0, []

    def log(self):
        """Every whole line so far."""
        with self.log_lock:
            with open(self.log_path, "rb") as log:
                log.seek(self.log_read)
                new = log.read()
            new = new[:new.rfind(b"\n") + 1]
            self.log_read += len(new)
            self.lines += [json.loads(line) for line in new.split(b"\n") if line.startswith(b"{")]
            return list(self.lines)

    def log_text(self):
        with open(self.log_path, "rb") as log:
            return log.read().decode(errors="replace")

    def logged(self, event_name):
        return [line for line in self.log() if line["eventName"] == event_name]

    def wait_for_line(self, event_name, count=1):
        """The lines of that name, once there are so many. A thread of the program writes the log, so a line may come after
        the API shows what it reports."""
        return wait_until(lambda: (lines := self.logged(event_name))[count - 1:] and lines, f"{count} line(s) {event_name}")

    def ready(self):
        def look():
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode}:\n{self.log_text()}")
            return self.logged("server.ready")
        self.port = int(wait_until(look, "server.ready")[0]["listen"].rsplit(":", 1)[1])
        return self

    def client(self):
        return Client(self.port)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=HANG_GUARD)


class ReceiverHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass


class ReceiverServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, address):
        pass  # a killed sender resets its connections: expected here


def serve_in_background(handler):
    """A server on a free port, whose thread ends with the process."""
    server = ReceiverServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Receiver:
    """A webhook receiver: keeps (time, headers, body) of each request and answers 204, after `delay` seconds; 404
    on the path `refuse`. With `hold`, an event of threading, it answers once that is set."""

    def __init__(self, delay=0.0, refuse=None, hold=None):
        received = self.received = []
        lock = self.lock = threading.Lock()

        class Handler(ReceiverHandler):
            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size:
                    return  # the sender died in the middle: no request, and no answer
                with lock:
                    received.append((time.time(), dict(self.headers), body))
                if delay:
                    time.sleep(delay)  # a receiver that works: so that a kill finds something in flight
                if hold:
                    hold.wait(HANG_GUARD)
                self.send_response_only(404 if self.path == refuse else 204)
                if self.path == refuse:
                    self.send_header("Content-Length", "0")
                self.end_headers()

        self.serve(Handler)

    def serve(self, handler):
        self.server = serve_in_background(handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook"

    def count(self):
        with self.lock:
            return len(self.received)

    def ids(self):
        with self.lock:
            return [headers["webhook-id"] for _, headers, _ in self.received]


@contextlib.contextmanager
def folder():
    """Its servers end with it, also those that a failed test did not end."""
    with tempfile.TemporaryDirectory(prefix="sundial-e2e-") as path:
        try:
            yield path
        finally:
            for process in Server.processes.pop(path, ()):
                if process.poll() is None:
                    process.kill()
                    process.wait()


def folder_of_clusters():
    """TMPDIR if it is set, or else in memory if there is plenty of it: copying the 1,300 files of a cluster to a disk takes
    twice the CPU."""
    plenty = 4 << 30
    with contextlib.suppress(OSError):
        if "TMPDIR" in os.environ:
            return os.environ["TMPDIR"]
        memory = os.statvfs("/dev/shm")
        if memory.f_bavail * memory.f_frsize >= plenty and os.access("/dev/shm", os.W_OK | os.X_OK):
            return "/dev/shm"
    return tempfile.gettempdir()


@contextlib.contextmanager
def postgres(migrated=False, on_disk=False):
    """The URL of a database on a cluster of its own: an empty one, or a copy of one that the program has migrated, which
    takes less CPU than its migrations. `on_disk` is for what measures."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SUNDIAL")}
    environment["TMPDIR"] = tempfile.gettempdir() if on_disk else folder_of_clusters()
    helper = subprocess.Popen([os.environ["TEMPORARY_POSTGRES"], *([shutil.which(PROGRAM)] if migrated else [])],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    try:
        yield helper.stdout.readline().decode().strip()
    finally:
        helper.stdin.close()
        helper.wait(timeout=HANG_GUARD)


def postgres_processes(url):
    """The processes of that cluster, first the one that starts the others."""
    with open(os.path.join(url.split("host=")[1].split("&")[0], "data", "postmaster.pid"), encoding="ascii") as file:
        first = int(file.readline())
    with open(f"/proc/{first}/task/{first}/children", encoding="ascii") as kernel:
        return [first, *map(int, kernel.read().split())]


@contextlib.contextmanager
def database(kind, directory, empty=False):
    """The value of --db. On PostgreSQL it has the program's schema already, unless it is to be `empty`."""
    if kind == "sqlite":
        yield os.path.join(directory, "sundial.db")
    else:
        with postgres(migrated=not empty) as url:
            yield url


@contextlib.contextmanager
def running(*arguments, **options):
    server = Server(*arguments, **options)
    try:
        yield server.ready()
    finally:
        if server.process.poll() is None:
            server.kill()


ENCRYPTION_KEY = base64.b64encode(hashlib.sha256(b"end-to-end").digest()).decode()
LOCAL_RECEIVERS = ("--delivery.allow_private=true", f"--security.encryption_key={ENCRYPTION_KEY}")


def main(tests):
    """Runs the test named on the command line: one process, one test, one line."""
    name = sys.argv[1]
    tests[name](*sys.argv[2:])
    print(f"{name}: passed")
