"""A client of Sundial, the durable event scheduler that knows time zones.

    from sundial_client import Sundial
    client = Sundial("http://127.0.0.1:8080")
    client.users.create({"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"})

Bodies and queries are dictionaries with the names of the API; sundial_client.schema has their types, sundial_client.live
those of the messages of system.live().
"""
from . import schema
from .client import Listing, Sundial
from .errors import ApiError, Stopped, SundialError, TransportError
from .schema import VERSION as __version__
from .transport import Reply, Stop
from .webhooks import Webhook, WebhookRefused, verify_webhook
from .worker import Fail, Job, Release, Worker
from . import live  # after the client, which it uses

__all__ = ["ApiError", "Fail", "Job", "Listing", "Release", "Reply", "Stop", "Stopped", "Sundial", "SundialError", "TransportError",
           "Webhook", "WebhookRefused", "Worker", "__version__", "live", "schema", "verify_webhook"]
