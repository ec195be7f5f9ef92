"""Verifies the signatures of webhooks (Standard Webhooks: v1 is HMAC-SHA256, v1a is Ed25519)."""
import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Protocol, Sequence, Tuple, Union

from . import ed25519
from .errors import SundialError

# A request has at most six: three secrets and three key pairs sign at a time. More are not read, so that a forged
# header costs little.
MAX_SIGNATURES = 12


class Headers(Protocol):
    """The headers of a request: a dictionary, or those of http.server and of most frameworks."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


class WebhookRefused(SundialError):
    """The request is not a fresh one from Sundial. Answer 400 or 401 and do nothing else."""


class Webhook(NamedTuple):
    """A verified request."""

    #: The event's idempotency key: the same for all its attempts. Remember it, and handle it once.
    id: str
    #: Unix seconds of this attempt.
    timestamp: int
    event_id: str
    event_type: str
    #: From 1; 0 if the header is missing.
    attempt: int
    #: 2027-02-28T09:00:00+01:00[Europe/Paris]
    target_time: str
    body: bytes

    def json(self) -> Any:
        """The body, parsed as JSON."""
        return json.loads(self.body)


def verify_webhook(body: bytes, headers: Headers, keys: Union[str, Sequence[str]], *, tolerance: float = 300.0,
                   now: Optional[float] = None) -> Webhook:
    """Returns the request if one of `keys` signed it within `tolerance` seconds. Raises WebhookRefused.

    `body` is the raw bytes, before any parser. `keys` are secrets (whsec_…) or public keys (whpk_…): one, or during a
    rotation several. Secrets are compared in constant time.
    """
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the bytes as they came, not text or a parsed object")
    given = {name.lower(): value for name, value in headers.items()}
    secrets, public = _keys([keys] if isinstance(keys, str) else keys)
    ident, at = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not ident or not (at.isascii() and at.isdigit() and len(at) <= 12):
        raise WebhookRefused("the headers webhook-id and webhook-timestamp are missing or malformed")
    if not abs((time.time() if now is None else now) - int(at)) <= tolerance:  # also if one is not a number
        raise WebhookRefused("the timestamp is too old, or too new")
    signed = f"{ident}.{at}.".encode("utf-8", "surrogateescape") + bytes(body)
    expected = [hmac.new(secret, signed, hashlib.sha256).digest() for secret in secrets]
    verified = False
    for text in given.get("webhook-signature", "").split(" ")[:MAX_SIGNATURES]:
        version, _, value = text.partition(",")
        try:
            signature = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            continue
        if version == "v1":
            for one in expected:
                verified |= hmac.compare_digest(one, signature)
        elif version == "v1a" and not verified:
            verified = any(ed25519.verify(key, signed, signature) for key in public)
    if not verified:
        raise WebhookRefused("no signature is from one of the keys")
    attempt = given.get("sundial-attempt", "")
    return Webhook(ident, int(at), given.get("sundial-event-id", ""), given.get("sundial-event-type", ""),
                   int(attempt) if attempt.isascii() and attempt.isdigit() else 0, given.get("sundial-target-time", ""), bytes(body))


def _keys(keys: Sequence[str]) -> Tuple[List[bytes], List[bytes]]:
    found: Dict[str, List[bytes]] = {"whsec": [], "whpk": []}
    for key in keys:
        kind, _, text = key.partition("_")
        try:
            value = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            value = b""
        if kind not in found or not value or (kind == "whpk" and len(value) != 32):
            raise ValueError("a key must be whsec_ or whpk_ and base64, as Sundial shows it")
        found[kind].append(value)
    if not keys:
        raise ValueError("give at least one key: an empty list would refuse everything")
    return found["whsec"], found["whpk"]
