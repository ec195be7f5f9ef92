"""Sits between instances and the receiver: passes requests on one by one, or treats them as a defective sender would.
"""
import contextlib
import re
import socket
import threading
import time


class Middlebox:
    """`alter(request, deliver)` answers one request; `deliver` sends a request to the receiver and returns its
    response."""

    def __init__(self, sink_port, alter):
        self.sink_port, self.alter = sink_port, alter
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), connection:
            buffer = b""
            while True:
                request, buffer = message(connection, buffer)
                if request is None:
                    return
                answer = self.alter(request, self.deliver)
                if answer is None:
                    return
                connection.sendall(answer)

    def deliver(self, request):
        try:
            with socket.create_connection(("127.0.0.1", self.sink_port), timeout=10) as sink:
                sink.sendall(request)
                return message(sink, b"")[0]
        except OSError:
            return None

    def close(self):
        self.listener.close()


def message(connection, buffer):
    """One HTTP message and the rest of the input, or None at the end of the input."""
    while b"\r\n\r\n" not in buffer:
        data = connection.recv(65536)
        if not data:
            return None, b""
        buffer += data
    head = buffer.index(b"\r\n\r\n") + 4
    size = re.search(rb"(?i)\r\ncontent-length: *(\d+)", buffer[:head])
    end = head + (int(size[1]) if size else 0)
    while len(buffer) < end:
        data = connection.recv(65536)
        if not data:
            return None, b""
        buffer += data
    return buffer[:end], buffer[end:]


# Behaviours of a defective sender.

def untouched(request, deliver):
    return deliver(request)


def settled_before_sent(request, deliver):
    """Reports success to the instance first, and only then sends the request to the receiver."""
    def later():
        time.sleep(0.5)
        deliver(request)
    threading.Thread(target=later, daemon=True).start()
    return b"HTTP/1.1 204 No Content\r\n\r\n"


def new_id_on_retry(request, deliver):
    if b"Sundial-Attempt: 1\r\n" not in request:
        request = re.sub(rb"(?i)(webhook-id: )", rb"\1again-", request)
    return deliver(request)


def hidden_resend(request, deliver):
    deliver(request)
    return deliver(request)


def retry_after_ignored(request, deliver):
    answer = deliver(request)
    return answer and re.sub(rb"Retry-After: \d+\r\n", b"", answer)


def redirect_followed(request, deliver):
    answer = deliver(request)
    if answer and answer[9:10] == b"3":
        return deliver(request.replace(b"/hook", b"/trap", 1))
    return answer


def refusal_ignored(request, deliver):
    answer = deliver(request)
    return answer and answer.replace(b" 404 ", b" 500 ", 1)


def other_bytes(request, deliver):
    return deliver(request.replace(b'"text"', b'"TEXT"', 1))
