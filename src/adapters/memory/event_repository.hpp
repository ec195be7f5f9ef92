#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/event_repository.hpp"

namespace sundial::memory {

class MemoryEventRepository final : public EventRepository {
public:
    /// `now` is the time of the transaction.
    MemoryEventRepository(State& state, Instant now) : state_{state}, now_{now} {}
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
    [[nodiscard]] DuplicateIdempotencyKey duplicate(const IdempotencyKey& key);
    /// Erases its attempts and moves.
    void erase_tracks_of(EventId id);
    std::size_t expedite_at_most(std::size_t limit, const std::vector<Event>& waiting);

    State& state_;
    Instant now_;
};

}  // namespace sundial::memory
