-- Lists of users by last name and by change read these instead of sorting every user.
CREATE INDEX users_by_last_name ON sundial.users (last_name COLLATE "C", id);
CREATE INDEX users_by_update ON sundial.users (updated_at, id);
