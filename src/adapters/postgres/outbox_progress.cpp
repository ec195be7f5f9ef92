#include "application/ports/outbox_progress.hpp"

#include <algorithm>
#include <memory>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/outbox_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/rows.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

OutboxState outbox_in(const Row& row) {
    return {.name = row.get<std::string>("name"),
            .source = row.get<std::string>("source"),
            .failure = row.get<std::string>("failure"),
            .changed_at = row.get<Instant>("changed_at"),
            .taken = row.get<std::uint64_t>("taken"),
            .refused = row.get<std::uint64_t>("refused"),
            .last_id = row.get<std::optional<std::int64_t>>("last_id"),
            .taken_at = row.get<std::optional<Instant>>("taken_at"),
            .followed_by = row.get<std::optional<InstanceId>>("followed_by"),
            .lease_ends = row.get<Instant>("lease_ends")};
}

TakenRange taken_in(const Row& row) {
    return {{row.get<std::int64_t>("first_id"), row.get<std::int64_t>("last_id")},
            row.get<Instant>("changed_at")};
}

RefusedRow refused_in(const Row& row) {
    return {.id = row.get<std::int64_t>("id"),
            .kind = row.get<std::string>("kind"),
            .code = row.get<std::string>("code"),
            .detail = row.get<std::string>("detail"),
            .errors = row.get<std::string>("errors"),
            .refused_at = row.get<Instant>("refused_at")};
}

std::int64_t rows_of(std::size_t limit) { return static_cast<std::int64_t>(limit); }

class PostgresOutboxProgress final : public OutboxProgress {
public:
    explicit PostgresOutboxProgress(Session& session) : session_{session} {}

    void declare(const OutboxState& fresh) override { write(sql::declare_outbox, fresh); }
    std::optional<OutboxState> try_lock(const std::string& name) override {
        return first_of(each_row(session_.run(sql::lock_outbox, name), outbox_in));
    }
    void update(const OutboxState& state) override {
        base::check(write(sql::update_outbox, state) == 1);
    }
    std::vector<OutboxState> list(const std::optional<std::string>& after,
                                  std::size_t limit) override {
        return each_row(session_.run(sql::list_outboxes, after, rows_of(limit)), outbox_in);
    }

    std::vector<TakenRange> newest_taken(const std::string& name, std::size_t limit) override {
        auto ranges = each_row(session_.run(sql::newest_taken, name, rows_of(limit)), taken_in);
        std::ranges::reverse(ranges);
        return ranges;
    }
    std::vector<TakenRange> taken_after(const std::string& name, std::optional<std::int64_t> after,
                                        std::size_t limit) override {
        if (!after) return each_row(session_.run(sql::first_taken, name, rows_of(limit)), taken_in);
        return each_row(session_.run(sql::taken_after, name, *after, rows_of(limit)), taken_in);
    }
    std::vector<TakenRange> taken_near(const std::string& name, IdInterval ids) override {
        return each_row(
            session_.run(sql::taken_near, name, id_before(ids.first), id_behind(ids.last)),
            taken_in);
    }
    void change_taken(const std::string& name, const RangeChanges& changes, Instant now) override {
        std::vector<std::int64_t> removed;
        for (const std::int64_t first : changes.removed) {
            const bool changed_in_place =
                std::ranges::find(changes.added, first, &IdInterval::first) != changes.added.end();
            if (!changed_in_place) removed.push_back(first);
        }
        if (!removed.empty()) session_.run(sql::remove_taken, name, removed);
        if (changes.added.empty()) return;
        session_.run(sql::add_taken, name, column(changes.added, &IdInterval::first),
                     column(changes.added, &IdInterval::last), now);
    }

    void refuse(const std::string& name, std::span<const RefusedRow> rows) override {
        if (rows.empty()) return;
        session_.run(sql::refuse_rows, name, column(rows, &RefusedRow::id),
                     column(rows, &RefusedRow::kind), column(rows, &RefusedRow::code),
                     column(rows, &RefusedRow::detail), column(rows, &RefusedRow::errors),
                     column(rows, &RefusedRow::refused_at));
    }
    std::vector<RefusedRow> refused_after(const std::string& name,
                                          std::optional<std::int64_t> after,
                                          std::size_t limit) override {
        return each_row(session_.run(sql::refused_after, name, after, rows_of(limit)), refused_in);
    }
    void forget_refused(const std::string& name, std::span<const std::int64_t> ids) override {
        if (ids.empty()) return;
        session_.run(sql::forget_refused, name, std::vector<std::int64_t>(ids.begin(), ids.end()));
    }

private:
    std::size_t write(const Statement& statement, const OutboxState& state) {
        return session_
            .run(statement, state.name, state.source, state.failure, state.changed_at, state.taken,
                 state.refused, state.last_id, state.taken_at, state.followed_by, state.lease_ends)
            .changed();
    }

    Session& session_;
};

}  // namespace

std::unique_ptr<OutboxProgress> make_outbox_progress(Session& session) {
    return std::make_unique<PostgresOutboxProgress>(session);
}

}  // namespace sundial::postgres
