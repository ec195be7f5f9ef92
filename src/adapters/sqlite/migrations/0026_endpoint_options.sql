-- Settings that only some types of endpoints have, such as the region of an SQS queue (ADR 47). The type itself has no check:
-- a program has the types that it registers.
ALTER TABLE endpoints ADD COLUMN options TEXT NOT NULL DEFAULT '{}';  -- JSON: {"name":"value",…}
