"""Every operation of openapi.json through the client, against the real server. A client that lacks one fails."""
import json
import os
import re
import unittest
from unittest import mock

from support import ROOT, TEST_CLOCK, Recording, harness, url

from sundial_client import ApiError, Stop
from sundial_client.client import Resource


def offered():
    """operationIds of the document, without the other names of /v1/users, the console and the pages for a browser."""
    with open(os.path.join(ROOT, "openapi.json"), encoding="utf-8") as file:
        document = json.load(file)
    ids = set()
    for path, methods in document["paths"].items():
        for operation in methods.values():
            page = list(operation["responses"].get("200", {}).get("content", {})) == ["text/html"]
            if not re.match(r"/(users?|ui)(/|$)|/docs/$", path) and not page:
                ids.add(operation["operationId"])
    return ids


class EveryOperation(unittest.TestCase):
    def test_each_is_carried_out(self):
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            client = Recording(url(server))
            methods, called = self.methods(), set()
            self.record(called)
            for step in (self.users, self.endpoints, self.events, self.pull, self.schedules, self.operations, self.streams,
                         self.intakes, self.locks, self.calendars, self.system, self.drain, self.keys):
                with self.subTest(step.__name__):
                    step(client)
            self.assertEqual(set(client.done), offered())
            for operation, statuses in client.done.items():
                self.assertTrue(all(status < 400 for status in statuses), operation)
            self.assertEqual(called, methods)

    @staticmethod
    def methods():
        """(class, name) of each public method of a noun."""
        return {(cls, name) for cls in Resource.__subclasses__() for name in vars(cls) if not name.startswith("_")}

    def record(self, called):
        """Notes which of them are called, of all clients."""
        for cls, name in self.methods():
            def call(*arguments, _cls=cls, _name=name, _original=vars(cls)[name], **options):
                called.add((_cls, _name))
                return _original(*arguments, **options)

            patch = mock.patch.object(cls, name, call)
            patch.start()
            self.addCleanup(patch.stop)

    def raises(self, code, call, *arguments, **options):
        with self.assertRaises(ApiError) as caught:
            call(*arguments, **options)
        self.assertEqual(caught.exception.code, code)
        return caught.exception

    def users(self, client):
        ada = client.users.create({"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris",
                                   "externalId": "ada"})
        self.assertEqual(client.users.get("ext:ada"), ada)
        self.assertIsNone(client.users.get_if_changed(ada["id"], ada["version"]))
        moved = client.users.patch(ada["id"], {"timezone": "Asia/Tokyo"}, if_match=ada["version"])
        self.assertEqual(moved["timezone"], "Asia/Tokyo")
        error = self.raises("OPTIMISTIC_LOCK", client.users.patch, ada["id"], {"timezone": "Asia/Tokyo"}, if_match=ada["version"])
        self.assertEqual((error.status, error.problem["actualVersion"]), (412, moved["version"]))
        for name in ("b", "c", "d"):
            client.users.put(f"ext:{name}/é", {"firstName": name, "lastName": "X", "dateOfBirth": "2000-01-01", "timezone": "UTC"})
        self.assertEqual(sorted(one["firstName"] for one in client.users.list({"timezone": "UTC", "limit": 2})), ["b", "c", "d"])
        batch = client.users.create_many({"users": [
            {"firstName": "E", "lastName": "X", "dateOfBirth": "2000-01-01", "timezone": "Asia/Tokyo", "externalId": "e"},
            {"firstName": "F", "lastName": "X", "dateOfBirth": "2000-01-01", "timezone": "Mars/Base"}]}, {"atomic": False})
        self.assertEqual((batch["data"][0]["externalId"], batch["data"][1]["code"]), ("e", "VALIDATION_FAILED"))
        imported = client.users.import_many({"users": [
            {"firstName": "E", "lastName": "Y", "dateOfBirth": "2000-01-01", "timezone": "Asia/Tokyo", "externalId": "e"},
            {"firstName": "G", "lastName": "Y", "dateOfBirth": "2000-01-01", "timezone": "Asia/Tokyo"}]})
        self.assertEqual((imported["created"], imported["replaced"], imported["failed"]), (1, 1, 0))
        client.users.delete("ext:b/é", {"history": "keep"})
        self.raises("USER_NOT_FOUND", client.users.get, "ext:b/é")
        error = self.raises("VALIDATION_FAILED", client.users.create, {"firstName": "A", "lastName": "B", "dateOfBirth": "1992-02-30",
                                                                       "timezone": "Mars/Base"})
        self.assertEqual({one["pointer"] for one in error.errors}, {"/dateOfBirth", "/timezone"})

    def endpoints(self, client):
        client.endpoints.create({"externalId": "desk", "name": "Desk", "type": "INBOX"})
        client.endpoints.create({"externalId": "work", "name": "Work", "type": "PULL"})
        receiver = harness.Receiver()
        hook = client.endpoints.put("ext:hook", {"name": "Hook", "type": "WEBHOOK", "url": receiver.url})
        self.assertTrue(hook["secret"].startswith("whsec_"))
        self.assertIsNone(client.endpoints.get_if_changed(hook["id"], hook["version"]))
        self.assertNotIn("secret", client.endpoints.get("ext:hook"))
        client.endpoints.patch("ext:hook", {"name": "Hooks"}, {"retryWaiting": True})
        client.endpoints.put("ext:hook", {"name": "Hook", "type": "WEBHOOK", "url": receiver.url}, {"retryWaiting": True})
        self.assertNotEqual(client.endpoints.rotate_secret("ext:hook", {"oldSignsFor": "PT1H"})["secret"], hook["secret"])
        self.assertEqual(client.endpoints.test("ext:hook")["outcome"], "SUCCEEDED")
        client.endpoints.delete("ext:hook")
        self.assertEqual(["Work"], [one["name"] for one in client.endpoints.list({"type": "PULL"})])

    def events(self, client):
        event = client.events.create({"eventType": "REMINDER", "targetTimestampUTC": "now+1h", "endpointId": "ext:desk",
                                      "idempotencyKey": "renew-1", "deliveryPayload": {"text": "Zoë"}})
        self.assertEqual(client.events.get(event["id"])["deliveryPayload"], {"text": "Zoë"})
        self.assertIsNone(client.events.get(event["id"], {"expand": ["user", "attempts"]})["user"])
        self.assertIsNone(client.events.get_if_changed(event["id"], event["version"]))
        batch = client.events.create_many({"events": [
            {"eventType": "REMINDER", "targetTimestampUTC": "now+2h", "endpointId": "ext:desk", "deliveryPayload": 1},
            {"eventType": "REMINDER", "targetTimestampUTC": "now+2h", "endpointId": "ext:desk", "deliveryPayload": 2, "idempotencyKey": "renew-1"}]},
            {"atomic": False})
        self.assertEqual(batch["data"][1]["code"], "DUPLICATE_IDEMPOTENCY_KEY")
        client.events.patch(event["id"], {"priority": "HIGH"}, if_match=event["version"])
        client.events.cancel(batch["data"][0]["id"])
        client.with_options(timeout=60).system.advance_clock({"by": "PT2H"})
        self.assertEqual(client.events.get(event["id"])["status"], "COMPLETED")
        again = client.events.retry(event["id"], {"newKey": True})
        self.assertEqual(again["retryOf"], event["id"])
        self.assertEqual(client.events.explain(event["id"])["status"], "COMPLETED")
        client.system.tick({"limit": 10})
        self.assertEqual(len(list(client.endpoints.inbox("ext:desk", {"limit": 1}))), 2)
        client.endpoints.clear_inbox("ext:desk")
        self.assertEqual(list(client.endpoints.inbox("ext:desk")), [])
        self.assertEqual(len(list(client.events.list({"status": ["COMPLETED", "CANCELLED"], "endpointId": "ext:desk", "limit": 1}))), 3)

    def pull(self, client):
        for number in range(4):
            client.events.create({"eventType": "PRINT", "targetTimestampUTC": "now", "endpointId": "ext:work", "deliveryPayload": number})
        done, failed, released, extended = client.endpoints.claim("ext:work", {"worker": "w", "limit": 4, "lease": "PT1M"})["data"]
        self.assertEqual(client.events.complete(done["id"], done["version"])["status"], "COMPLETED")
        self.assertEqual(client.events.fail(failed["id"], {"version": failed["version"], "reason": "no paper", "retry": False})["status"], "FAILED")
        client.events.release(released["id"], released["version"])
        client.events.extend(extended["id"], {"version": extended["version"], "lease": "PT2M"})
        self.raises("LEASE_LOST", client.events.complete, released["id"], released["version"])
        self.assertEqual(client.events.failures({"by": "reason"})["counted"], 1)
        attempts = list(client.events.attempts({"eventId": failed["id"], "limit": 1}))
        self.assertEqual([(one["outcome"], one["worker"]) for one in attempts], [("PERMANENT", "w")])
        self.assertEqual(client.events.attempt(attempts[0]["id"]), attempts[0])

    def schedules(self, client):
        made = client.schedules.create({"externalId": "noon", "eventType": "NOON", "trigger": {"cron": "0 12 * * *"}, "timezone": "Europe/Paris",
                                        "endpointId": "ext:desk"})
        self.assertIsNone(client.schedules.get_if_changed("ext:noon", made["version"]))
        client.schedules.patch("ext:noon", {"note": "every day"}, if_match=made["version"])
        client.schedules.put("ext:noon", {"eventType": "NOON", "trigger": {"cron": "0 12 * * *"}, "timezone": "Europe/Berlin", "endpointId": "ext:desk"})
        self.assertEqual(client.schedules.get("ext:noon")["timezone"], "Europe/Berlin")
        self.assertEqual(len(client.schedules.preview({"scheduleId": "ext:noon", "count": 3})["data"]), 3)
        self.assertEqual(client.schedules.trigger("ext:noon", {"payload": {"by": "hand"}})["eventType"], "NOON")
        found = client.schedules.occurrences({"scheduleId": "ext:noon", "from": "now", "to": "now+7d", "limit": 3})
        self.assertEqual(len(list(found)), 7)
        everything = list(client.schedules.occurrences({"from": "now", "to": "now+7d", "limit": 3}))
        self.assertEqual(7, sum(one["scheduleId"] == client.schedules.get("ext:noon")["id"] and one["targetTimezone"] == "Europe/Berlin"
                                and one["targetTimestampLocal"][11:16] == "12:00" for one in everything))
        counted = client.schedules.backfill("ext:noon", {"from": "now-1d", "to": "now", "dryRun": True})
        self.assertIn("occurrences", counted)
        started = client.schedules.backfill("ext:noon", {"from": "now-1d", "to": "now"})
        self.assertEqual(client.operations.wait(started["id"], every=0.05)["status"], "COMPLETED")
        self.assertIn("birthday", [one["externalId"] for one in client.schedules.list({"perUser": True})])
        preview = client.schedules.bulk({"action": "tag", "filter": {"eventType": ["NOON"]}, "addTags": ["daily"], "dryRun": True})
        self.assertEqual(preview["count"], 1)
        tagging = client.schedules.bulk({"action": "tag", "filter": {"eventType": ["NOON"]}, "addTags": ["daily"]})
        self.assertEqual(client.operations.wait(tagging["id"], every=0.05)["status"], "COMPLETED")
        self.assertEqual(client.schedules.get("ext:noon")["tags"], ["daily"])
        client.schedules.delete("ext:noon")

    def calendars(self, client):
        user = client.users.put("ext:shown", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"})
        made = client.calendars.create({"userId": user["id"], "name": "Ada"})
        self.assertEqual(made["path"], f"/calendar/{made['token']}.ics")
        self.assertTrue(client.calendars.read(made["token"], {"days": 30}).startswith("BEGIN:VCALENDAR\r\n"))
        (listed,) = client.calendars.list({"userId": "ext:shown"})
        self.assertEqual((listed["id"], "token" in listed), (made["id"], False))
        client.calendars.revoke(made["id"])
        self.raises("CALENDAR_NOT_FOUND", client.calendars.read, made["token"])

    def operations(self, client):
        preview = client.operations.bulk({"resource": "events", "action": "dismiss", "filter": {"status": "FAILED"}, "dryRun": True})
        self.assertEqual(preview["count"], 1)
        started = client.operations.bulk({"resource": "events", "action": "dismiss", "filter": {"status": "FAILED"}})
        ended = client.operations.wait(started["id"], every=0.05)
        self.assertEqual((ended["status"], ended["done"]), ("COMPLETED", 1))
        self.assertEqual(list(client.operations.errors(ended["id"])), [])
        self.assertEqual(client.operations.get(ended["id"]), ended)
        self.assertIsNone(client.operations.get_if_changed(ended["id"], ended["version"]))
        self.assertEqual(client.operations.stop(ended["id"])["status"], "COMPLETED")
        self.assertIn(ended["id"], [one["id"] for one in client.operations.list({"kind": "BULK"})])

    def streams(self, client):
        before = client.streams.feed({"limit": 500})["nextPosition"]
        events = [{"eventType": "Counted", "data": {"n": n}} for n in range(5)]
        appended = client.streams.append("Order", "a/1", {"expectedVersion": "NO_STREAM", "events": events})
        self.assertEqual(appended["lastVersion"], 5)
        error = self.raises("OPTIMISTIC_LOCK", client.streams.append, "Order", "a/1", {"expectedVersion": 0, "events": events})
        self.assertEqual((error.status, error.problem["actualVersion"]), (409, 5))
        self.assertEqual(client.streams.read("Order", "a/1", {"limit": 2})["version"], 5)
        for direction, wanted in (("forward", [0, 1, 2, 3, 4]), ("backward", [4, 3, 2, 1, 0])):
            read = client.streams.events("Order", "a/1", {"limit": 2, "direction": direction})
            self.assertEqual([one["data"]["n"] for one in read], wanted)
        client.streams.save_snapshot("Order", "a/1", {"version": 5, "state": {"sum": 10}})
        self.assertEqual(client.streams.snapshot("Order", "a/1")["state"], {"sum": 10})
        self.assertEqual([one["aggregateId"] for one in client.streams.list({"aggregateType": "Order"})], ["a/1"])
        page = client.streams.feed({"after": before, "aggregateType": ["Order", "Invoice"]})
        self.assertEqual(len(page["data"]), 5)
        followed, stop = [], Stop()
        for one in client.streams.follow({"aggregateType": "Order"}, stop=stop):
            followed.append(one["data"]["n"])
            if len(followed) == 5:
                stop.stop()
        self.assertEqual(followed, [0, 1, 2, 3, 4])
        client.streams.save_checkpoint("totals", {"previous": 0, "position": page["nextPosition"]})
        self.assertEqual(client.streams.checkpoint("totals")["position"], page["nextPosition"])

    def intakes(self, client):
        for listing in (client.intakes.list(), client.intakes.refused("shop"), client.intakes.taken("shop")):
            self.assertEqual(list(listing), [])

    def locks(self, client):
        lock = client.locks.acquire("nightly report", {"holder": "a", "ttl": "PT30S"})
        error = self.raises("LOCK_HELD", client.locks.acquire, "nightly report", {"holder": "b"})
        self.assertEqual(error.problem["holder"], "a")
        self.assertEqual(client.locks.get("nightly report")["fencingToken"], lock["fencingToken"])
        client.locks.renew("nightly report", {"lockToken": lock["lockToken"], "ttl": "PT1M"})
        self.assertIn("nightly report", [one["name"] for one in client.locks.list()])
        client.locks.release("nightly report", lock["lockToken"])
        self.raises("LOCK_NOT_HELD", client.locks.release, "nightly report", lock["lockToken"])

    def system(self, client):
        self.assertEqual(client.system.clock()["mode"], "test")
        self.assertEqual(client.system.set_clock({"now": "2099-01-01T00:00:00Z"})["now"], "2099-01-01T00:00:00.000Z")
        self.assertRegex(client.system.timezones({"zone": "Europe/Paris"}).first()["release"], r"^20\d\d[a-z]$")
        self.assertEqual(list(client.system.timezone_impact()), [])
        self.assertEqual(client.system.info()["clock"], "test")
        self.assertTrue(client.system.stats({"window": "PT2H"})["now"]["pending"]["complete"])
        self.assertIn("moreSchedules", client.system.stats_heatmap({"by": "status", "to": "now+2h"}))
        series = client.system.stats_series({"metric": ["executed", "failed"], "from": "now-1h", "step": "PT10M"})
        self.assertEqual([one["metric"] for one in series["data"]], ["executed", "failed"])
        live = client.system.live({"topics": ["stats"]})
        self.assertEqual([next(live)["type"], next(live)["type"]], ["opened", "stats"])
        live.close()
        self.assertIn(client.system.health()["status"], ("pass", "warn"))
        self.assertTrue(client.system.alive() and client.system.ready())
        self.assertIn("sundial_build_info", client.system.metrics())
        self.assertEqual(client.system.openapi()["info"]["title"], "Sundial")
        self.assertIn("## LEASE_LOST", client.system.errors())
        self.assertIn("(/docs/guide/locks.md)", client.system.documents())
        self.assertIn("<!-- /docs/guide/locks -->", client.system.all_documents())
        self.assertTrue(client.system.document().startswith("# Documentation\n"))
        self.assertTrue(client.system.document("operating").startswith("# Operating\n"))
        self.assertTrue(client.system.document("locks", "guide").startswith("# Locks"))
        self.assertTrue(client.system.error("LEASE_LOST").startswith("## LEASE_LOST"))
        settings = {one["key"]: one for one in client.system.settings()["data"]}
        self.assertEqual(settings["http.rate_limit_per_second"]["origin"], "default")

    def drain(self, client):
        with harness.folder() as directory, harness.running(*TEST_CLOCK, folder=directory) as server:
            other = Recording(url(server))
            harness.wait_until(lambda: list(other.system.instances()), "the instance to report")
            (own,) = other.system.instances()
            self.assertEqual(own["status"], "RUNNING")
            self.assertEqual(other.system.drain(own["id"])["status"], "DRAINING")
            self.assertEqual(server.process.wait(harness.HANG_GUARD), 0)
        for operation, statuses in other.done.items():
            client.done.setdefault(operation, set()).update(statuses)

    def keys(self, client):
        made = client.api_keys.create({"name": "ops", "role": "ADMIN"})
        # Within two seconds every request needs it.
        other = Recording(f"http://127.0.0.1:{client._transport._port}", api_key=made["key"])
        self.assertEqual([one["name"] for one in other.api_keys.list()], ["ops"])

        def refused():
            try:
                client.users.list().first()
            except ApiError as error:
                return error.code == "UNAUTHENTICATED"
            return False

        harness.wait_until(refused, "a request without the key to be refused")
        self.assertEqual(other.api_keys.log_in({"key": made["key"]})["role"], "ADMIN")
        self.assertIsNone(other.api_keys.session()["csrfToken"])
        other.api_keys.log_out()
        other.api_keys.revoke(made["id"])
        for operation, statuses in other.done.items():
            client.done.setdefault(operation, set()).update(statuses)


class PostgresWithoutEncryptionKey(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("TEMPORARY_POSTGRES"), "TEMPORARY_POSTGRES names no helper that starts a database")
    def test_secrets_are_shown_although_no_answer_is_kept(self):
        with harness.folder() as directory, harness.database("postgres", directory) as database, \
                harness.running("serve", "--db", database, folder=directory) as server:
            client = Recording(url(server))
            with self.assertRaises(ApiError) as caught:
                client.locks.acquire("l", {"holder": "me"}, idempotency_key="mine")
            self.assertEqual([one["pointer"] for one in caught.exception.errors], ["Idempotency-Key"])
            lock = client.locks.acquire("l", {"holder": "me"})
            client.locks.release("l", lock["lockToken"])
            self.assertTrue(client.api_keys.create({"name": "ops", "role": "ADMIN"})["key"].startswith("sundial_sk_"))


if __name__ == "__main__":
    unittest.main()
