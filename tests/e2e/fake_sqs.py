"""A queue service like Amazon SQS, as far as senders and workers see it: messages are sent, received and deleted by the JSON
protocol, with the limits of the service, errors on request, and each signature verified by botocore, which shares no code
with the product."""
import collections
import datetime
import hashlib
import http.server
import json
import os
import re
import socket
import struct
import sys
import threading
import time
import urllib.parse

try:
    from botocore.auth import SigV4Auth
except ModuleNotFoundError:  # botocore is a package of Debian's interpreter
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    raise
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

MAX_ENTRIES = 10
MAX_BYTES = 1_048_576
WINDOW = 300  # seconds: of deduplication, and how wrong the clock of a sender may be
# As the service documents them: all other characters are refused.
ALLOWED = re.compile("[\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")

# The code of the older protocol stands in a header, which AWS's SDK for JavaScript needs.
OLDER_CODES = {"QueueDoesNotExist": "AWS.SimpleQueueService.NonExistentQueue", **{
    code: f"AWS.SimpleQueueService.{code}" for code in (
        "BatchEntryIdsNotDistinct", "BatchRequestTooLong", "TooManyEntriesInBatchRequest")}}


class Refused(Exception):
    def __init__(self, status, code, text=""):
        super().__init__(code)
        self.status, self.code, self.text = status, code, text


class Threads(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, address):
        pass  # a killed sender resets its connections


