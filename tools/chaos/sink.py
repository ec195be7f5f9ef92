"""The receiver of webhooks: responds by a script that follows from the event's key, and records every request.

A key is CLASS-NUMBER-…; the class selects the responses (`scripts`). The sink verifies the signature, because only it
has the secret. Everything else is checked by the checker.
"""
import base64
import hashlib
import hmac
import select
import socket
import struct
import threading
import time

RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends RST

# The response to the nth request (from 1) for the event with this key: a status, or one of
#   cut: half of a 200, then a close   reset: a close without a response   slow: a 200 after the sender's timeout
#   garbage: bytes that are not HTTP   later, hold: 204 after a while, but in time
# The second event with a `permanent` key (the result of a retry) is accepted.


def script(kind, nth, nth_event, salt):
    if kind == "flaky":
        return 204 if nth > 1 + salt % 2 else (429, 503, 500, 408)[salt % 4]
    if kind == "permanent":
        return 204 if nth_event > 1 else 404
    if kind == "redirect":
        return (301, 302, 307, 308)[salt % 4]
    if kind == "later":
        return "later"
    if kind == "hold":
        return "hold"
    if kind == "wild":
        return 204 if nth > 2 else ("cut", "reset", "slow", "garbage", 500, "cut")[salt % 6]
    if kind == "lossy":  # processed, but the response does not arrive: the receiver gets it again
        return 204 if nth > 1 else "cut"
    return 204  # plain, local, cancel


RETRY_AFTER = 2  # seconds, sent with 429 and 503
LATER = 0.4
HOLD = 4.0  # so that claims are held until they must be extended
SLOW = 3.0  # more than the timeout, which run.py sets to 2 s for the profile `sink`


class Sink:
    path = "/hook"

    def __init__(self, recorder, address="127.0.0.1"):
        self.recorder, self.secret, self.shared_secret = recorder, None, None
        self.lock, self.seen, self.number = threading.Lock(), {}, 0
        self.listener = socket.create_server((address, 0), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.in_flight = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, host="127.0.0.1"):
        return f"http://{host}:{self.port}{self.path}"

    def settings(self, url):
        """Of the endpoint, besides those that every kind of receiver has."""
        return {"type": "WEBHOOK", "url": url}

    def learn(self, endpoint):
        self.shared_secret = endpoint["secret"]
        self.secret = base64.b64decode(endpoint["secret"].removeprefix("whsec_"))

    def count(self):
        with self.lock:
            return self.number

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            buffer = b""
            while True:
                while b"\r\n\r\n" not in buffer:
                    data = connection.recv(65536)
                    if not data:
                        return
                    buffer += data
                head, buffer = buffer.split(b"\r\n\r\n", 1)
                first, *rest = head.decode("latin-1").split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
                size = int(headers.get("content-length", "0"))
                while len(buffer) < size:
                    data = connection.recv(65536)
                    if not data:
                        return  # the sender died in the middle: not a complete request
                    buffer += data
                body, buffer = buffer[:size], buffer[size:]
                if not self.answer(connection, first.split(" ")[1], headers, body):
                    return
        except OSError:
            pass
        finally:
            connection.close()

    def answer(self, connection, path, headers, body):
        """Returns whether the connection continues."""
        key, event = headers.get("webhook-id", ""), headers.get("sundial-event-id", "")
        with self.lock:
            self.number += 1
            number = self.number
            events = self.seen.setdefault(key, [])
            if event not in events:
                events.append(event)
            nth_event = events.index(event) + 1
            nth = self.seen[event] = self.seen.get(event, 0) + 1
            self.in_flight += 1
        self.recorder.write(
            "invoke", "request", n=number, id=event, key=key, attempt=int(headers.get("sundial-attempt", "0")),
            target=headers.get("sundial-target-time", ""), path=path, body=hashlib.sha256(body).hexdigest()[:16],
            signed=self.verifies(headers, body), stamp=int(headers.get("webhook-timestamp", "0")))
        kind, salt = (key.split("-") + [""])[:2]
        action = script(kind, nth, nth_event, int(salt) if salt.isdigit() else 0)
        try:
            return self.act(connection, action, number, event)
        finally:
            with self.lock:
                self.in_flight -= 1

    def verifies(self, headers, body):
        text = f"{headers.get('webhook-id')}.{headers.get('webhook-timestamp')}.".encode() + body
        mac = base64.b64encode(hmac.digest(self.secret, text, "sha256")).decode()
        return f"v1,{mac}" in headers.get("webhook-signature", "").split(" ")

    def act(self, connection, action, number, event):
        if action in ("later", "hold"):
            if self.gone_within(connection, LATER if action == "later" else HOLD, number, event):
                return False
            action = 204
        if action == "slow":
            if not self.gone_within(connection, SLOW, number, event):
                self.recorder.write("info", "answer", n=number, id=event, status=None, how="late")
            return False
        if action in ("cut", "reset", "garbage"):
            self.recorder.write("info", "answer", n=number, id=event, status=200 if action == "cut" else None, how=action)
            if action == "cut":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Le")
            elif action == "garbage":
                connection.sendall(b"220 mail.example ESMTP\r\n\r\n")
            else:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            return False
        text = f"HTTP/1.1 {action} Scripted\r\n"
        after = RETRY_AFTER if action in (429, 503) else None
        if after:
            text += f"Retry-After: {after}\r\n"
        if 300 <= action < 400:
            text += "Location: /trap\r\n"
        text += "\r\n" if action == 204 else "Content-Length: 0\r\n\r\n"
        # Recorded before the bytes leave, so that an instance cannot act on the response before it is in the history.
        self.recorder.write("ok", "answer", n=number, id=event, status=action, **({"after": after} if after else {}))
        try:
            connection.sendall(text.encode())
        except OSError:
            self.recorder.write("info", "answer", n=number, id=event, status=action)
            return False
        return True

    def gone_within(self, connection, seconds, number, event):
        """Waits; true if the sender hangs up meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            readable, _, _ = select.select([connection], [], [], left)
            if readable and not connection.recv(1, socket.MSG_PEEK):
                break
        else:
            return False
        self.recorder.write("info", "answer", n=number, id=event, status=None, how="hung up")
        return True

    def close(self):
        self.listener.close()
