"""HTTP/1.1 to one server, over connections that are kept."""
import collections
import http.client
import select
import socket
import ssl
import threading
import time
import urllib.parse
from typing import Deque, Dict, Iterator, Mapping, NamedTuple, Optional, Tuple

from .errors import Stopped, SundialError, TransportError

# The server closes a connection that is idle for 60 s, and proxies may close it sooner.
MAX_IDLE_SECONDS = 20.0
MAX_IDLE_CONNECTIONS = 16


class Reply(NamedTuple):
    """An answer: its status, its headers with names in lower case, its body."""

    status: int
    headers: Dict[str, str]
    body: bytes


class Stop:
    """Stops requests from another thread: the one that waits for its answer, and each that begins later. Thread-safe.

    An answer that has begun to arrive is read: it may be a claim, and its events would be lost until their lease ends.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._socket: Optional[socket.socket] = None

    def stop(self) -> None:
        """Stops them, for good."""
        with self._lock:
            self._event.set()
            try:
                if self._socket is not None and not _readable(self._socket):
                    self._socket.shutdown(socket.SHUT_RDWR)  # ends a read that waits
            except (OSError, ValueError):
                pass  # it was closed in this moment

    def stopped(self) -> bool:
        """Whether stop() has been called."""
        return self._event.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits, until stop() is called at most. Returns whether it was called."""
        return self._event.wait(seconds)

    def sleep(self, seconds: float) -> None:
        """Waits. Raises Stopped as soon as stop() is called."""
        if self.wait(seconds):
            raise Stopped("stopped by the caller")

    def attach(self, sock: Optional[socket.socket]) -> None:
        """Names the socket that stop() shuts down. Raises Stopped if it has been called."""
        with self._lock:
            if sock is not None and self._event.is_set():
                raise Stopped("stopped by the caller")
            self._socket = sock


class Answer:
    """An answer that may have no end, over a connection of its own. Leaving its context closes the connection."""

    def __init__(self, connection: http.client.HTTPConnection, sock: socket.socket, answer: http.client.HTTPResponse, what: str,
                 stop: Optional[Stop]) -> None:
        self.status = answer.status
        #: With names in lower case.
        self.headers = _headers_of(answer)
        self._connection, self._socket, self._answer, self._what, self._stop = connection, sock, answer, what, stop

    def __enter__(self) -> "Answer":
        return self

    def __exit__(self, *_: object) -> None:
        self._answer.close()
        self._connection.close()

    def pieces(self, timeout: float) -> Iterator[bytes]:
        """Its bytes as they come. `timeout` bounds each wait for some. Raises TransportError, Stopped."""
        while True:
            try:
                # Only while it waits: the caller may use the same Stop for other requests between the pieces.
                if self._stop is not None:
                    self._stop.attach(self._socket)
                self._socket.settimeout(timeout)
                piece = self._answer.read1(65536)
            except (OSError, ValueError, http.client.HTTPException, Stopped) as error:
                raise _lost(error, self._what, True, self._stop) from error
            finally:
                if self._stop is not None:
                    self._stop.attach(None)
            if not piece:
                return
            yield piece


class Transport:
    """Sends requests to one server. Thread-safe: each request has a connection of its own while it runs."""

    def __init__(self, url: str, context: Optional[ssl.SSLContext]) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
            raise ValueError(f"'{url}' is not the URL of a server, such as http://127.0.0.1:8080")
        self._https = parts.scheme == "https"
        self._host, self._port = parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._context = context or (ssl.create_default_context() if self._https else None)
        self._lock = threading.Lock()
        self._idle: Deque[Tuple[float, http.client.HTTPConnection]] = collections.deque()

    def close(self) -> None:
        """Closes the idle connections. The transport can still be used."""
        with self._lock:
            idle = list(self._idle)
            self._idle.clear()
        for _, connection in idle:
            connection.close()

    def send(self, method: str, target: str, headers: Mapping[str, str], body: Optional[bytes], timeout: float,
             stop: Optional[Stop] = None) -> Reply:
        """Sends one request, once. `timeout` bounds the connect and each wait for bytes. Raises TransportError, Stopped."""
        connection = self._take()
        sent = connection is not None
        try:
            if connection is None:
                connection = self._connect(timeout)
            else:
                connection.timeout = timeout
                connection.sock.settimeout(timeout)
            if stop is not None:
                stop.attach(connection.sock)
            sent = True
            connection.request(method, self._prefix + target, body, dict(headers))
            answer = connection.getresponse()
            reply = Reply(answer.status, _headers_of(answer), answer.read())
        except (OSError, http.client.HTTPException, Stopped) as error:
            if connection is not None:
                connection.close()
            raise _lost(error, self._what(method, target, connection), sent, stop) from error
        finally:
            if stop is not None:
                stop.attach(None)
        if answer.will_close:
            connection.close()
        else:
            self._keep(connection)
        return reply

    def open(self, target: str, headers: Mapping[str, str], timeout: float, stop: Optional[Stop] = None) -> Answer:
        """Asks for an answer that may have no end. `timeout` bounds the connect and each wait for bytes. Raises as send()."""
        connection, sent = None, False
        try:
            connection = self._connect(timeout)
            sock = connection.sock  # the connection drops it if the server says that it will close
            if stop is not None:
                stop.attach(sock)
            sent = True
            connection.request("GET", self._prefix + target, None, dict(headers))
            return Answer(connection, sock, connection.getresponse(), self._what("GET", target, connection), stop)
        except (OSError, http.client.HTTPException, Stopped) as error:
            if connection is not None:
                connection.close()
            raise _lost(error, self._what("GET", target, connection), sent, stop) from error
        finally:
            if stop is not None:
                stop.attach(None)

    def _what(self, method: str, target: str, connection: Optional[http.client.HTTPConnection]) -> str:
        """A request, for messages."""
        return f"{method} {target}: no answer from {self._host}" + (f":{connection.port}" if connection is not None else "")

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        connection = (http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context) if self._https
                      else http.client.HTTPConnection(self._host, self._port, timeout=timeout))
        connection.connect()
        # Head and body are two writes; without this the second one waits for the receiver's delayed acknowledgement.
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def _take(self) -> Optional[http.client.HTTPConnection]:
        """An idle connection that the server has not closed."""
        while True:
            with self._lock:
                if not self._idle:
                    return None
                since, connection = self._idle.pop()
            if time.monotonic() - since < MAX_IDLE_SECONDS and not _readable(connection.sock):
                return connection
            connection.close()

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.append((time.monotonic(), connection))
            oldest = self._idle.popleft()[1] if len(self._idle) > MAX_IDLE_CONNECTIONS else None
        if oldest is not None:
            oldest.close()


def _headers_of(answer: http.client.HTTPResponse) -> Dict[str, str]:
    return {name.lower(): value for name, value in answer.getheaders()}


def _lost(error: Exception, what: str, sent: bool, stop: Optional[Stop]) -> SundialError:
    """The error of a request that brought no usable answer."""
    if isinstance(error, Stopped) or (stop is not None and stop.stopped()):
        return Stopped("stopped by the caller")
    return TransportError(f"{what}: {error or type(error).__name__}", sent)


def _readable(sock: socket.socket) -> bool:
    """Whether an idle connection has bytes or its end to read: either way it cannot be used."""
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return bool(poll.poll(0))
    return bool(select.select([sock], [], [], 0)[0])