def serving(handler):
    server = Threads(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


class Stored:
    """A message in a queue: out of sight while a worker has it, gone once deleted."""

    def __init__(self, entry, number):
        self.entry, self.id, self.received, self.receipt = entry, f"m-{number}", 0, None


class FakeSqs:
    """`faults`: consumed one by one, one for each sending that is signed well: "throttled", "unavailable", "cut" (the
    messages are stored, the response is cut), "whole:CODE" (the next request of several messages is refused as a whole),
    "entry:CODE:sender" or "entry:CODE:service" (the first entry fails), None."""

    def __init__(self, queues=("birthdays",), region="eu-west-1", keys=None, visible_after=30):
        self.lock = threading.Condition()
        self.region = region
        self.keys = keys or {"AKIDEXAMPLE": ("secret", "")}  # access key: secret key, session token
        self.expired = set()  # session tokens
        self.clock_error = 0  # seconds that this service is ahead
        self.visible_after = visible_after  # seconds, of a message that a worker does not delete
        self.faults = []
        self.messages = {name: [] for name in queues}  # all that were accepted
        self.ready = {name: collections.deque() for name in queues}
        self.taken = {name: collections.OrderedDict() for name in queues}  # receipt: (when it is ready again, Stored)
        self.deduplicated = {}  # (queue, id): when
        self.batches = []  # number of entries of each accepted request
        self.refusals = []  # codes
        self.requests = None  # a list: each request that is signed well, for another look at its signature
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def date_time_string(self, timestamp=None):
                return super().date_time_string(fake.now() if timestamp is None else timestamp)

            def do_POST(self):
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size:
                    return  # the sender died
                cut, error = False, ""
                try:
                    status, answer, cut = fake.handle(self, body)
                except Refused as refused:
                    with fake.lock:
                        fake.refusals.append(refused.code)
                    error = f"{OLDER_CODES.get(refused.code, refused.code)};{'Sender' if refused.status < 500 else 'Receiver'}"
                    status, answer = refused.status, {"__type": f"com.amazonaws.sqs#{refused.code}", "message": refused.text}
                if cut == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    return
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/x-amz-json-1.0")
                self.send_header("Content-Length", str(len(text)))
                if error:
                    self.send_header("x-amzn-query-error", error)
                self.end_headers()
                self.wfile.write(text[:len(text) // 2] if cut else text)
                if cut:
                    self.close_connection = True

            def log_message(self, *arguments):
                pass

        self.port = serving(Handler)
        self.origin = f"http://127.0.0.1:{self.port}"

    def url(self, queue="birthdays"):
        return f"{self.origin}/123456789012/{queue}"

    def now(self):
        return time.time() + self.clock_error

    def verify(self, handler, body):
        """Raises Refused unless the request is signed by one of the keys, for this region, at about this time."""
        signed = self.signed(handler, body)
        self.judge(*signed)
        access, region, _ = signed
        secret, token = self.keys[access]
        if self.requests is not None:
            self.requests.append({
                "method": "POST", "url": f"{self.origin}{handler.path}", "region": region, "body": body.decode(),
                "headers": {name.lower(): value for name, value in handler.headers.items()},
                "accessKeyId": access, "secretAccessKey": secret, "sessionToken": token})

    def signed(self, handler, body):
        """(access key, region, time) if the signature is that of a key. Raises Refused."""
        given = handler.headers.get("Authorization", "")
        parts = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, "
                             r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})", given)
        if not parts:
            raise Refused(403, "IncompleteSignatureException", given)
        access, date, region, service, names, signature = parts.groups()
        names = names.split(";")
        if access not in self.keys:
            raise Refused(403, "UnrecognizedClientException", "The security token included in the request is invalid.")
        secret, token = self.keys[access]
        if handler.headers.get("X-Amz-Security-Token", "") != token:
            raise Refused(403, "ExpiredTokenException", "The security token included in the request is expired")
        stamp = handler.headers["X-Amz-Date"]
        whole = "host" in names and "x-amz-date" in names and (not token or "x-amz-security-token" in names)
        if not whole or service != "sqs" or not stamp.startswith(date):
            raise Refused(403, "InvalidSignatureException", given)
        if handler.headers.get("X-Amz-Content-SHA256") not in (None, hashlib.sha256(body).hexdigest()):
            raise Refused(403, "InvalidSignatureException", "The hash of the contents is another one.")
        request = AWSRequest(method="POST", url=f"{self.origin}{handler.path}", data=body,
                             headers={name: handler.headers[name] for name in names})
        request.context["timestamp"] = stamp
        auth = SigV4Auth(Credentials(access, secret, token or None), "sqs", region)
        if auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request) != signature:
            raise Refused(403, "InvalidSignatureException", "The request signature we calculated does not match")
        at = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        return access, region, at.timestamp()

    def judge(self, access, region, at):
        """Raises Refused for a good signature that is not valid here and now."""
        if self.keys[access][1] in self.expired:
            raise Refused(403, "ExpiredTokenException", "The security token included in the request is expired")
        if region != self.region:
            raise Refused(403, "InvalidSignatureException", f"Credential should be scoped to a valid region, not '{region}'.")
        if abs(at - self.now()) > WINDOW:
            raise Refused(403, "InvalidSignatureException", f"Signature expired: {at} is now earlier than")

    def handle(self, handler, body):
        """(status, response, whether to cut it, or "reset" for none)"""
        self.verify(handler, body)
        target = handler.headers.get("X-Amz-Target", "").removeprefix("AmazonSQS.")
        calls = {"SendMessage": self.send_one, "SendMessageBatch": self.send, "ReceiveMessage": self.receive,
                 "DeleteMessage": self.delete}
        if target not in calls or handler.headers["Content-Type"] != "application/x-amz-json-1.0":
            raise Refused(400, "InvalidAction", target)
        request = json.loads(body)
        with self.lock:
            queue = request["QueueUrl"].rsplit("/", 1)[1]
            fault = self.next_fault(request) if target.startswith("Send") else None
            if fault == "throttled":
                raise Refused(400, "RequestThrottled", "Slow down")
            if fault == "unavailable":
                raise Refused(503, "ServiceUnavailable")
            if queue not in self.messages:
                raise Refused(400, "QueueDoesNotExist", "The specified queue does not exist.")
            return 200, calls[target](queue, request, fault), fault == "cut"

    def next_fault(self, request):
        if not self.faults or (self.faults[0] or "").startswith("whole:") and len(request.get("Entries", ())) < 2:
            return None
        return self.faults.pop(0)

    def send_one(self, queue, request, fault):
        answer = self.send(queue, {"Entries": [{"Id": "one", **request}]}, fault)
        for failed in answer.get("Failed", ()):
            raise Refused(400 if failed["SenderFault"] else 500, failed["Code"], failed.get("Message", ""))
        [sent] = answer["Successful"]
        return {name: value for name, value in sent.items() if name != "Id"}

    def send(self, queue, request, fault):
        entries = request["Entries"]
        if not 1 <= len(entries) <= MAX_ENTRIES:
            raise Refused(400, "TooManyEntriesInBatchRequest")
        if len({entry["Id"] for entry in entries}) != len(entries):
            raise Refused(400, "BatchEntryIdsNotDistinct")
        texts = [[entry["MessageBody"]] + [part for name, value in entry.get("MessageAttributes", {}).items()
                                           for part in (name, value["DataType"], value["StringValue"])] for entry in entries]
        if sum(len(text.encode()) for parts in texts for text in parts) > MAX_BYTES:
            raise Refused(400, "BatchRequestTooLong")
        if fault and fault.startswith("whole:"):
            raise Refused(400, fault.split(":")[1], "as asked")
        self.batches.append(len(entries))
        successful, failed = [], []
        for position, (entry, parts) in enumerate(zip(entries, texts)):
            if fault and fault.startswith("entry:") and position == 0:
                _, code, by = fault.split(":")
                failed.append({"Id": entry["Id"], "Code": code, "Message": "as asked", "SenderFault": by == "sender"})
                continue
            if not all(ALLOWED.fullmatch(text) for text in parts):
                failed.append({"Id": entry["Id"], "Code": "InvalidMessageContents", "SenderFault": True})
                continue
            if queue.endswith(".fifo"):
                key = (queue, entry["MessageDeduplicationId"])
                assert 1 <= len(entry["MessageGroupId"]) <= 128 and len(key[1]) <= 128, entry
                repeated = time.time() - self.deduplicated.get(key, 0) < WINDOW
                self.deduplicated.setdefault(key, time.time())
            else:
                assert "MessageGroupId" not in entry and "MessageDeduplicationId" not in entry, entry
                repeated = False
            if not repeated:
                self.messages[queue].append(entry)
                self.ready[queue].append(Stored(entry, len(self.messages[queue])))
                self.lock.notify()
            sent = {"Id": entry["Id"], "MessageId": f"m-{len(self.messages[queue])}",
                    "MD5OfMessageBody": hashlib.md5(parts[0].encode()).hexdigest()}
            if "MessageAttributes" in entry:
                sent["MD5OfMessageAttributes"] = digest_of(entry["MessageAttributes"])
            successful.append(sent)
        answer = {"Successful": successful}
        if failed:
            answer["Failed"] = failed
        return answer

    def receive(self, queue, request, _):
        """Of a standard queue: at least once, in any order."""
        assert not queue.endswith(".fifo"), "the groups of a FIFO queue have an order, which this service does not know"
        count = request.get("MaxNumberOfMessages", 1)
        if not 1 <= count <= MAX_ENTRIES:
            raise Refused(400, "InvalidParameterValue", "MaxNumberOfMessages")
        end = time.monotonic() + request.get("WaitTimeSeconds", 0)
        while not self.look(queue) and (left := end - time.monotonic()) > 0:
            self.lock.wait(left)
        ready, found = self.ready[queue], []
        while ready and len(found) < count:
            message = ready.popleft()
            message.received += 1
            message.receipt = f"{message.id}:{message.received}"
            again = time.monotonic() + request.get("VisibilityTimeout", self.visible_after)
            self.taken[queue][message.receipt] = (again, message)
            found.append(self.shown(message, request))
        return {"Messages": found} if found else {}

    def look(self, queue):
        """Whether a message is ready; those that their workers kept for too long are ready again."""
        taken, now = self.taken[queue], time.monotonic()
        for receipt in [receipt for receipt, (again, _) in taken.items() if again <= now]:
            self.ready[queue].append(taken.pop(receipt)[1])
        return bool(self.ready[queue])

    def shown(self, message, request):
        body, attributes = message.entry["MessageBody"], message.entry.get("MessageAttributes", {})
        answer = {"MessageId": message.id, "ReceiptHandle": message.receipt, "Body": body,
                  "MD5OfBody": hashlib.md5(body.encode()).hexdigest()}
        names = request.get("MessageAttributeNames", [])
        wanted = {name: value for name, value in attributes.items() if "All" in names or name in names}
        if wanted:
            answer |= {"MessageAttributes": wanted, "MD5OfMessageAttributes": digest_of(wanted)}
        return answer

    def delete(self, queue, request, _):
        """A receipt of a message that is gone, or that another worker got since, deletes nothing."""
        self.taken[queue].pop(request["ReceiptHandle"], None)
        return {}

    def left(self, queue="birthdays"):
        """Messages that no worker has deleted."""
        with self.lock:
            return len(self.ready[queue]) + len(self.taken[queue])

    def bodies(self, queue="birthdays"):
        with self.lock:
            return [json.loads(entry["MessageBody"]) for entry in self.messages[queue]]

    def keys_sent(self, queue="birthdays"):
        return [body["idempotencyKey"] for body in self.bodies(queue)]


