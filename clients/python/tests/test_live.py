"""Changes as they happen, with the real server, and with one that answers as the test wants."""
import ssl
import threading
import time
import unittest
from unittest import mock

from support import REAL_CLOCK, TEST_CLOCK, Script, harness, problem, url

import tls
from sundial_client import ApiError, Stop, Sundial, TransportError
from sundial_client import client as client_module

STREAM = {"Content-Type": "text/event-stream"}
ADA = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}


class Following:
    """A thread that keeps the messages of a live stream until it ends."""

    def __init__(self, client, query, **options):
        self.messages, self.stop, self.error = [], Stop(), None

        def run():
            try:
                for message in client.system.live(query, stop=self.stop, **options):
                    self.messages.append(message)
            except Exception as error:
                self.error = error

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def types(self):
        return [one["type"] for one in self.messages]

    def wait(self, kind, count=1):
        """The messages of a type, once there are so many."""
        return harness.wait_until(lambda: (found := [one for one in self.messages if one["type"] == kind])[count - 1:] and found, kind)

    def ended(self):
        self.thread.join(harness.HANG_GUARD)
        assert not self.thread.is_alive(), "the stream did not end"


class WithServer(unittest.TestCase):
    def test_each_change_comes_once_and_in_order_over_a_restart(self):
        port = harness.free_port()
        with harness.folder() as directory:
            with harness.running(*REAL_CLOCK, folder=directory, port=port) as server:
                client = Sundial(url(server))
                following = Following(client, {"topics": ["users", "endpoints"]})
                following.wait("opened")
                made = [client.users.create(ADA)["id"] for _ in range(3)]
                client.endpoints.create({"externalId": "desk", "name": "Desk", "type": "PULL"})
                following.wait("endpoints.created")
                server.kill()
                following.wait("closed")
            with harness.running(*REAL_CLOCK, folder=directory, port=port) as server:
                made.append(client.users.create(ADA)["id"])
                following.wait("opened", 2)
                client.users.delete(made[0])
                following.wait("users.deleted")
                following.stop.stop()
                following.ended()
        self.assertIsNone(following.error)
        changes = [one for one in following.messages if one["type"] not in ("opened", "closed")]
        self.assertEqual([one["type"] for one in changes], ["users.created"] * 3 + ["endpoints.created", "users.created", "users.deleted"])
        self.assertEqual([one["data"]["id"] for one in changes if one["type"].startswith("users")], [*made, made[0]])
        positions = [one["position"] for one in changes]
        self.assertEqual(positions, sorted(set(positions)))
        self.assertIn("timezone", changes[0]["data"]["fields"])
        self.assertEqual(changes[0]["data"]["version"], 1)

    def test_it_continues_after_a_position_or_is_reset(self):
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            first = Following(client, {"topics": "users"})
            first.wait("opened")
            made = [client.users.create(ADA)["id"] for _ in range(2)]
            position = first.wait("users.created", 2)[0]["position"]
            first.stop.stop()
            second = Following(client, {"topics": "users"}, after=position)
            self.assertEqual([one["data"]["id"] for one in second.wait("users.created")], made[1:])
            second.stop.stop()
            third = Following(client, {"topics": "users"}, after=1_000_000)
            (reset,) = third.wait("reset")
            self.assertGreaterEqual(reset["position"], position + 1)
            third.stop.stop()
            for one in (first, second, third):
                one.ended()

    def test_the_topics_without_positions(self):
        with harness.folder() as directory, harness.running(*REAL_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            client.endpoints.create({"externalId": "work", "name": "Work", "type": "PULL"})
            query = {"topics": ["stats", "events", "operations"], "eventType": ["PRINT"], "endpointId": "ext:work", "status": "FAILED"}
            event = None
            found = {}
            for message in client.system.live(query):
                if message["type"] == "stats":
                    self.assertIn("pending", message["data"]["now"])
                    # The list of operations before the first one may not have been read yet.
                    client.operations.bulk({"resource": "events", "action": "dismiss", "filter": {"status": "FAILED", "eventType": ["NONE"]}})
                    if event is None:
                        event = client.events.create({"eventType": "PRINT", "targetTimestampUTC": "now", "endpointId": "ext:work",
                                                      "deliveryPayload": 1})
                        (claimed,) = client.endpoints.claim("ext:work", {"worker": "w", "wait": "PT20S"})["data"]
                        client.events.fail(event["id"], {"version": claimed["version"], "reason": "no paper", "retry": False})
                found[message["type"]] = message
                if {"events.changed", "operations.changed"} <= set(found):
                    break
            self.assertEqual(found["events.changed"]["data"], {"events": [{"id": event["id"], "status": "FAILED", "eventType": "PRINT"}], "more": False})
            self.assertEqual({one["kind"] for one in found["operations.changed"]["data"]["operations"]}, {"BULK"})
            # Leaving the loop has closed the connection.
            harness.wait_until(lambda: "\nsundial_live_clients 0\n" in client.system.metrics(), "the server to notice")

    def test_errors_that_do_not_pass_are_raised(self):
        with harness.folder() as directory, harness.running(*REAL_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            for query, pointer in (({"topics": ["weather"]}, "?topics"), ({"topics": ["events"], "endpointId": "ext:none"}, "?endpointId")):
                with self.assertRaises(ApiError) as caught:
                    list(client.system.live(query))
                self.assertEqual((caught.exception.code, caught.exception.errors[0]["pointer"]), ("VALIDATION_FAILED", pointer))
                self.assertTrue(caught.exception.request_id)
            admin = Sundial(url(server), api_key=client.api_keys.create({"name": "admin", "role": "ADMIN"})["key"])
            key = admin.api_keys.create({"name": "reader", "role": "READ"})
            following = Following(Sundial(url(server), api_key=key["key"]), {"topics": ["users", "stats"]})
            following.wait("stats")
            admin.api_keys.revoke(key["id"])
            following.ended()
            self.assertEqual(following.error.code, "UNAUTHENTICATED")

    def test_a_stop_ends_a_stream_that_is_quiet(self):
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            following = Following(Sundial(url(server)), {"topics": "keys"})
            following.wait("opened")
            following.stop.stop()
            following.ended()
            self.assertIsNone(following.error)
            self.assertEqual(list(Sundial(url(server)).system.live({"topics": "keys"}, stop=following.stop)), [])

    def test_a_stop_ends_a_stream_over_tls(self):
        with harness.folder() as directory:
            certificate, key = tls.certificate(directory, "server")
            with harness.running("serve", "--db", "x.db", f"--http.tls_cert={certificate}", f"--http.tls_key={key}",
                                 folder=directory) as server:
                client = Sundial(f"https://localhost:{server.port}", ssl_context=ssl.create_default_context(cafile=certificate))
                following = Following(client, {"topics": "users"})
                following.wait("opened")
                client.users.create(ADA)
                following.wait("users.created")
                following.stop.stop()
                following.ended()
                self.assertIsNone(following.error)

    def test_other_ways_to_call_the_operation_are_refused(self):
        with self.assertRaises(ValueError):
            Sundial().call("followLive", query={"topics": "users"})


class WithScript(unittest.TestCase):
    def setUp(self):
        self.slept = []
        patch = mock.patch.object(client_module.time, "sleep", self.slept.append)
        patch.start()
        self.addCleanup(patch.stop)

    def live(self, *answers, **options):
        """The messages until the last answer, which refuses, and the requests."""
        script = Script(*answers, problem(401, "UNAUTHENTICATED", retryable=False))
        self.addCleanup(script.close)
        messages = []
        with self.assertRaises(ApiError) as caught:
            for message in Sundial(script.url).system.live({"topics": ["users", "instances"]}, **options):
                messages.append(message)
        self.assertEqual(caught.exception.code, "UNAUTHENTICATED")
        return messages, script.requests

    def test_it_opens_again_after_the_last_complete_change(self):
        change = 'event: users.created\ndata: {"id":"a","version":1,"fields":["firstName"]}\n\n'
        messages, requests = self.live(
            problem(503, "OVERLOADED", headers={"Retry-After": "5"}),
            (200, STREAM, "id: 7\n\n: still here\n\n"),
            (200, STREAM, f"id: 8\n{change}" + 'id: 9\nevent: users.created\ndata: {"id":"b"'))
        self.assertEqual([one["type"] for one in messages], ["closed", "opened", "closed", "opened", "users.created", "closed"])
        self.assertEqual((messages[0]["error"].code, messages[2]["error"]), ("OVERLOADED", None))
        self.assertEqual(messages[4], {"type": "users.created", "position": 8, "data": {"id": "a", "version": 1, "fields": ["firstName"]}})
        self.assertEqual([headers.get("last-event-id") for _, _, headers, _ in requests], [None, None, "7", "8"])
        self.assertEqual({path for _, path, _, _ in requests}, {"/v1/live?topics=users%2Cinstances"})
        self.assertIn("text/event-stream", requests[0][2]["accept"])
        self.assertTrue(5 <= self.slept[0] <= 5.2, self.slept)
        self.assertTrue(self.slept[1] < self.slept[2], self.slept)

    def test_messages_however_their_lines_end_and_types_that_are_not_known(self):
        text = ("\r\nevent:instances.changed\r\ndata: {\"instances\":\rdata:[{\"id\":\"é\",\"draining\":true}]}\r\r"
                "event: weather\ndata: {}\n\nid: 4\nevent: reset\ndata: {}\n\nretry: 10\ndata: no type\n\n")
        messages, _ = self.live((200, STREAM, text), after=3)
        self.assertEqual(messages[1:-1], [{"type": "instances.changed", "data": {"instances": [{"id": "é", "draining": True}]}},
                                          {"type": "reset", "position": 4}])

    def test_a_broken_message_closes_the_stream(self):
        messages, _ = self.live((200, STREAM, "event: stats\ndata: {\n\n"), None)
        self.assertEqual([one["type"] for one in messages], ["opened", "closed", "closed"])
        for one in messages[1:]:
            self.assertIsInstance(one["error"], TransportError)
            self.assertTrue(one["error"].request_id or "not JSON" in str(one["error"]))

    def test_an_answer_that_is_no_stream_is_an_error(self):
        script = Script((200, {"Content-Type": "text/html"}, "<h1>Welcome</h1>"))
        self.addCleanup(script.close)
        with self.assertRaises(ApiError) as caught:
            list(Sundial(script.url).system.live({"topics": "users"}))
        self.assertEqual((caught.exception.status, caught.exception.detail), (200, "<h1>Welcome</h1>"))

    def test_a_server_that_is_silent_is_asked_again(self):
        import socket
        connections = []
        begin = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: connected\n\n"
        with socket.create_server(("127.0.0.1", 0)) as silent, mock.patch.object(client_module, "LONGEST_SILENCE", 0.05):
            messages = Sundial(f"http://127.0.0.1:{silent.getsockname()[1]}").system.live({"topics": "users"})
            for _ in range(2):
                threading.Thread(target=lambda: connections.append(self.begun(silent, begin)), daemon=True).start()
                self.assertEqual(next(messages)["type"], "opened")
                closed = next(messages)
                self.assertEqual(closed["type"], "closed")
                self.assertIsInstance(closed["error"], TransportError)
                self.assertIn("timed out", str(closed["error"]))
            messages.close()
        for connection in connections:
            connection.close()

    @staticmethod
    def begun(listener, text):
        """A connection that got its request and the beginning of an answer."""
        connection, _ = listener.accept()
        received = b""
        while b"\r\n\r\n" not in received:
            received += connection.recv(4096)
        connection.sendall(text)
        return connection

    def test_a_stream_that_lasted_is_opened_again_soon(self):
        now = 0.0

        class Lasting(Sundial):
            def stream(self, operation, **options):
                nonlocal now
                for piece in super().stream(operation, **options):
                    yield piece
                    now += 60.0 if len(script.requests) == 3 else 0.0

        short = (200, STREAM, ": connected\n\n")
        script = Script(short, short, short, short, problem(401, "UNAUTHENTICATED", retryable=False))
        self.addCleanup(script.close)
        with mock.patch.object(client_module.random, "uniform", lambda low, high: high), mock.patch.object(time, "monotonic", lambda: now):
            with self.assertRaises(ApiError):
                list(Lasting(script.url).system.live({"topics": "users"}))
        self.assertEqual(self.slept, [0.2, 0.4, 0.2, 0.4])


if __name__ == "__main__":
    unittest.main()
