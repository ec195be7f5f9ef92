#pragma once

#include <cstdint>
#include <memory>

#include "application/ports/event_queue.hpp"
#include "application/ports/store.hpp"
#include "simulation/database_clock.hpp"

namespace sundial::simulation {

/// Mistakes that are made on purpose, to see that the checker finds them.
enum class Defect : std::uint8_t {
    none,
    acked_before_commit,      // what a client is told to be stored sometimes is not
    no_version_check,         // a settlement counts whoever holds the event by now
    claims_early,             // by a clock that is ahead
    takes_over_early,         // a lease is over before it is over
    lease_never_ends,         // what a crashed instance held is nobody's
    retry_forgotten,          // what should be tried again is put away
    successor_forgotten,      // a schedule stops after its next event
    hidden_resend,            // a request is sent twice
    new_key_on_retry,         // the receiver takes the second try for another event
    body_changes_on_retry,    // as above
    unknown_is_success,       // a time-out counts as accepted
    settles_before_sending,   // accepted by nobody
    retry_after_ignored,      // the receiver's wish is
    cancel_ignored,           // is answered with success, and nothing is cancelled
    keys_not_unique,          // of two creates with one key each makes an event
    wrong_zone,               // an hour off
    sends_unclaimed_numbers,  // an attempt number that is not committed
};

/// The same queue with the defect, if it is one of the queue.
[[nodiscard]] std::unique_ptr<EventQueue> with_defect(EventQueue& queue, Store& store,
                                                      DatabaseClock& clock, Defect defect);

}  // namespace sundial::simulation
