#pragma once

#include "adapters/postgres/database.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::postgres {

class PostgresEventRepository final : public EventRepository {
public:
    explicit PostgresEventRepository(Session& session) : session_{session} {}
    Result<void> add(const Event& event) override;
    std::vector<Result<void>> add_each(std::span<const Event> events) override;
    std::size_t add_new(std::span<const Event> events) override;
    std::optional<Event> find(EventId id) override;
    std::optional<Event> lock(EventId id) override;
    std::vector<Event> lock_of_user(UserId user) override;
    std::vector<Event> lock_behind(ScheduleId schedule, Version version,
                                   std::optional<EventId> after, std::size_t limit) override;
    std::uint64_t count_behind(ScheduleId schedule, Version version) override;
    void update(const Event& changed) override;
    Result<void> update_key(const Event& changed, const IdempotencyKey& old_key) override;
    void finish(const Event& finished) override;
    void finish_dropped(const Event& cancelled) override;
    Result<void> update_dismissed(const Event& changed, Version held) override;
    Result<void> add_retry(const Event& fresh) override;
    void erase_of_user(UserId user) override;
    void forget_user(UserId user) override;
    std::size_t unpark(std::optional<EndpointId> endpoint, std::size_t limit) override;
    std::size_t expedite(EndpointId endpoint, Obstacle obstacle, std::size_t limit) override;
    bool has_live(const LiveQuery& query) override;
    Page<Event> list(const EventQuery& query) override;
    std::vector<Event> walk(const EventWalk& walk) override;
    std::uint64_t count(const EventWalk& walk) override;
    DeadLetters dead_letters(DeadLettersBy by) override;
    std::vector<AttemptRecord> attempts_of(EventId id) override;

private:
    /// Returns one row for each new event: its id and the transaction id.
    [[nodiscard]] Answer insert(std::span<const Event> events);
    /// Leaves evidence: the key of `added` exists only if the transaction committed.
    void add_evidence(const Event& added, std::string transaction);
    /// Leaves evidence: the row of `changed` with this content, as long as no other transaction
    /// changes it further.
    void add_change_evidence(const Event& changed, Instant updated_at, std::string transaction);
    [[nodiscard]] Result<void> duplicate(const IdempotencyKey& key);
    /// The same for many keys, in one round trip.
    [[nodiscard]] std::vector<Result<void>> duplicates(std::span<const IdempotencyKey> keys);

    Session& session_;
};

}  // namespace sundial::postgres
