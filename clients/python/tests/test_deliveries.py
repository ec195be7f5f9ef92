"""Webhooks as they arrive, workers, and the feed, with the real server."""
import ssl
import threading
import time
import unittest

from support import REAL_CLOCK, TEST_CLOCK, harness, url

import tls
from sundial_client import ApiError, Fail, Release, Stop, Sundial, TransportError, WebhookRefused, verify_webhook


def printers(client, **members):
    return client.endpoints.create({"name": "Printers", "externalId": "printers", "type": "PULL", **members})


def print_job(client, page):
    return client.events.create({"eventType": "PRINT", "targetTimestampUTC": "now", "endpointId": "ext:printers",
                                 "deliveryPayload": {"page": page}})["id"]


class Running:
    """A worker in a thread. ended() returns what run() returned, or raises what it raised."""

    def __init__(self, worker):
        self.worker, self.result, self.error = worker, None, None

        def run():
            try:
                self.result = worker.run()
            except Exception as error:
                self.error = error

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def ended(self):
        self.thread.join(harness.HANG_GUARD)
        assert not self.thread.is_alive(), "the worker did not stop"
        if self.error:
            raise self.error
        return self.result


class Webhooks(unittest.TestCase):
    def test_signatures_of_real_deliveries_before_during_and_after_a_rotation(self):
        receiver = harness.Receiver()
        with harness.folder() as directory, harness.running(*REAL_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            first = client.endpoints.create({"name": "Hook", "externalId": "hook", "type": "WEBHOOK", "url": receiver.url, "ed25519": True})

            def deliver():
                self.assertEqual(client.endpoints.test("ext:hook")["outcome"], "SUCCEEDED")
                _, headers, body = receiver.received[-1]
                return body, headers

            body, headers = deliver()
            hook = verify_webhook(body, headers, first["secret"])
            self.assertEqual((hook.event_type, hook.attempt), ("sundial.test", 1))
            self.assertEqual(verify_webhook(body, headers, first["publicKey"]).id, hook.id)
            with self.assertRaises(WebhookRefused):
                verify_webhook(body + b" ", headers, [first["secret"], first["publicKey"]])
            second = client.endpoints.rotate_secret("ext:hook", {"oldSignsFor": "PT24H"})
            body, headers = deliver()
            for key in ("secret", "publicKey"):
                for one in (first, second):
                    verify_webhook(body, headers, one[key])
            third = client.endpoints.rotate_secret("ext:hook", {"oldSignsFor": "PT0S"})
            body, headers = deliver()
            for key in ("secret", "publicKey"):
                verify_webhook(body, headers, [first[key], third[key]])
                with self.assertRaises(WebhookRefused):
                    verify_webhook(body, headers, [first[key], second[key]])


class Workers(unittest.TestCase):
    def test_outcomes(self):
        def handle(job):
            page = job.payload["page"]
            if page == "fail":
                raise Fail("no paper", retry=False)
            if page == "retry":
                raise ValueError("jam")
            if page == "release" and job.event["attempt"] == 1 and not released.is_set():
                released.set()
                raise Release()

        released = threading.Event()
        with harness.folder() as directory, harness.running(*REAL_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            printers(client)
            ids = {page: print_job(client, page) for page in ("done", "fail", "retry", "release")}
            worker = Running(client.worker("ext:printers", handle, concurrency=2, wait=60))
            wanted = {"done": "COMPLETED", "fail": "FAILED", "release": "COMPLETED"}
            for page, status in wanted.items():
                harness.wait_until(lambda: client.events.get(ids[page])["status"] == status, page)
            harness.wait_until(lambda: client.events.get(ids["retry"])["waitingFor"] == "RETRY"
                               or client.events.get(ids["retry"])["retryCount"] > 0, "the retry")
            self.assertEqual(client.events.get(ids["fail"])["failureReason"], "WORKER no paper")
            self.assertTrue(released.is_set())
            self.assertEqual(client.events.get(ids["release"])["attempt"], 2)
            began = time.monotonic()
            worker.worker.stop()
            self.assertEqual(worker.ended(), [])
            self.assertLess(time.monotonic() - began, 30, "a claim that waits is given up, not waited for")

    def test_a_soft_stop_finishes_the_events_in_hand_and_claims_no_more(self):
        begun, go_on, seen = threading.Event(), threading.Event(), []

        def handle(job):
            seen.append(job.payload["page"])
            begun.set()
            assert go_on.wait(harness.HANG_GUARD)

        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            printers(client)
            first = print_job(client, 1)
            worker = Running(client.worker("ext:printers", handle, concurrency=1, lease=60))
            self.assertTrue(begun.wait(harness.HANG_GUARD))
            second = print_job(client, 2)
            worker.worker.stop()
            go_on.set()
            self.assertEqual(worker.ended(), [])
            self.assertEqual(seen, [1])
            self.assertEqual(client.events.get(first)["status"], "COMPLETED")
            self.assertEqual(client.events.get(second)["status"], "PENDING")

    def test_events_beyond_the_grace_are_returned(self):
        begun, go_on = threading.Event(), threading.Event()
        jobs = []

        def handle(job):
            jobs.append(job)
            begun.set()
            go_on.wait(harness.HANG_GUARD)

        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            printers(client)
            ident = print_job(client, 1)
            worker = Running(client.worker("ext:printers", handle, concurrency=1))
            self.assertTrue(begun.wait(harness.HANG_GUARD))
            worker.worker.stop(grace=0.01)
            self.assertEqual([event["id"] for event in worker.ended()], [ident])
            self.assertTrue(jobs[0].lost.is_set() and jobs[0].stopping)
            self.assertEqual(client.events.get(ident)["status"], "PROCESSING")
            go_on.set()

    def test_a_lease_is_extended_while_the_handler_works(self):
        extended = threading.Semaphore(0)

        class Client(Sundial):
            def reply(self, operation, *arguments, **options):
                reply = super().reply(operation, *arguments, **options)
                if operation == "extendEvent":
                    extended.release()
                return reply

        def handle(job):
            for _ in range(3):
                assert extended.acquire(timeout=harness.HANG_GUARD)
            assert not job.lost.is_set()

        with harness.folder() as directory, harness.running(*REAL_CLOCK, folder=directory) as server:
            client = Client(url(server))
            printers(client)
            ident = print_job(client, 1)
            worker = Running(client.worker("ext:printers", handle, lease=6))  # four seconds to extend it, for a slow machine
            event = harness.wait_until(lambda: (e := client.events.get(ident))["status"] == "COMPLETED" and e, "the event")
            self.assertEqual((event["attempt"], event["retryCount"]), (1, 0))
            worker.worker.stop()
            worker.ended()

    def test_a_lost_lease_is_noticed_and_another_worker_completes_the_event(self):
        begun = threading.Event()
        lost = []

        def handle(job):
            begun.set()
            lost.append(job.lost.wait(harness.HANG_GUARD))

        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            printers(client)
            ident = print_job(client, 1)
            worker = Running(client.worker("ext:printers", handle, lease=3, concurrency=1))
            self.assertTrue(begun.wait(harness.HANG_GUARD))
            # The worker's clock says that it still holds the event; the database's decides.
            client.system.advance_clock({"by": "PT1M"})
            (event,) = client.endpoints.claim("ext:printers", {"worker": "other", "lease": "PT12H"})["data"]
            harness.wait_until(lambda: lost == [True], "the worker to notice")
            self.assertEqual(client.events.complete(ident, event["version"])["status"], "COMPLETED")
            worker.worker.stop()
            self.assertEqual(worker.ended(), [])

    def test_the_same_event_can_come_again_while_its_first_handler_works(self):
        begun, go_on, versions = threading.Event(), threading.Event(), []

        def handle(job):
            versions.append(job.event["version"])
            if len(versions) == 1:
                begun.set()
                assert go_on.wait(harness.HANG_GUARD)

        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            printers(client)
            ident = print_job(client, 1)
            worker = Running(client.worker("ext:printers", handle, concurrency=2, lease=60))
            self.assertTrue(begun.wait(harness.HANG_GUARD))
            client.system.advance_clock({"by": "PT2M"})
            harness.wait_until(lambda: client.events.get(ident)["status"] == "COMPLETED", "the second handler")
            harness.wait_until(lambda: len(worker.worker._jobs) == 1, "the worker to hold only the first claim")
            worker.worker.stop()
            go_on.set()
            self.assertEqual(worker.ended(), [])
            self.assertLess(versions[0], versions[1])

    def test_a_report_reaches_a_server_that_was_away(self):
        begun, go_on = threading.Event(), threading.Event()

        def handle(job):
            begun.set()
            assert go_on.wait(harness.HANG_GUARD)

        port = harness.free_port()
        with harness.folder() as directory:
            with harness.running(*REAL_CLOCK, folder=directory, port=port) as server:
                client = Sundial(url(server), max_retries=0)
                printers(client)
                ident = print_job(client, 1)
                worker = Running(client.worker("ext:printers", handle, lease=600, concurrency=1))
                self.assertTrue(begun.wait(harness.HANG_GUARD))
                server.kill()
                go_on.set()
                with self.assertRaises(Exception):
                    client.system.info()
            with harness.running(*REAL_CLOCK, folder=directory, port=port) as server:
                event = harness.wait_until(lambda: (e := client.events.get(ident))["status"] == "COMPLETED" and e, "the report")
                self.assertEqual(event["attempt"], 1)
                # And the worker claims again.
                begun.clear()
                print_job(client, 2)
                self.assertTrue(begun.wait(harness.HANG_GUARD))
                worker.worker.stop()
                worker.ended()

    def test_errors_that_do_not_pass_end_the_worker(self):
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Sundial(url(server))
            with self.assertRaises(ApiError) as caught:
                client.worker("ext:none", print).run()
            self.assertEqual(caught.exception.code, "ENDPOINT_NOT_FOUND")

    def test_options_are_checked(self):
        for options in ({"concurrency": 0}, {"concurrency": 101}, {"lease": 2}):
            with self.assertRaises(ValueError):
                Sundial().worker("e", print, **options)


class Https(unittest.TestCase):
    def test_a_certificate_is_checked_and_connections_are_kept(self):
        with harness.folder() as directory:
            certificate, key = tls.certificate(directory, "server")
            with harness.running("serve", "--db", "x.db", f"--http.tls_cert={certificate}", f"--http.tls_key={key}",
                                 folder=directory) as server:
                address = f"https://localhost:{server.port}"
                with self.assertRaises(TransportError) as caught:
                    Sundial(address, max_retries=0).system.info()
                self.assertIn("certificate", str(caught.exception))
                self.assertFalse(caught.exception.sent)
                client = Sundial(address, ssl_context=ssl.create_default_context(cafile=certificate))
                client.system.info()
                client.system.info()
                (_, first), = client._transport._idle
                printers(client)
                self.assertEqual([connection for _, connection in client._transport._idle], [first])
                # A claim that waits is given up there too.
                worker = Running(client.worker("ext:printers", print, wait=60))
                harness.wait_until(lambda: not client._transport._idle, "the claim to take the connection")
                began = time.monotonic()
                worker.worker.stop()
                self.assertEqual(worker.ended(), [])
                self.assertLess(time.monotonic() - began, 30)


class Feed(unittest.TestCase):
    def test_following_sees_each_event_once_in_order_and_survives_a_restart(self):
        port = harness.free_port()
        seen, stop = [], Stop()
        with harness.folder() as directory:
            with harness.running(*REAL_CLOCK, folder=directory, port=port) as server:
                client = Sundial(url(server))

                def append(first, last):
                    events = [{"eventType": "Counted", "data": n} for n in range(first, last)]
                    client.streams.append("Order", "17", {"events": events})

                def follow():
                    for event in client.streams.follow({"aggregateType": "Order", "limit": 3, "wait": "PT60S"}, stop=stop):
                        seen.append(event["data"])

                append(0, 10)
                thread = threading.Thread(target=follow, daemon=True)
                thread.start()
                harness.wait_until(lambda: len(seen) == 10, "the first events")
                append(10, 12)
                harness.wait_until(lambda: len(seen) == 12, "events that come while it waits")
                server.kill()
            with harness.running(*REAL_CLOCK, folder=directory, port=port) as server:
                append(12, 15)
                harness.wait_until(lambda: len(seen) == 15, "events after a restart")
                stop.stop()
                thread.join(harness.HANG_GUARD)
                self.assertFalse(thread.is_alive())
                self.assertEqual(seen, list(range(15)))


if __name__ == "__main__":
    unittest.main()
