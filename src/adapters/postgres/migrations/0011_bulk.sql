-- What an operation on many events was asked for, in words of its kind.
ALTER TABLE sundial.operations ADD COLUMN request text;

-- What an operation could do nothing with, numbered as it came.
CREATE TABLE sundial.operation_failures (
    operation_id uuid   NOT NULL,
    number       bigint NOT NULL,
    subject      text   NOT NULL,  -- event, user, schedule
    subject_id   uuid   NOT NULL,
    code         text   NOT NULL,
    detail       text   NOT NULL,
    PRIMARY KEY (operation_id, number)
);

ANALYZE sundial.operation_failures;
