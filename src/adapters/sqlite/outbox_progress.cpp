#include "application/ports/outbox_progress.hpp"

#include <algorithm>
#include <memory>

#include "adapters/sqlite/ports.hpp"
#include "adapters/sqlite/rows.hpp"
#include "adapters/sqlite/session.hpp"
#include "adapters/sqlite/value.hpp"
#include "base/check.hpp"

/// SQL statements for the progress of outboxes.
namespace sundial::sqlite::sql {

/// ?1 to ?10: the columns in order.
inline constexpr Statement declare_outbox{R"sql(
    INSERT INTO outboxes (name, source, failure, changed_at, taken, refused, last_id, taken_at,
                          followed_by, lease_ends)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING)sql"};
inline constexpr Statement update_outbox{R"sql(
    UPDATE outboxes
       SET source = ?2, failure = ?3, changed_at = ?4, taken = ?5, refused = ?6, last_id = ?7,
           taken_at = ?8, followed_by = ?9, lease_ends = ?10
     WHERE name = ?1)sql"};
inline constexpr Statement find_outbox{R"sql(
    SELECT name, source, failure, changed_at, taken, refused, last_id, taken_at, followed_by,
           lease_ends
      FROM outboxes WHERE name = ?1)sql"};
/// ?1 name of the previous page's last row or null, ?2 limit.
inline constexpr Statement list_outboxes{R"sql(
    SELECT name, source, failure, changed_at, taken, refused, last_id, taken_at, followed_by,
           lease_ends
      FROM outboxes WHERE ?1 IS NULL OR name > ?1 ORDER BY name LIMIT ?2)sql"};

/// Descending. ?1 name, ?2 limit.
inline constexpr Statement newest_taken{R"sql(
    SELECT first_id, last_id, changed_at FROM outbox_taken
     WHERE intake = ?1 ORDER BY first_id DESC LIMIT ?2)sql"};
/// ?1 name, ?2 limit.
inline constexpr Statement first_taken{R"sql(
    SELECT first_id, last_id, changed_at FROM outbox_taken
     WHERE intake = ?1 ORDER BY first_id LIMIT ?2)sql"};
/// The ranges that end after an id: the one that contains it, and those with greater ids. ?1 name,
/// ?2 id, ?3 limit.
inline constexpr Statement taken_after{R"sql(
    SELECT first_id, last_id, changed_at FROM outbox_taken
     WHERE intake = ?1 AND last_id > ?2
       AND first_id >= coalesce((SELECT max(first_id) FROM outbox_taken
                                  WHERE intake = ?1 AND first_id <= ?2), ?2)
     ORDER BY first_id LIMIT ?3)sql"};
/// ?1 name, ?2 least and ?3 greatest id that a range may have.
inline constexpr Statement taken_near{R"sql(
    SELECT first_id, last_id, changed_at FROM outbox_taken
     WHERE intake = ?1 AND last_id >= ?2 AND first_id <= ?3
       AND first_id >= coalesce((SELECT max(first_id) FROM outbox_taken
                                  WHERE intake = ?1 AND first_id <= ?2), ?2)
     ORDER BY first_id)sql"};
inline constexpr Statement remove_taken{
    "DELETE FROM outbox_taken WHERE intake = ?1 AND first_id = ?2"};
inline constexpr Statement add_taken{
    "INSERT INTO outbox_taken (intake, first_id, last_id, changed_at) VALUES (?1, ?2, ?3, ?4)"};

inline constexpr Statement refuse_row{R"sql(
    INSERT INTO outbox_refused (intake, id, kind, code, detail, errors, refused_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7))sql"};
/// ?1 name, ?2 id of the previous page's last row or null, ?3 limit.
inline constexpr Statement refused_after{R"sql(
    SELECT id, kind, code, detail, errors, refused_at FROM outbox_refused
     WHERE intake = ?1 AND (?2 IS NULL OR id > ?2) ORDER BY id LIMIT ?3)sql"};
inline constexpr Statement forget_refused{
    "DELETE FROM outbox_refused WHERE intake = ?1 AND id = ?2"};

}  // namespace sundial::sqlite::sql