def digest_of(attributes):
    """MD5OfMessageAttributes of attributes with texts."""
    def part(text):
        return struct.pack(">I", len(text.encode())) + text.encode()
    joined = b"".join(part(name) + part(value["DataType"]) + b"\x01" + part(value["StringValue"])
                      for name, value in sorted(attributes.items()))
    return hashlib.md5(joined).hexdigest()


class FakeCredentials:
    """Container and instance metadata services, and the security token service. Each response has the next of `given`, pairs
    of an access key and a session token; the last one repeats. The secret key is "secret"."""

    def __init__(self, *given, lasts=3600, authorization=None):
        self.given, self.asked = list(given), []
        fake = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, text, status=200):
                self.send_response_only(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def keys(self):
                access, token = fake.given.pop(0) if len(fake.given) > 1 else fake.given[0]
                end = datetime.datetime.fromtimestamp(time.time() + lasts, datetime.timezone.utc)
                return access, token, end.strftime("%Y-%m-%dT%H:%M:%SZ")

            def do_PUT(self):
                fake.asked.append(self.path)
                if self.path != "/latest/api/token" or not self.headers["X-aws-ec2-metadata-token-ttl-seconds"]:
                    return self.answer("", 400)
                return self.answer("session")

            def do_GET(self):
                fake.asked.append(self.path)
                roles = "/latest/meta-data/iam/security-credentials/"
                if self.path.startswith("/latest/"):
                    if self.headers["X-aws-ec2-metadata-token"] != "session":
                        return self.answer("", 401)
                    if self.path == roles:
                        return self.answer("sender")
                elif authorization and self.headers["Authorization"] != authorization:
                    return self.answer("", 401)
                if self.path not in ("/keys", roles + "sender"):
                    return self.answer("", 404)
                access, token, end = self.keys()
                return self.answer(json.dumps({"AccessKeyId": access, "SecretAccessKey": "secret", "Token": token,
                                               "Expiration": end}))

            def do_POST(self):
                form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                fake.asked.append(form)
                if form["Action"] != ["AssumeRoleWithWebIdentity"] or form["WebIdentityToken"] != ["web/identity+token"]:
                    return self.answer("<ErrorResponse><Error><Code>InvalidIdentityToken</Code></Error></ErrorResponse>", 400)
                access, token, end = self.keys()
                return self.answer(f"<R><Credentials><AccessKeyId>{access}</AccessKeyId>"
                                   "<SecretAccessKey>secret</SecretAccessKey>"
                                   f"<SessionToken>{token}</SessionToken><Expiration>{end}</Expiration></Credentials></R>")

            def log_message(self, *arguments):
                pass

        self.origin = f"http://127.0.0.1:{serving(Handler)}"
