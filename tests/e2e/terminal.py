"""The command line on a terminal: colours, tables that fit, questions, progress, Ctrl-C."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import harness as h

ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """The program on a terminal of its own, so wide."""

    def __init__(self, *arguments, width=100, environment=None):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SUNDIAL") and k not in ("NO_COLOR", "TERM")}
        self.process = subprocess.Popen([h.PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave, close_fds=True,
                                        start_new_session=True, env=clean | {"TERM": "xterm"} | (environment or {}),
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.text = ""

    def read(self, seconds):
        """Reads the output of that time; False at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            some = os.read(self.master, 65536)
        except OSError:
            return False
        self.text += some.decode(errors="replace")
        return bool(some)

    def until(self, words):
        end = time.monotonic() + h.HANG_GUARD
        while words not in self.text:
            assert self.read(0.1) and time.monotonic() < end, (words, self.text)

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self, code=0):
        end = time.monotonic() + h.HANG_GUARD
        while self.read(0.1):
            assert time.monotonic() < end, self.text
            if self.process.poll() is not None and not select.select([self.master], [], [], 0)[0]:
                break
        assert self.process.wait(timeout=h.HANG_GUARD) == code, self.text
        os.close(self.master)
        return self.text.replace("\r\n", "\n")


def tables(where, client):
    """States have colours, and no line is wider than the terminal."""
    for width in (80, 100, 200):
        shown = Terminal("event", "list", "--type", "T", *where, width=width).end()
        assert "\x1b[33m" not in shown and "\x1b[1m" in shown, shown
        assert all(len(ESCAPE.sub("", line)) <= width for line in shown.splitlines()), (width, shown)
    finished = Terminal("event", "list", "--type", "DONE", *where).end()
    assert "\x1b[32mCOMPLETED\x1b[0m" in finished, finished
    assert ESCAPE.search(Terminal("event", "list", *where, "--no-color").end()) is None
    assert ESCAPE.search(Terminal("event", "list", *where, environment={"NO_COLOR": "1"}).end()) is None
    assert ESCAPE.search(Terminal("event", "list", *where, environment={"TERM": "dumb"}).end()) is None
    records = Terminal("event", "list", "--type", "T", *where, width=30).end()
    assert "\nstatus" in ESCAPE.sub("", records), "on a narrow terminal a row is lines"


def questions(where, client):
    """The program shows the object that it would destroy, and only `y` destroys it."""
    client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris",
                                    "externalId": "ada"})
    for answer, code in (("n\n", 1), ("\n", 1), ("\x04", 1), ("y\n", 0)):
        terminal = Terminal("user", "delete", "ext:ada", *where)
        terminal.until("delete the user ext:ada and the user's events? [y/N]")
        assert "Europe/Paris" in terminal.text, "it shows the user"
        assert client.call("GET", "/v1/users/ext:ada").status == 200
        terminal.type(answer)
        shown = terminal.end(code)
        assert ("nothing was changed" in shown) == (code == 1), shown
        assert client.call("GET", "/v1/users/ext:ada").status == (404 if code == 0 else 200)
    Terminal("user", "delete", "ext:ada", *where).end(3)
    terminal = Terminal("event", "cancel", "--type", "T", *where)
    terminal.until("cancel 12 events? [y/N]")
    terminal.type("n\n")
    terminal.end(1)


def progress(where, client):
    """The progress has a rate and the remaining time; Ctrl-C says how to follow what goes on."""
    client.ok("POST", "/v1/endpoints", {"name": "refusing", "type": "WEBHOOK", "externalId": "refusing", "url": "http://127.0.0.1:9/"})
    client.ok("POST", "/v1/events/batch", {"events": [{"eventType": "SLOW", "targetTimestampUTC": "now+9h", "endpointId": "ext:bin",
                                                       "deliveryPayload": 1}] * 900})  # a minute and a half of work
    terminal = Terminal("event", "cancel", "--type", "SLOW", "--per-second", "10", "-y", *where)
    terminal.until("/s, ")
    terminal.until(" s left")
    assert "\r" in terminal.text and " of 900" in terminal.text, terminal.text
    terminal.process.send_signal(signal.SIGINT)
    shown = terminal.end(130)
    operation = re.search(r"sundial op wait (\S+)`", shown)[1]
    assert f"sundial op stop {operation}" in shown, shown
    assert client.ok("GET", f"/v1/operations/{operation}")["status"] == "RUNNING", "it goes on without the terminal"
    terminal = Terminal("op", "wait", operation, *where)
    terminal.until(" of 900")
    terminal.type("\x03")  # as typed
    assert operation in terminal.end(130)
    client.ok("DELETE", f"/v1/operations/{operation}")


def watching(where, client):
    """A watched list is drawn again."""
    terminal = Terminal("user", "list", "--watch", "--interval", "1", *where)
    terminal.until("none")
    client.ok("POST", "/v1/users", {"firstName": "Bo", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "UTC", "externalId": "bo"})
    terminal.until("ext:bo")
    assert terminal.text.count("\x1b[2J") >= 2, terminal.text
    terminal.type("\x03")
    terminal.end(130)


def main():
    with h.folder() as directory, h.running("serve", "--db", "x.db", "--ui.inbox=true", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client, where = server.client(), ["--server", f"http://127.0.0.1:{server.port}"]
        client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX", "externalId": "bin"})
        for _ in range(12):
            client.ok("POST", "/v1/events", {"eventType": "T", "targetTimestampUTC": "now+9h", "endpointId": "ext:bin", "deliveryPayload": 1})
        done = client.ok("POST", "/v1/events", {"eventType": "DONE", "targetTimestampUTC": "now", "endpointId": "ext:bin", "deliveryPayload": 1})
        h.wait_until(lambda: client.ok("GET", f"/v1/events/{done['id']}")["status"] == "COMPLETED", "a delivery")
        for test in (tables, questions, progress, watching):
            test(where, client)
            print(f"terminal: {test.__name__}")
        assert server.stop() == 0


if __name__ == "__main__":
    main()
