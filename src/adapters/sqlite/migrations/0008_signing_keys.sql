-- An endpoint may have several signing keys, newest first, of which those that were replaced sign until they end; and
-- a form in which events become bodies.
ALTER TABLE endpoints ADD COLUMN format       TEXT NOT NULL DEFAULT 'RAW';
ALTER TABLE endpoints ADD COLUMN public_key   TEXT NOT NULL DEFAULT '';    -- of the newest v1a key
ALTER TABLE endpoints ADD COLUMN signing_keys TEXT NOT NULL DEFAULT '[]';  -- JSON: [[scheme, sealed, until], …]

UPDATE endpoints
   SET signing_keys = json_array(json_array('v1', CAST(sealed_secret AS TEXT), '9223372036854775807'))
 WHERE length(sealed_secret) > 0;

ALTER TABLE endpoints DROP COLUMN sealed_secret;
