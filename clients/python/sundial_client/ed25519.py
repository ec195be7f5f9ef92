"""Verifies Ed25519 signatures (RFC 8032, 5.1.7), because the standard library does not.

Works on public values only, so it need not be constant in time. One verification takes some milliseconds.
"""
import hashlib
from typing import Optional, Tuple

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)

# (X, Y, Z, T) with x = X/Z, y = Y/Z, xy = T/Z.
Point = Tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def _add(a: Point, b: Point) -> Point:
    """RFC 8032, 5.1.4: complete, so it doubles too."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return i * j % P, k * m % P, j * k % P, i * m % P


def _times(number: int, point: Point) -> Point:
    result = NEUTRAL
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _equal(a: Point, b: Point) -> bool:
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def _decode(text: bytes) -> Optional[Point]:
    """RFC 8032, 5.1.3. None if the 32 bytes are not the one encoding of a point."""
    number = int.from_bytes(text, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


_base = _decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
assert _base is not None
BASE: Point = _base


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` (64 bytes) is one of `message` by the holder of `public_key` (32 bytes)."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, commitment = _decode(public_key), _decode(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= ORDER:
        return False
    # A key of small order would accept some signature of any message.
    if _equal(_times(8, key), NEUTRAL):
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    return _equal(_times(scalar, BASE), _add(commitment, _times(challenge, key)))
