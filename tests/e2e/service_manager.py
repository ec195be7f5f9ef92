"""The service manager's side of `sundial serve`: readiness, status, the watchdog, and a socket that stays open while the
process restarts. systemd's own part of it is this test's."""
import contextlib
import http.client
import os
import socket
import threading

import harness as h


@contextlib.contextmanager
def manager(directory):
    """The socket that a process notifies."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        path = os.path.join(directory, "notify")
        listener.bind(path)
        listener.settimeout(h.HANG_GUARD)
        yield listener, path
        os.unlink(path)


def next_with(listener, assignment):
    """The next notification that contains `assignment`; all its lines."""
    while True:
        lines = listener.recv(4096).decode().split("\n")
        if assignment in lines:
            return lines


def notified():
    with h.folder() as directory, manager(directory) as (listener, path):
        server = h.Server("serve", "--db", "sqlite:" + os.path.join(directory, "s.db"), folder=directory,
                          environment={"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1000000"}).ready()
        assert f"STATUS=ready on 127.0.0.1:{server.port}" in next_with(listener, "READY=1")
        for _ in range(3):
            next_with(listener, "WATCHDOG=1")
        assert server.stop() == 0
        next_with(listener, "STOPPING=1")
    print("READY, WATCHDOG and STOPPING were sent")


def activated():
    """Clients that connect while no process runs wait for the next one."""
    with h.folder() as directory, socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        port = listener.getsockname()[1]
        # The shell has the pid that the program gets.
        as_activated = ("sh", "-c", 'export LISTEN_PID=$$; exec "$@" 3<&0', "sh")

        def start():
            return h.Server("serve", "--db", "sqlite:" + os.path.join(directory, "s.db"), folder=directory, prefix=as_activated,
                            environment={"LISTEN_FDS": "1", "LISTEN_FDNAMES": "sundial.socket"},
                            preexec=lambda: os.dup2(listener.fileno(), 0)).ready()

        first = start()
        assert first.port == port, "the socket's address replaces http.listen"
        refused, answered, ended = [], [], threading.Event()

        def ask():
            while not ended.is_set():
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=h.HANG_GUARD)
                try:
                    connection.connect()
                except OSError as error:
                    refused.append(error)
                    return
                with contextlib.suppress(OSError, http.client.HTTPException):
                    connection.request("GET", "/livez")
                    answered.append(connection.getresponse().status)
                connection.close()

        client = threading.Thread(target=ask)
        client.start()
        h.wait_until(lambda: answered, "an answer of the first process")
        assert first.stop() == 0
        before = len(answered)
        second = start()
        h.wait_until(lambda: len(answered) > before + 1, "an answer of the second process")
        ended.set()
        client.join()
        assert not refused, refused
        assert second.stop() == 0
    print(f"{len(answered)} answers over a restart, no connection refused")


if __name__ == "__main__":
    notified()
    activated()
