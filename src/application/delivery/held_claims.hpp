#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "application/delivery/destination.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/shared_event.hpp"
#include "domain/event.hpp"

namespace sundial {

/// How far a claim has come.
enum class Stage : std::uint8_t { claimed, planned, ready, sending, settling, releasing };
[[nodiscard]] bool is_unsent(Stage stage);

struct HeldClaim {
    SharedEvent event;
    Instant claimed_at;
    Mono sent_at{};   // the request of its claim
    Mono deadline{};  // no send whose time-out ends later; after it the lease may have expired
    bool previous_lost = false;  // an earlier holder lost its lease
    /// Claimed with a permit of its endpoint's limits: it counts as in flight from the start.
    bool admitted = false;
    Mono not_before{};  // when that permit begins
    Stage stage = Stage::claimed;
    bool lost = false;       // its lease has expired; work under way still completes
    bool abandoned = false;  // its attempt was aborted, or is about to be
    Destination destination{};
    Instant started_at{};
};

/// The events that one instance has claimed and not yet settled or released. Each takes a slot
/// until its outcome arrives.
class HeldClaims {
public:
    HeldClaim& add(HeldClaim claim);
    void move_to(HeldClaim& claim, Stage stage);
    void forget(EventId id);
    /// Forgets a claim in `stage`, and returns its event.
    [[nodiscard]] SharedEvent take(EventId id, Stage stage);
    /// It no longer has a permit of its endpoint's limits.
    void withdraw_permit(HeldClaim& claim);

    [[nodiscard]] HeldClaim* find(EventId id);
    /// Null also if it has left `stage`.
    [[nodiscard]] HeldClaim* find(EventId id, Stage stage);
    /// The claim must be in `stage`.
    [[nodiscard]] HeldClaim& at(EventId id, Stage stage);
    [[nodiscard]] std::vector<HeldClaim*> unsent();

    /// The leases that can still be extended.
    [[nodiscard]] std::vector<Held> leases() const;
    [[nodiscard]] bool has_leases() const;
    void set_deadlines(Mono deadline);
    /// Of one, if it is held.
    void set_deadline(EventId id, Mono deadline);
    /// An attempt under way past its deadline, each once. Null if there is none, or none left.
    [[nodiscard]] const HeldClaim* take_overdue(Mono now);
    /// No attempt under way is overdue before this.
    [[nodiscard]] Mono first_deadline() const { return first_deadline_; }

    [[nodiscard]] std::size_t size() const { return claims_.size(); }
    [[nodiscard]] bool empty() const { return claims_.empty(); }
    [[nodiscard]] std::size_t taken_slots() const { return taken_slots_; }
    /// The same for the events of one lane of handlers.
    [[nodiscard]] std::size_t taken_slots_of(const Lane& lane) const;
    [[nodiscard]] std::size_t sending() const { return sending_; }
    /// Events for an endpoint that were admitted and have not ended.
    [[nodiscard]] std::uint32_t in_flight(EndpointId endpoint) const;
    /// In-flight events, and those that wait for admission.
    [[nodiscard]] std::uint32_t bound_for(EndpointId endpoint) const;
    /// Whether one of the events was due at `then` or before.
    [[nodiscard]] bool any_due_by(Instant then) const;

private:
    /// The claimed events for one endpoint.
    struct Load {
        std::uint32_t waiting = 0, in_flight = 0;
    };
    void count(const HeldClaim& claim, Stage stage, int by);
    void count_slot(const HeldClaim& claim, int by);

    std::unordered_map<EventId, HeldClaim> claims_;
    std::unordered_map<EndpointId, Load> loads_;
    std::size_t taken_slots_ = 0;
    std::unordered_map<std::string, std::size_t> slots_by_type_;  // of events for handlers
    std::size_t sending_ = 0;
    Mono first_deadline_ = Mono::max();  // of the attempts under way, or a little earlier
};

}  // namespace sundial
