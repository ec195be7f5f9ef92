"""Sits between instances and PostgreSQL and passes messages on. It can lose the response to a COMMIT, cut all
connections, or change the SQL (with which `selftest` breaks the product without touching it).

It follows the protocol as far as needed: messages have a type and a length, the first of a connection only a length.
"""
import contextlib
import random
import socket
import struct
import threading


def hang_up(*ends):
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class Link:
    """One connection through the proxy."""

    def __init__(self, client, server):
        self.client, self.server = client, server
        self.losing = False  # data from the server no longer arrives
        self.cut = False  # neither does data from the client
        self.forgetting = False  # a COMMIT became a ROLLBACK, and its response becomes that of a COMMIT


class Proxy:
    def __init__(self, port, rewrite=None):
        """To the server on `port` of this machine. `rewrite` maps SQL text to SQL text."""
        self.target, self.rewrite = ("127.0.0.1", port), rewrite
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.listener.getsockname()[1]
        self.lock, self.links = threading.Lock(), set()
        self.commits = self.cuts = self.rewritten = 0
        self.cut_share, self.forget_share, self.rng = 0.0, 0.0, random.Random(7)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self.target, timeout=5)
            except OSError:
                client.close()
                continue
            server.settimeout(None)
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = Link(client, server)
            with self.lock:
                self.links.add(link)
            threading.Thread(target=self.ask, args=(link,), daemon=True).start()
            threading.Thread(target=self.answer, args=(link,), daemon=True).start()

    def ask(self, link):
        """From the instance to the server, one message after the other."""
        started, buffer = False, b""
        with contextlib.suppress(OSError):
            while data := link.client.recv(65536):
                buffer += data
                out = b""
                while True:
                    message, buffer, started = take(buffer, started)
                    if message is None:
                        break
                    out += self.passed(message, link)
                if link.cut:
                    return hang_up(link.client, link.server)
                link.server.sendall(out)
        if not link.losing:
            hang_up(link.server)

    def passed(self, message, link):
        kind = message[:1]
        if kind == b"P":  # Parse: name, SQL, types
            name, sql, rest = message[5:].split(b"\0", 2)
            if sql == b"COMMIT":
                self.perhaps_lose(link)
                sql = self.perhaps_forget(link, sql)
                if sql == b"ROLLBACK":
                    return with_sql(kind, name, sql, rest)
            if self.rewrite:
                changed = self.rewrite(sql.decode()).encode()
                if changed != sql:
                    with self.lock:
                        self.rewritten += 1
                    return with_sql(kind, name, changed, rest)
        return message

    def perhaps_lose(self, link):
        """Some COMMITs lose their response, some are lost themselves: the instance cannot tell the difference."""
        with self.lock:
            self.commits += 1
            if self.rng.random() >= self.cut_share:
                return
            self.cuts += 1
            link.losing = True
            link.cut = self.rng.random() < 0.5

    def perhaps_forget(self, link, sql):
        """A COMMIT that is not executed, but reported as successful."""
        with self.lock:
            if self.rng.random() >= self.forget_share:
                return sql
            self.rewritten += 1
        link.forgetting = True
        return b"ROLLBACK"

    def answer(self, link):
        with contextlib.suppress(OSError):
            while data := link.server.recv(65536):
                if link.losing:
                    break  # the server has committed, but the instance does not learn of it
                if link.forgetting:
                    data = data.replace(b"C\0\0\0\x0dROLLBACK\0", b"C\0\0\0\x0bCOMMIT\0")
                link.client.sendall(data)
        hang_up(link.client, link.server)
        link.client.close()
        link.server.close()
        with self.lock:
            self.links.discard(link)

    def point_at(self, port):
        """Directs new connections to another server and ends the old ones."""
        self.target = ("127.0.0.1", port)
        with self.lock:
            links = list(self.links)
        for link in links:
            hang_up(link.client, link.server)

    def close(self):
        self.listener.close()
        self.point_at(self.target[1])


def with_sql(kind, name, sql, rest):
    body = name + b"\0" + sql + b"\0" + rest
    return kind + struct.pack("!i", len(body) + 4) + body


def take(buffer, started):
    """The first message, the rest, and whether the connection is past its first message."""
    if not started:
        if len(buffer) < 4:
            return None, buffer, False
        size = struct.unpack("!i", buffer[:4])[0]
        if len(buffer) < size:
            return None, buffer, False
        return buffer[:size], buffer[size:], True
    if len(buffer) < 5:
        return None, buffer, True
    size = struct.unpack("!i", buffer[1:5])[0] + 1
    if len(buffer) < size:
        return None, buffer, True
    return buffer[:size], buffer[size:], True
