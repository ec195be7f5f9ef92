"""When things fire, and why: POST /v1/preview, GET /v1/occurrences, GET /v1/events/{id}/explain."""
import harness as h


def rows(answer):
    return [(row["targetTimestampLocal"], row["note"]) for row in answer["data"]]


def job(expression, **members):
    return {"trigger": {"cron": expression}, "timezone": "Europe/Paris", **members}


def preview(client, schedule, **wish):
    return client.ok("POST", "/v1/preview", {"schedule": schedule, **wish})


def main():
    with h.folder() as directory, h.running("dev", "--users=12", "--db", "x.db", folder=directory) as server:
        client = server.client()
        # The example of the interface specification.
        sundays = preview(client, job("30 2 * * SUN"), **{"from": "2026-03-29T00:00:00Z", "count": 1})
        assert sundays["description"] == "at 02:30 every Sunday, Europe/Paris", sundays
        assert sundays["warnings"] == []
        assert sundays["data"] == [{"targetTimestampUTC": "2026-03-29T01:00:00.000Z",
                                    "targetTimestampLocal": "2026-03-29T03:00:00.000+02:00",
                                    "targetTimezone": "Europe/Paris", "note": "gap_boundary",
                                    "wantedLocal": "2026-03-29T02:30:00"}], sundays
        both = preview(client, job("30 2 25 10 *", overlap="both"), **{"from": "2026-10-01T00:00:00Z", "count": 2})
        assert rows(both) == [("2026-10-25T02:30:00.000+02:00", "overlap_earlier"),
                              ("2026-10-25T02:30:00.000+01:00", "overlap_later")], both
        skipped = preview(client, job("30 2 29 3 *", gap="skip"), **{"from": "2026-01-01T00:00:00Z", "count": 2})
        assert rows(skipped) == [(None, "gap_skipped"), ("2027-03-29T02:30:00.000+02:00", "offset_changed")], skipped

        leapling = client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29",
                                                   "timezone": "Europe/Paris", "externalId": "leapling"})
        birthdays = client.ok("POST", "/v1/preview", {"scheduleId": "ext:birthday", "userId": "ext:leapling",
                                                      "from": "2027-01-01T00:00:00Z", "count": 2})
        assert rows(birthdays) == [("2027-02-28T09:00:00.000+01:00", "leap_moved"),
                                   ("2028-02-29T09:00:00.000+01:00", None)], birthdays
        elsewhere = client.ok("POST", "/v1/preview", {"scheduleId": "ext:birthday", "userId": "ext:leapling",
                                                      "override": {"timezone": "Asia/Kathmandu"}, "count": 1})
        assert elsewhere["data"][0]["targetTimestampLocal"].endswith("+05:45"), elsewhere

        for body, pointer in (({"schedule": job("0 0 30 2 *")}, "/schedule/trigger/cron"),
                              ({"schedule": {"timezone": "UTC"}}, "/schedule/trigger"),
                              ({}, "/schedule"), ({"scheduleId": "ext:birthday"}, "/userId")):
            refused = client.call("POST", "/v1/preview", body)
            assert refused.status == 400 and refused.json()["errors"][0]["pointer"] == pointer, refused.body
        assert client.call("POST", "/v1/preview", {"scheduleId": "ext:none"}).status == 404

        path = "/v1/occurrences?scheduleId=ext:birthday&userId=ext:leapling&from=2027-01-01T00:00:00Z&to=2077-01-01T00:00:00Z"
        whole = client.ok("GET", path + "&limit=500")["data"]
        assert len(whole) == 50 and client.all(path + "&limit=7") == whole

        dateless = client.call("GET", "/v1/occurrences?scheduleId=ext:birthday&timezone=Asia/Kathmandu")
        assert dateless.status == 400 and dateless.json()["errors"][0]["pointer"] == "?userId", dateless.body
        assert "dateOfBirth" in dateless.json()["errors"][0]["message"], dateless.body
        client.ok("PUT", "/v1/schedules/ext:morning", {"eventType": "M", "perUser": True, "trigger": {"cron": "0 7 * * *"}})
        mornings = client.ok("GET", "/v1/occurrences?scheduleId=ext:morning&timezone=Asia/Kathmandu&limit=2")["data"]
        assert [row["targetTimestampLocal"][10:] for row in mornings] == ["T07:00:00.000+05:45"] * 2, mornings

        event = client.ok("GET", f"/v1/events?userId={leapling['id']}")["data"][0]
        told = client.ok("GET", f"/v1/events/{event['id']}/explain")
        assert [step["step"] for step in told["steps"]] == ["rule", "local", "zone", "utc"], told
        assert told["steps"][3]["targetTimestampUTC"] == event["targetTimestampUTC"]
        assert told["waitsFor"]["what"] == "due" and told["waitsFor"]["until"] == event["targetTimestampUTC"], told
        assert client.call("GET", "/v1/events/none/explain").json()["code"] == "EVENT_NOT_FOUND"
        print("gap, overlap, 29 February, another zone; 50 years page by page; why an event is due when it is")


if __name__ == "__main__":
    main()
