-- Lists of users by last name and by change read these instead of sorting every user.
CREATE INDEX users_by_name ON users (last_name, id);
CREATE INDEX users_by_update ON users (updated_at, id);
