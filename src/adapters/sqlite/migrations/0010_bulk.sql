-- What an operation on many events was asked for, in words of its kind.
ALTER TABLE operations ADD COLUMN request TEXT;

-- What an operation could do nothing with, numbered as it came.
CREATE TABLE operation_failures (
    operation_id BLOB    NOT NULL,
    number       INTEGER NOT NULL,
    subject      TEXT    NOT NULL,  -- event, user, schedule
    subject_id   BLOB    NOT NULL,
    code         TEXT    NOT NULL,
    detail       TEXT    NOT NULL,
    PRIMARY KEY (operation_id, number)
) STRICT, WITHOUT ROWID;
