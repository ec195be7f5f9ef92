#pragma once

#include <cstdint>
#include <memory>

#include "application/ports/event_queue.hpp"
#include "application/ports/store.hpp"
#include "simulation/database_clock.hpp"

namespace sundial::simulation {

/// Deliberate defects, to prove that the checker finds them.
enum class Defect : std::uint8_t {
    none,
    acked_before_commit,      // sometimes reports success before the commit
    no_version_check,         // accepts a settlement of a claim that another instance has replaced
    claims_early,             // uses a clock that is ahead
    takes_over_early,         // treats a lease as expired too early
    lease_never_ends,         // never releases the claims of a crashed instance
    retry_forgotten,          // drops events that should be retried
    successor_forgotten,      // a schedule stops after its next event
    hidden_resend,            // sends a request twice
    new_key_on_retry,         // the receiver takes the second attempt for another event
    body_changes_on_retry,    // likewise
    unknown_is_success,       // treats a timeout as accepted
    settles_before_sending,   // settles as accepted without sending
    retry_after_ignored,      // ignores the receiver's Retry-After
    cancel_ignored,           // reports success, but cancels nothing
    keys_not_unique,          // two creates with one key each create an event
    wrong_zone,               // off by an hour
    sends_unclaimed_numbers,  // sends an attempt number that is not committed
    silence_counts,           // time in which no database answered kills all other instances
    dead_are_not_found,       // only leases end the claims of a crashed instance
};

/// The same queue with the defect, if the defect concerns the queue.
[[nodiscard]] std::unique_ptr<EventQueue> with_defect(EventQueue& queue, Store& store,
                                                      DatabaseClock& clock, Defect defect);

}  // namespace sundial::simulation
