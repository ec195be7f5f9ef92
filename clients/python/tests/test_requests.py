"""Requests, retries, idempotency keys, errors and pages, with a server that answers as the test wants."""
import email.utils
import json
import time
import unittest
from unittest import mock

from support import Script, harness, problem

from sundial_client import ApiError, Stop, Stopped, Sundial, SundialError, TransportError
from sundial_client import client as client_module

EMPTY = '{"data":[],"hasMore":false,"nextCursor":null}'
OK = (200, {}, "{}")


class Requests(unittest.TestCase):
    def setUp(self):
        self.slept = []
        patch = mock.patch.object(client_module.time, "sleep", self.slept.append)
        patch.start()
        self.addCleanup(patch.stop)

    def script(self, *answers, **options):
        script = Script(*answers)
        self.addCleanup(script.close)
        client = Sundial(script.url, **options)
        self.addCleanup(client.close)
        return script, client

    def test_a_change_is_repeated_with_the_same_key(self):
        script, client = self.script(None, problem(503, "STORAGE_UNAVAILABLE"), problem(500, "INTERNAL_ERROR"), (201, {}, '{"id":"e"}'))
        self.assertEqual(client.events.create({"eventType": "X", "deliveryPayload": {}}), {"id": "e"})
        keys = [headers["idempotency-key"] for _, _, headers, _ in script.requests]
        self.assertEqual(len(keys), 4)
        self.assertEqual(len(set(keys)), 1)
        self.assertEqual(len(set(body for *_, body in script.requests)), 1)
        self.assertEqual(len(self.slept), 3)

    def test_each_call_has_a_key_of_its_own_unless_the_caller_gives_one(self):
        script, client = self.script(OK, OK, OK)
        for key in (None, None, "mine"):
            client.users.patch("u", {"firstName": "A"}, idempotency_key=key)
        first, second, third = (headers["idempotency-key"] for _, _, headers, _ in script.requests)
        self.assertNotEqual(first, second)
        self.assertEqual(third, "mine")

    def test_reads_and_reports_of_workers_have_no_key_and_are_repeated(self):
        script, client = self.script(None, OK, None, OK)
        client.events.get("e")
        client.events.complete("e", 2)
        self.assertTrue(all("idempotency-key" not in headers for _, _, headers, _ in script.requests))
        self.assertEqual(len(script.requests), 4)

    def test_retries_are_bounded(self):
        script, client = self.script(*[problem(503, "NOT_READY")] * 3, max_retries=2)
        with self.assertRaises(ApiError) as caught:
            client.events.get("e")
        self.assertEqual(caught.exception.code, "NOT_READY")
        self.assertEqual(len(script.requests), 3)

    def test_retry_after_is_a_lower_bound(self):
        asked = time.time()
        in_a_while = email.utils.formatdate(asked + 40, usegmt=True)
        _, client = self.script(problem(429, "RATE_LIMITED", headers={"Retry-After": "7"}),
                                problem(503, "OVERLOADED", headers={"Retry-After": in_a_while}), OK)
        client.events.get("e")
        self.assertTrue(7 <= self.slept[0] <= 8, self.slept)
        # A date has whole seconds, and is the nearer the longer the requests took.
        self.assertTrue(39 - (time.time() - asked) <= self.slept[1] <= 41, self.slept)

    def test_a_longer_retry_after_is_left_to_the_caller(self):
        script, client = self.script(problem(503, "NOT_READY", headers={"Retry-After": "3600"}))
        with self.assertRaises(ApiError) as caught:
            client.events.get("e")
        self.assertEqual(caught.exception.retry_after, 3600)
        self.assertEqual(len(script.requests), 1)

    def test_delays_grow_up_to_a_limit(self):
        with mock.patch.object(client_module.random, "uniform", lambda low, high: high):
            delays = [client_module.backoff(attempt) for attempt in range(1, 12)]
        self.assertEqual(delays[:4], [0.2, 0.4, 0.8, 1.6])
        self.assertEqual(delays[-1], 10.0)

    def test_refusals_are_not_repeated(self):
        for status, code in ((400, "VALIDATION_FAILED"), (404, "EVENT_NOT_FOUND"), (409, "LEASE_LOST"), (422, "IDEMPOTENCY_KEY_REUSED")):
            script, client = self.script(problem(status, code, retryable=False))
            with self.assertRaises(ApiError):
                client.events.retry("e")
            self.assertEqual(len(script.requests), 1)
        script, client = self.script(problem(409, "LOCK_HELD", holder="other", headers={"Retry-After": "1"}))
        with self.assertRaises(ApiError) as caught:
            client.locks.acquire("l", {"holder": "me"})
        self.assertEqual(caught.exception.problem["holder"], "other")
        self.assertEqual(len(script.requests), 1)

    def test_a_request_whose_key_is_in_progress_is_repeated(self):
        script, client = self.script(problem(409, "IDEMPOTENCY_IN_PROGRESS", headers={"Retry-After": "1"}), OK)
        client.events.retry("e")
        self.assertEqual(len(script.requests), 2)

    def test_a_server_that_cannot_keep_secrets_gets_the_request_without_a_key_and_once(self):
        refused = problem(400, "VALIDATION_FAILED", retryable=False,
                          errors=[{"pointer": "Idempotency-Key", "code": "not_allowed", "message": "the response contains a secret"}])
        script, client = self.script(refused, (201, {}, '{"key":"k"}'))
        self.assertEqual(client.api_keys.create({"name": "n"}), {"key": "k"})
        self.assertNotIn("idempotency-key", script.requests[1][2])
        # Whether the second request had an effect is not known, so it is not sent a third time.
        script, client = self.script(refused, None)
        with self.assertRaises(TransportError):
            client.api_keys.create({"name": "n"})
        self.assertEqual(len(script.requests), 2)
        # A key of the caller's own is never dropped.
        script, client = self.script(refused)
        with self.assertRaises(ApiError):
            client.api_keys.create({"name": "n"}, idempotency_key="mine")

    def test_errors_have_the_members_of_the_problem(self):
        _, client = self.script(problem(400, "VALIDATION_FAILED", retryable=False, errors=[
            {"pointer": "/timezone", "code": "unknown_zone", "message": "'Mars/Base' is not an IANA zone"}]))
        with self.assertRaises(ApiError) as caught:
            client.users.get("u")
        error = caught.exception
        self.assertEqual((error.status, error.code, error.retryable, error.request_id), (400, "VALIDATION_FAILED", False, "req-1"))
        self.assertEqual(error.errors[0]["pointer"], "/timezone")
        self.assertIn("Mars/Base", str(error))

    def test_errors_name_the_request_in_the_servers_log(self):
        bare = (503, {"Content-Type": "application/problem+json", "Retry-After": "1"}, '{"code":"NOT_READY","retryable":true}')
        script, client = self.script(None, bare, bare, max_retries=2)
        with self.assertRaises(ApiError) as caught:
            client.events.get("e")
        (sent,) = {headers["x-request-id"] for _, _, headers, _ in script.requests}
        self.assertEqual(caught.exception.request_id, sent)
        script, client = self.script(None, (200, {}, "<html>"), max_retries=0)
        for number in (0, 1):
            with self.assertRaises(TransportError) as lost:
                client.events.get("e")
            self.assertEqual((lost.exception.code, lost.exception.retryable), (None, True))
            self.assertEqual(lost.exception.request_id, script.requests[number][2]["x-request-id"])
        self.assertNotEqual(script.requests[0][2]["x-request-id"], script.requests[1][2]["x-request-id"])

    def test_an_answer_that_is_not_the_servers_is_an_error_too(self):
        script, client = self.script((502, {"Content-Type": "text/html"}, "<h1>Bad gateway</h1>"), OK)
        client.events.get("e")
        self.assertEqual(len(script.requests), 2)
        _, client = self.script((404, {"Content-Type": "text/html"}, "<h1>No such page</h1>"))
        with self.assertRaises(ApiError) as caught:
            client.events.get("e")
        self.assertEqual((caught.exception.code, caught.exception.problem), (None, {}))
        self.assertEqual(str(caught.exception), "HTTP (404): <h1>No such page</h1>")
        _, client = self.script((200, {}, "<html>"))
        with self.assertRaises(TransportError):
            client.events.get("e")

    def test_redirects_are_not_followed(self):
        script, client = self.script((302, {"Location": "http://example.invalid/"}, ""), api_key="secret")
        with self.assertRaises(ApiError):
            client.events.get("e")
        self.assertEqual(len(script.requests), 1)

    def test_a_server_that_is_away_is_tried_again(self):
        port = harness.free_port()
        with self.assertRaises(TransportError) as caught:
            Sundial(f"http://127.0.0.1:{port}", max_retries=2).events.get("e")
        self.assertFalse(caught.exception.sent)
        self.assertEqual(len(self.slept), 2)

    def test_a_silent_server_is_left_after_the_timeout(self):
        import socket
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = Sundial(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05, max_retries=1)
            with self.assertRaises(TransportError):
                client.events.get("e")

    def test_a_stop_ends_the_request_that_waits_and_each_later_one(self):
        import socket
        import threading
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = Sundial(f"http://127.0.0.1:{silent.getsockname()[1]}")
            stop = Stop()
            ended = []

            def wait():
                try:
                    client.streams.feed({"wait": "PT60S"}, stop=stop)
                except Stopped:
                    ended.append(True)

            thread = threading.Thread(target=wait)
            thread.start()
            connection, _ = silent.accept()
            connection.recv(1)  # the request is on its way, so the client waits for its answer
            stop.stop()
            thread.join(harness.HANG_GUARD)
            self.assertEqual(ended, [True])
            connection.close()
            with self.assertRaises(Stopped):
                client.streams.feed({"wait": "PT60S"}, stop=stop)

    def test_a_kept_connection_that_the_server_closed_is_not_used(self):
        script, client = self.script(OK, OK, max_retries=0)
        client.events.get("e")
        (_, connection), = client._transport._idle
        import socket
        connection.sock.shutdown(socket.SHUT_RDWR)
        client.events.get("e")
        self.assertEqual(len(script.requests), 2)

    def test_targets_are_encoded(self):
        script, client = self.script(OK, (200, {}, EMPTY), OK)
        client.users.get("ext:a/b ü?")
        client.events.list({"status": ["FAILED", "COMPLETED"], "dismissed": False, "targetFrom": "2027-01-05T09:00:00+01:00"}).first()
        client.locks.get("every day")
        self.assertEqual([path for _, path, _, _ in script.requests], [
            "/v1/users/ext:a%2Fb%20%C3%BC%3F",
            "/v1/events?status=FAILED%2CCOMPLETED&dismissed=false&targetFrom=2027-01-05T09%3A00%3A00%2B01%3A00",
            "/v1/locks/every%20day"])
        for bad in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client.users.get(bad)

    def test_headers_of_a_request(self):
        script, client = self.script(OK, OK, (304, {}, ""), api_key="sundial_sk_x")
        client.users.patch("u", {"firstName": "Zoë"}, if_match=3)
        client.users.get("u")
        self.assertIsNone(client.users.get_if_changed("u", 3))
        (_, _, patch, body), (_, _, get, _), (_, _, again, _) = script.requests
        self.assertEqual((patch["authorization"], patch["if-match"], patch["content-type"]), ("Bearer sundial_sk_x", '"3"', "application/json"))
        self.assertEqual(json.loads(body), {"firstName": "Zoë"})
        self.assertNotIn("content-type", get)
        self.assertEqual(again["if-none-match"], '"3"')
        self.assertRegex(get["user-agent"], r"^sundial-client-python/\d+\.\d+\.\d+$")

    def test_a_list_goes_on_over_empty_pages_to_its_end(self):
        def page(rows, cursor):
            return 200, {}, json.dumps({"data": rows, "hasMore": cursor is not None, "nextCursor": cursor})
        script, client = self.script(page([1, 2], "a"), page([], "b"), page([3], None))
        self.assertEqual(list(client.events.list({"limit": 2})), [1, 2, 3])
        self.assertEqual([path for _, path, _, _ in script.requests],
                         ["/v1/events?limit=2", "/v1/events?limit=2&cursor=a", "/v1/events?limit=2&cursor=b"])
        _, client = self.script(page([1], "a"), page([2], "a"))
        with self.assertRaises(SundialError):
            list(client.events.list())

    def test_a_url_must_be_one_of_a_server(self):
        for bad in ("127.0.0.1:8080", "ftp://x", "http://", "http://user@x", "http://x?q=1"):
            with self.assertRaises(ValueError):
                Sundial(bad)

    def test_a_path_before_the_routes_is_kept(self):
        script, _ = self.script(OK)
        Sundial(script.url + "/sundial/").system.info()
        self.assertEqual(script.requests[0][1], "/sundial/v1/info")

    def test_a_wait_in_a_request_is_added_to_the_timeout(self):
        _, client = self.script(timeout=5)
        seen = []
        reply = client_module.Reply(200, {}, b"{}")
        with mock.patch.object(client._transport, "send", lambda *arguments: seen.append(arguments[4]) or reply):
            client.endpoints.claim("e", {"worker": "w", "wait": "PT1M30S"})
            client.streams.feed({"wait": "PT20S"})
            client.system.info()
        self.assertEqual(seen, [95, 25, 5])


if __name__ == "__main__":
    unittest.main()
