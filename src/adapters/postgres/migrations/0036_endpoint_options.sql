-- Settings that only some types of endpoints have, such as the region of an SQS queue (ADR 47): the option named
-- option_names[i] has the value option_values[i]. The type itself has no check: a program has the types that it registers.
ALTER TABLE sundial.endpoints
    ADD COLUMN option_names  text[] NOT NULL DEFAULT '{}',
    ADD COLUMN option_values text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT endpoints_options_have_values CHECK (cardinality(option_values) = cardinality(option_names));
