#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "contract/storage.hpp"

namespace sundial {

/// An operation on a storage. `run` returns all that it observed, as text. The same operation
/// returns the same text on every adapter in the same state.
struct RandomOperation {
    std::string name;
    std::function<std::string(Storage&)> run;
};

/// Generates operations for a storage in the state of `model`, which it only reads. Avoids
/// questions that the ports leave open: which of equally old events a claim takes, and which of
/// many parked events remain after a limit.
class RandomOperations {
public:
    RandomOperations(Storage& model, unsigned seed);
    [[nodiscard]] RandomOperation next();

private:
    std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
    bool chance(unsigned percent) { return below(100) < percent; }
    /// Generates ids from the seed, so that a seed gives the same run regardless of earlier tests.
    template <class Id>
    Id fresh() {
        return Id{uuid_of(first_number_ + ++count_)};
    }
    std::chrono::microseconds up_to(std::chrono::microseconds max);
    template <class T>
    const T& one_of(const std::vector<T>& values) {
        return values[below(values.size())];
    }
    template <class T>
    std::optional<T> perhaps_one_of(const std::vector<T>& values) {
        return chance(60) ? std::optional{one_of(values)} : std::nullopt;
    }
    IdempotencyKey a_key();
    Event a_new_event();
    EventQuery a_query();
    /// An event in one of these states, if any.
    std::optional<Event> an_event_in(std::vector<EventStatus> statuses);
    /// A live, unclaimed event, if any.
    std::optional<Event> a_free_event();
    /// Unsettled claims, at most one per event. Removes them, so they are returned once.
    std::vector<Event> some_claims();
    Settlement a_settlement(const Event& claimed);
    /// The first endpoint does not exist; the others are of type PULL.
    [[nodiscard]] bool is_pull(const Event& event) const {
        return event.endpoint && *event.endpoint != endpoints_[0];
    }
    /// The claimable events of one shard, by priority.
    using Ready = std::array<std::vector<Event>, 4>;
    /// The port does not define which of equally old events a claim takes, so a share never ends
    /// between them.
    std::array<std::uint32_t, 4> shares_of(const Ready& ready);
    /// Remembers the claims of the model.
    std::string describe_claimed(const Storage& storage, Claimed claimed);

    RandomOperation add();
    RandomOperation add_many();
    RandomOperation add_endpoints();
    RandomOperation claim();
    RandomOperation claim_to_pull();
    RandomOperation settle();
    RandomOperation release_claims();
    RandomOperation extend();
    RandomOperation advance();
    RandomOperation peek();
    RandomOperation edit();
    RandomOperation exchange_key();
    RandomOperation cancel_one();
    RandomOperation retry();
    RandomOperation dismiss_one();
    RandomOperation forget_or_erase();
    RandomOperation unpark();
    RandomOperation list();
    RandomOperation lock_many();
    RandomOperation roll_back();

    Storage& model_;
    std::mt19937_64 random_;
    std::uint64_t first_number_;
    std::uint64_t count_ = 0;
    std::vector<UserId> users_;
    std::vector<EndpointId> endpoints_;
    std::vector<ScheduleId> schedules_;
    std::vector<InstanceId> instances_;
    std::vector<IdempotencyKey> keys_;
    std::vector<Event> claims_;
    std::optional<RandomOperation> repetition_;  // of a settlement whose answer counts as lost
    bool begun_ = false;                         // the endpoints exist
};

}  // namespace sundial
