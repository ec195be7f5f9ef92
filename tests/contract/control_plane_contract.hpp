#pragma once

#include "contract/storage.hpp"

/// Objects that people set up: users, schedules, endpoints. Also inboxes and the clock.
namespace sundial {

class UserRepositoryContract : public StorageTest {
protected:
    template <class... Users>
    void add(const Users&... users) {
        write([&](Transaction& tx) {
            for (const User& user : {static_cast<User>(users)...}) {
                ASSERT_TRUE(tx.users().add(user).has_value());
            }
        });
    }
    std::optional<User> find(UserId id) {
        return read([&](Transaction& tx) { return tx.users().find(id); });
    }
};

class ScheduleRepositoryContract : public StorageTest {};

class SkipRepositoryContract : public StorageTest {};

class EndpointRepositoryContract : public StorageTest {
protected:
    template <class... Endpoints>
    void add(const Endpoints&... endpoints) {
        write([&](Transaction& tx) {
            for (const Endpoint& endpoint : {static_cast<Endpoint>(endpoints)...}) {
                ASSERT_TRUE(tx.endpoints().add(endpoint).has_value());
            }
        });
    }
    std::optional<Endpoint> find(EndpointId id) {
        return read([&](Transaction& tx) { return tx.endpoints().find(id); });
    }
};

class InboxRepositoryContract : public StorageTest {
protected:
    Page<InboxRequest> list(EndpointId endpoint, std::size_t limit,
                            std::optional<PageKey> after = std::nullopt) {
        return read([&](Transaction& tx) {
            return tx.inbox().list(endpoint, {.limit = limit, .after = std::move(after)});
        });
    }
};

/// How far the outboxes of applications have come.
class OutboxProgressContract : public StorageTest {
protected:
    void declare(const std::string& name) {
        write([&](Transaction& tx) { tx.outboxes().declare({.name = name}); });
    }
    void change(const std::string& name, const RangeChanges& changes) {
        write([&](Transaction& tx) { tx.outboxes().change_taken(name, changes, tx.now()); });
    }
    std::vector<OutboxState> all() {
        return read([](Transaction& tx) { return tx.outboxes().list(std::nullopt, 100); });
    }
    std::vector<TakenRange> newest(std::size_t limit) {
        return read([&](Transaction& tx) { return tx.outboxes().newest_taken("orders", limit); });
    }
    std::vector<TakenRange> after(std::optional<std::int64_t> id, std::size_t limit) {
        return read(
            [&](Transaction& tx) { return tx.outboxes().taken_after("orders", id, limit); });
    }
    std::vector<TakenRange> near(const IdInterval& of) {
        return read([&](Transaction& tx) { return tx.outboxes().taken_near("orders", of); });
    }
};

class OperationRepositoryContract : public StorageTest {
protected:
    template <class... Operations>
    void add(const Operations&... operations) {
        write([&](Transaction& tx) {
            for (const Operation& operation : {static_cast<Operation>(operations)...}) {
                tx.operations().add(operation);
            }
        });
    }
    std::optional<Operation> find(OperationId id) {
        return read([&](Transaction& tx) { return tx.operations().find(id); });
    }
    std::optional<Operation> claimable() {
        return write([](Transaction& tx) { return tx.operations().lock_claimable(tx.now()); });
    }
};

class ApiKeyRepositoryContract : public StorageTest {
protected:
    template <class... Keys>
    void add(const Keys&... keys) {
        write([&](Transaction& tx) {
            for (const ApiKey& key : {static_cast<ApiKey>(keys)...}) tx.api_keys().add(key);
        });
    }
    std::vector<ApiKey> all() {
        return read([](Transaction& tx) { return tx.api_keys().all(); });
    }
};

class CalendarRepositoryContract : public StorageTest {
protected:
    template <class... Calendars>
    void add(const Calendars&... calendars) {
        write([&](Transaction& tx) {
            for (const Calendar& calendar : {static_cast<Calendar>(calendars)...})
                tx.calendars().add(calendar);
        });
    }
    Page<Calendar> list(const CalendarQuery& query = {}) {
        return read([&](Transaction& tx) { return tx.calendars().list(query); });
    }
};

class IdempotencyRepositoryContract : public StorageTest {};

class ClockContract : public StorageTest {};

class InstanceRepositoryContract : public StorageTest {
protected:
    std::optional<Instant> report(const InstanceReport& report) {
        return write([&](Transaction& tx) { return tx.instances().report(report); });
    }
    std::optional<InstanceReport> find(InstanceId id) {
        return read([&](Transaction& tx) { return tx.instances().find(id); });
    }
};

class SessionRepositoryContract : public StorageTest {
protected:
    void add(const BrowserSession& session) {
        write([&](Transaction& tx) { tx.sessions().add(session); });
    }
    std::vector<BrowserSession> all() {
        return read([](Transaction& tx) { return tx.sessions().all(); });
    }
};

class StatsRepositoryContract : public StorageTest {
protected:
    void store_rows(const std::vector<StatsRow>& rows) {
        write([&](Transaction& tx) { tx.stats().write(rows); });
    }
    std::vector<StatsRow> rows(const StatsQuery& query) {
        return read([&](Transaction& tx) { return tx.stats().read(query); });
    }
    LiveCounts live_counts(std::size_t most) {
        return read([&](Transaction& tx) { return tx.stats().live_counts(most); });
    }
};

}  // namespace sundial