namespace sundial::sqlite {
namespace {

OutboxState read_outbox(Cursor& row) {
    return {.name = row.take<std::string>(),
            .source = row.take<std::string>(),
            .failure = row.take<std::string>(),
            .changed_at = row.take<Instant>(),
            .taken = row.take<std::uint64_t>(),
            .refused = row.take<std::uint64_t>(),
            .last_id = row.take<std::optional<std::int64_t>>(),
            .taken_at = row.take<std::optional<Instant>>(),
            .followed_by = row.take<std::optional<InstanceId>>(),
            .lease_ends = row.take<Instant>()};
}

TakenRange read_taken(Cursor& row) {
    const auto first = row.take<std::int64_t>();
    const auto last = row.take<std::int64_t>();
    return {{first, last}, row.take<Instant>()};
}

RefusedRow read_refused(Cursor& row) {
    return {.id = row.take<std::int64_t>(),
            .kind = row.take<std::string>(),
            .code = row.take<std::string>(),
            .detail = row.take<std::string>(),
            .errors = row.take<std::string>(),
            .refused_at = row.take<Instant>()};
}

class SqliteOutboxProgress final : public OutboxProgress {
public:
    explicit SqliteOutboxProgress(Session& session) : connection_{session.connection} {}

    void declare(const OutboxState& fresh) override { write(sql::declare_outbox, fresh); }
    /// Only one transaction writes at a time.
    std::optional<OutboxState> try_lock(const std::string& name) override {
        return first_of(connection_.query(sql::find_outbox, name), read_outbox);
    }
    void update(const OutboxState& state) override {
        base::check(write(sql::update_outbox, state) == 1);
    }
    std::vector<OutboxState> list(const std::optional<std::string>& after,
                                  std::size_t limit) override {
        return all_of(connection_.query(sql::list_outboxes, after, limit), read_outbox);
    }

    std::vector<TakenRange> newest_taken(const std::string& name, std::size_t limit) override {
        auto ranges = all_of(connection_.query(sql::newest_taken, name, limit), read_taken);
        std::ranges::reverse(ranges);
        return ranges;
    }
    std::vector<TakenRange> taken_after(const std::string& name, std::optional<std::int64_t> after,
                                        std::size_t limit) override {
        if (!after) return all_of(connection_.query(sql::first_taken, name, limit), read_taken);
        return all_of(connection_.query(sql::taken_after, name, *after, limit), read_taken);
    }
    std::vector<TakenRange> taken_near(const std::string& name, IdInterval ids) override {
        return all_of(
            connection_.query(sql::taken_near, name, id_before(ids.first), id_behind(ids.last)),
            read_taken);
    }
    void change_taken(const std::string& name, const RangeChanges& changes, Instant now) override {
        for (const std::int64_t first : changes.removed) {
            connection_.execute(sql::remove_taken, name, first);
        }
        for (const IdInterval& range : changes.added) {
            connection_.execute(sql::add_taken, name, range.first, range.last, now);
        }
    }

    void refuse(const std::string& name, std::span<const RefusedRow> rows) override {
        for (const RefusedRow& row : rows) {
            connection_.execute(sql::refuse_row, name, row.id, row.kind, row.code, row.detail,
                                row.errors, row.refused_at);
        }
    }
    std::vector<RefusedRow> refused_after(const std::string& name,
                                          std::optional<std::int64_t> after,
                                          std::size_t limit) override {
        return all_of(connection_.query(sql::refused_after, name, after, limit), read_refused);
    }
    void forget_refused(const std::string& name, std::span<const std::int64_t> ids) override {
        for (const std::int64_t id : ids) connection_.execute(sql::forget_refused, name, id);
    }

private:
    std::int64_t write(const Statement& statement, const OutboxState& state) {
        return connection_.execute(statement, state.name, state.source, state.failure,
                                   state.changed_at, state.taken, state.refused, state.last_id,
                                   state.taken_at, state.followed_by, state.lease_ends);
    }

    Connection& connection_;
};

}  // namespace

std::unique_ptr<OutboxProgress> make_outbox_progress(Session& session) {
    return std::make_unique<SqliteOutboxProgress>(session);
}

}  // namespace sundial::sqlite
