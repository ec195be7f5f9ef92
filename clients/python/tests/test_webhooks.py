"""Signatures: published vectors, and every way in which a request may not be what it claims."""
import base64
import unittest

import support  # noqa: F401
from sundial_client import WebhookRefused, ed25519, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
BODY = b'{"test": 2432232314}'
HEADERS = {"Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "Webhook-Timestamp": "1614265330",
           "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
NOW = 1614265330

# RFC 8032, 7.1: secret key, public key, message, signature. The secret keys are not needed.
ED25519 = [
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
]


def verify(body=BODY, keys=SECRET, now=NOW, **changed):
    headers = {**HEADERS, **{name.replace("_", "-"): value for name, value in changed.items() if value is not None}}
    for name, value in changed.items():
        if value is None:
            del headers[name.replace("_", "-")]
    return verify_webhook(body, headers, keys, now=now)


class Webhooks(unittest.TestCase):
    def refused(self, **changed):
        with self.assertRaises(WebhookRefused):
            verify(**changed)

    def test_the_published_vector(self):
        hook = verify(Sundial_Attempt="3", Sundial_Event_Type="REMINDER")
        self.assertEqual((hook.id, hook.timestamp, hook.attempt, hook.event_type), (HEADERS["Webhook-Id"], NOW, 3, "REMINDER"))
        self.assertEqual(hook.json(), {"test": 2432232314})

    def test_every_part_is_signed(self):
        self.refused(body=BODY + b" ")
        self.refused(Webhook_Id="msg_other")
        self.refused(Webhook_Timestamp=str(NOW + 1))
        self.refused(keys=OTHER)

    def test_the_tolerance_is_for_both_sides(self):
        for distance, good in ((0, True), (300, True), (-300, True), (301, False), (-301, False), (float("nan"), False)):
            if good:
                verify(now=NOW + distance)
            else:
                self.refused(now=NOW + distance)

    def test_several_keys_and_several_signatures_of_a_rotation(self):
        verify(keys=[OTHER, SECRET])
        verify(Webhook_Signature="v1,AAAA " + HEADERS["Webhook-Signature"] + " v1a,AAAA v2,xx")
        self.refused(keys=[OTHER])
        for nothing in ([], "whsec_", "whsec_***", "secret", "whpk_AAAA"):
            with self.assertRaises(ValueError):
                verify(keys=nothing)

    def test_missing_and_malformed_headers(self):
        for name in HEADERS:
            self.refused(**{name.replace("-", "_"): None})
        for text in ("", "v1", "v1,", "v1,***", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="):
            self.refused(Webhook_Signature=text)
        for text in ("", "-1", "1e9", "١٦١٤٢٦٥٣٣٠", " 1614265330", "1614265330.0", "nan", "9" * 40):
            self.refused(Webhook_Timestamp=text)

    def test_a_forged_header_of_many_signatures_is_not_read_to_its_end(self):
        self.refused(Webhook_Signature="v1,AAAA " * 12 + HEADERS["Webhook-Signature"])

    def test_the_body_must_be_bytes(self):
        with self.assertRaises(TypeError):
            verify(body=BODY.decode())

    def test_ed25519_vectors(self):
        for key, message, signature in ED25519:
            key, message, signature = bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature)
            self.assertTrue(ed25519.verify(key, message, signature))
            self.assertFalse(ed25519.verify(key, message + b"x", signature))
            for place in (0, 31, 32, 63):
                changed = bytearray(signature)
                changed[place] ^= 1
                self.assertFalse(ed25519.verify(key, message, bytes(changed)))
            # S + order is the same scalar: accepting it would make signatures malleable.
            more = int.from_bytes(signature[32:], "little") + ed25519.ORDER
            if more < 2**256:
                self.assertFalse(ed25519.verify(key, message, signature[:32] + more.to_bytes(32, "little")))
            self.assertFalse(ed25519.verify(key, message, signature[:63]))
            self.assertFalse(ed25519.verify(key[:31], message, signature))

    def test_ed25519_keys_of_small_order_are_refused(self):
        # With the neutral point as key, R = S * B verifies for every message.
        neutral = (1).to_bytes(32, "little")
        self.assertFalse(ed25519.verify(neutral, b"anything", neutral + bytes(32)))
        # Encodings that are not canonical, or not of a point.
        self.assertIsNone(ed25519._decode((ed25519.P + 1).to_bytes(32, "little")))
        self.assertIsNone(ed25519._decode((1 | 1 << 255).to_bytes(32, "little")))


if __name__ == "__main__":
    unittest.main()
