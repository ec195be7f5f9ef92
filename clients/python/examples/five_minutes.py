"""Five minutes with Sundial: endpoints, a user, events, a webhook receiver that verifies, a worker that stops softly.

usage: python3 five_minutes.py [http://127.0.0.1:8080]    (a server that may send to this machine: sundial dev)
"""
import http.server
import sys
import threading

from sundial_client import ApiError, Sundial, WebhookRefused, verify_webhook

client = Sundial(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080")

# 1. A receiver of webhooks. It answers 204 to requests that Sundial signed, and remembers what it has handled.
keys: list[str] = []
handled: set[str] = set()
arrived = threading.Event()


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            hook = verify_webhook(body, self.headers, keys)
        except WebhookRefused as error:
            self.send_error(401, str(error))
            return
        if hook.id not in handled:  # an event can come twice: handle it once
            handled.add(hook.id)
            print(f"webhook: {hook.event_type} {hook.json()} for {hook.target_time}")
            arrived.set()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()

# 2. Its endpoint. The secret is shown this once; a real program keeps it.
hook = client.endpoints.create({"name": "Hook", "type": "WEBHOOK", "url": f"http://127.0.0.1:{receiver.server_port}/"})
keys.append(hook["secret"])

# 3. A user, and an event at a local time of that user. PUT creates or replaces, so this program can run again.
client.users.put("ext:ada", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"})
later = client.events.create({"eventType": "REMINDER", "userId": "ext:ada", "endpointId": hook["id"],
                              "targetTimestampLocal": "2040-03-25T02:30", "deliveryPayload": {"text": "Renew"}})
print(f"planned: {later['targetTimestampLocal']} {later['targetTimezone']}")  # 02:30 does not exist that night
client.events.cancel(later["id"])

# 4. An event that is due now arrives at once.
client.events.create({"eventType": "REMINDER", "userId": "ext:ada", "endpointId": hook["id"], "targetTimestampUTC": "now",
                      "targetTimezone": "Europe/Paris", "deliveryPayload": {"text": "Renew today"}})
if not arrived.wait(60):
    sys.exit("no webhook came")

# 5. A worker, for programs that Sundial cannot reach. It stops softly: what it holds is finished first.
client.endpoints.put("ext:printers", {"name": "Printers", "type": "PULL"})
for page in (1, 2, 3):
    client.events.create({"eventType": "PRINT", "targetTimestampUTC": "now", "endpointId": "ext:printers", "deliveryPayload": {"page": page}})
pages = set()


def handle(job):
    # Jobs run in threads: print() would write the text and the end of its line separately.
    sys.stdout.write(f"page {job.payload['page']}, attempt {job.event['attempt']}\n")
    pages.add(job.payload["page"])
    if pages == {1, 2, 3}:
        worker.stop()


worker = client.worker("ext:printers", handle, concurrency=2)
worker.stop_on_signals()
worker.run()

# 6. Errors are typed by their code.
try:
    client.users.create({"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-30", "timezone": "Mars/Base"})
except ApiError as error:
    print(error.code, [field["message"] for field in error.errors])
for event in client.events.list({"endpointId": "ext:printers", "limit": 2}):  # page by page, by itself
    print(event["eventType"], event["status"])
