"""https by itself: which protocols, another certificate without a restart, and whose word counts for where a request
comes from."""
import os
import signal
import socket
import ssl
import subprocess
import warnings

import harness as h


def certificate(directory, name):
    """A new self-signed certificate and its key, in files of that name."""
    files = [os.path.join(directory, f"{name}.{kind}") for kind in ("crt", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    return files


def trusting(certificate_file, **bounds):
    context = ssl.create_default_context(cafile=certificate_file)
    for name, value in bounds.items():
        setattr(context, name, value)
    return context


class Connection:
    """One TLS connection, kept open."""

    def __init__(self, port, context):
        raw = socket.create_connection(("127.0.0.1", port), timeout=h.HANG_GUARD)
        self.socket = context.wrap_socket(raw, server_hostname="localhost")

    def get(self, path="/livez", fields=""):
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n".encode())
        received = b""
        while b"\r\n\r\n" not in received:
            some = self.socket.recv(65536)
            assert some, f"closed after {received}"
            received += some
        head, _, body = received.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
        while len(body) < length:
            body += self.socket.recv(65536)
        return int(head.split(b" ")[1])

    def subject(self):
        return dict(pair[0] for pair in self.socket.getpeercert()["subject"])["commonName"]


def refused(port, context):
    try:
        Connection(port, context).get()
    except (ssl.SSLError, ConnectionError, AssertionError):
        return True
    return False


def old_protocols_are_refused(port, file):
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        assert Connection(port, trusting(file, minimum_version=version, maximum_version=version)).get() == 200, version
    old = trusting(file)
    old.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that it is old is the point
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_1
    assert refused(port, old), "TLS 1.1 was taken"
    weak = trusting(file, maximum_version=ssl.TLSVersion.TLSv1_2)
    weak.set_ciphers("AES128-SHA")
    assert refused(port, weak), "a cipher without forward secrecy was taken"
    only_h2 = trusting(file)
    only_h2.set_alpn_protocols(["h2"])
    assert refused(port, only_h2), "HTTP/2 was agreed on"
    both = trusting(file)
    both.set_alpn_protocols(["h2", "http/1.1"])
    assert Connection(port, both).socket.selected_alpn_protocol() == "http/1.1"
    with socket.create_connection(("127.0.0.1", port), timeout=h.HANG_GUARD) as plain:
        plain.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
        answer = plain.recv(65536)
        assert not answer.startswith(b"HTTP/"), "what is said in clear was answered"


def another_certificate_needs_no_restart(server, directory, in_use):
    first = trusting(in_use[0])
    old = Connection(server.port, first)
    assert old.get() == 200 and old.subject() == "first"

    def replaced(files, lines):
        for new, used in zip(files, in_use):
            os.replace(new, used)
        server.process.send_signal(signal.SIGHUP)
        h.wait_until(lambda: len(reloads(server)) == lines, "a word on the certificate")
        return reloads(server)[-1]

    told = replaced(certificate(directory, "second"), 1)
    assert told["level"] == "info" and "http.tls_cert" in told["keys"], told
    assert old.get() == 200, "an open connection was dropped"
    second = trusting(in_use[0])
    assert Connection(server.port, second).subject() == "second"

    stray = certificate(directory, "third")[:1] + certificate(directory, "fourth")[1:]
    told = replaced(stray, 2)
    assert told["level"] == "error" and "stay in use" in told["msg"], told
    assert Connection(server.port, second).subject() == "second", "a pair that does not match was taken"
    for file in in_use:
        with open(file, "w") as broken:
            broken.write("no PEM")
    server.process.send_signal(signal.SIGHUP)
    h.wait_until(lambda: len(reloads(server)) == 3, "a word on the certificate")
    assert Connection(server.port, second).get() == 200 and old.get() == 200


def reloads(server):
    return [line for line in server.log() if line["eventName"] == "config.reloaded"]


def a_start_without_a_pair_is_refused(directory, files):
    for settings, said in (([f"--http.tls_cert={files[0]}"], "belong together"),
                           ([f"--http.tls_cert={files[1]}", f"--http.tls_key={files[1]}"], files[1]),
                           ([f"--http.tls_cert={files[0]}", "--http.tls_key=absent"], "absent"),
                           (["--http.trusted_proxies=10.0.0.0/33"], "10.0.0.0/33")):
        done = subprocess.run([h.PROGRAM, "serve", "--db", "x.db", "--http.listen=127.0.0.1:0", *settings], cwd=directory,
                              capture_output=True, text=True, timeout=h.HANG_GUARD)
        assert done.returncode == 1 and said in done.stderr, done


def only_a_trusted_proxy_is_believed(directory, trusted):
    """Ten wrong keys from one client behind a proxy do not count against another."""
    believed = ("--http.trusted_proxies=127.0.0.0/8",) if trusted else ()
    with h.running("serve", "--db", f"proxy-{trusted}.db", *believed, folder=directory) as server:
        def wrong(forwarded):
            return server.client().call("GET", "/v1/users", headers={"Authorization": "Bearer x", "X-Forwarded-For": forwarded}).status
        statuses = [wrong("203.0.113.9, 192.0.2.1, 127.0.0.9") for _ in range(11)]
        assert statuses == [401] * 10 + [429], statuses
        assert wrong("203.0.113.9, 192.0.2.2") == (401 if trusted else 429)
        assert wrong("192.0.2.2, 192.0.2.1") == 429, "what a client says of itself was believed"
        assert server.stop() == 0


def main():
    with h.folder() as directory:
        in_use = certificate(directory, "first")
        a_start_without_a_pair_is_refused(directory, in_use)
        with h.running("serve", "--db", "x.db", f"--http.tls_cert={in_use[0]}", f"--http.tls_key={in_use[1]}", folder=directory) as server:
            old_protocols_are_refused(server.port, in_use[0])
            another_certificate_needs_no_restart(server, directory, in_use)
            assert server.stop() == 0
        only_a_trusted_proxy_is_believed(directory, trusted=True)
        only_a_trusted_proxy_is_believed(directory, trusted=False)
    print("https, another certificate under way, and whom to believe")


if __name__ == "__main__":
    main()
