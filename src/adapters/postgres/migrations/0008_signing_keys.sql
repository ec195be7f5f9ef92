-- An endpoint may have several signing keys, newest first, of which those that were replaced sign until they end; and
-- a form in which events become bodies.
ALTER TABLE sundial.endpoints
    ADD COLUMN format          text          NOT NULL DEFAULT 'RAW',
    ADD COLUMN public_key      text          NOT NULL DEFAULT '',   -- of the newest v1a key
    ADD COLUMN signing_schemes text[]        NOT NULL DEFAULT '{}',
    ADD COLUMN sealed_keys     text[]        NOT NULL DEFAULT '{}',
    ADD COLUMN keys_sign_until timestamptz[] NOT NULL DEFAULT '{}';

UPDATE sundial.endpoints
   SET signing_schemes = '{v1}',
       sealed_keys = ARRAY[convert_from(sealed_secret, 'UTF8')],
       keys_sign_until = '{infinity}'
 WHERE length(sealed_secret) > 0;

ALTER TABLE sundial.endpoints
    DROP COLUMN sealed_secret,
    ADD CONSTRAINT endpoints_keys CHECK (cardinality(sealed_keys) = cardinality(signing_schemes)
                                         AND cardinality(keys_sign_until) = cardinality(signing_schemes));
