"""pgbouncer in transaction mode, in front of a PostgreSQL: every transaction may get another session."""
import collections
import contextlib
import os
import pwd
import re
import shutil
import socket
import subprocess
import time

import harness as h
from relay import Relay, hang_up

SESSIONS = 4  # at the server; each instance has up to eight connections


def find_pgbouncer():
    found = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin")
    assert found, "pgbouncer is not installed: apt-get install pgbouncer"
    return found


def unprivileged():
    """The user that it runs as, because it refuses root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Pooler:
    """In front of the database at `direct`, a URL with a folder of sockets as its host."""

    def __init__(self, folder, direct):
        self.direct, self.port, self.process = direct, h.free_port(), None
        self.ini, self.log = os.path.join(folder, "pgbouncer.ini"), os.path.join(folder, "pgbouncer.log")
        server = re.search(r"host=([^&]*)", direct).group(1)
        users = os.path.join(folder, "users.txt")
        with open(users, "w", encoding="utf-8") as file:
            file.write('"sundial" ""\n')
        with open(self.ini, "w", encoding="utf-8") as file:
            file.write(f"""[databases]
* = host={server} user=sundial
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
pool_mode = transaction
default_pool_size = {SESSIONS}
max_client_conn = 500
server_round_robin = 1
""")
        os.chmod(folder, 0o755)
        self.url = re.sub(r"host=[^&]*", f"host=127.0.0.1&port={self.port}&sslmode=disable&gssencmode=disable", direct)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([find_pgbouncer(), self.ini], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            **unprivileged())
        h.wait_until(self.accepts, "pgbouncer to accept connections")
        return self

    def accepts(self):
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8") as log:
                raise AssertionError(f"pgbouncer ended with {self.process.returncode}:\n{log.read()}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def server_log(self):
        folder = re.search(r"host=([^&]*)", self.direct).group(1)
        with open(os.path.join(folder, "server.log"), encoding="utf-8", errors="replace") as log:
            return log.read()


@contextlib.contextmanager
def pooler():
    with h.folder() as folder, h.postgres(migrated=True) as direct:
        made = Pooler(folder, direct).start()
        try:
            yield made
        finally:
            made.kill()


class CheckedPooler(Relay):
    """Seems to be a pooler, and notes each message that arrives before the Sync in front of it is answered."""

    DELAY = 0.01  # seconds that an answer takes, so that something sent too early is seen

    def __init__(self, direct):
        self.syncs, self.early = 0, []
        super().__init__(direct, collections.Counter)

    def ask(self, client, server, unanswered):
        with contextlib.suppress(OSError):
            sent = client.makefile("rb")
            length = sent.read(4)
            server.sendall(length + sent.read(int.from_bytes(length) - 4))
            for kind, message in messages(sent):
                if unanswered["syncs"] > 0 and kind != b"X":
                    self.early.append(message[:80])
                if kind in (b"S", b"Q"):
                    unanswered["syncs"] += 1
                    self.syncs += 1
                server.sendall(message)
        hang_up(server)

    def answer(self, client, server, unanswered):
        with contextlib.suppress(OSError):
            for kind, message in messages(server.makefile("rb")):
                if kind == b"K":  # a pooler's process is not the one that answers
                    message = message[:5] + (int.from_bytes(message[5:9]) + 1).to_bytes(4) + message[9:]
                if kind == b"Z" and unanswered["syncs"] > 0:
                    time.sleep(self.DELAY)
                    unanswered["syncs"] -= 1
                client.sendall(message)
        hang_up(client)


def messages(file):
    """Of the protocol: their type and all their bytes."""
    while len(head := file.read(5)) == 5:
        yield head[:1], head + file.read(int.from_bytes(head[1:]) - 4)
