#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// One instance's knowledge of the lines: where events wait for the limits of their endpoints, and
/// when to ask for permits next. All instants are the database's.
class WaitingLines {
public:
    /// The queue was read. A line whose next request is after `latest` is requested now, because
    /// the database's clock has stepped back.
    void note_peek(const QueuePeek& peeked, Instant latest);
    void joined(const LineHead& head);
    /// The endpoints whose events are not claimed without a permit: those that have limits, and
    /// those with waiting events, so that no later event passes them.
    [[nodiscard]] std::vector<EndpointId> limited() const;

    /// Endpoints whose lines may be claimed from now.
    [[nodiscard]] std::vector<EndpointId> to_ask(Instant now) const;
    /// Where the endpoint's events wait.
    [[nodiscard]] const LinePlaces& places(EndpointId endpoint) const;
    /// Stores the answer of a claim: the events that are left in line, and the time of the next
    /// claim. `full`: the next claim is earlier if a request of this instance ends.
    void answered(const LineAnswer& answer, Instant ask_at);
    /// No claim before `ask_at` or the end of a request.
    void put_off(EndpointId endpoint, Instant ask_at);
    /// A request to this endpoint has ended.
    void ended(EndpointId endpoint);

    /// When to claim next; `never` if no event waits.
    [[nodiscard]] Instant next_ask() const;
    /// Some line waits for the end of a request.
    [[nodiscard]] bool any_full() const;
    /// Some event was claimable at `then` and still waits.
    [[nodiscard]] bool any_by(Instant then) const;

private:
    struct Waiting {
        LinePlaces places;
        Instant ask_at = Instant::min();
        bool full = false;
    };
    std::map<EndpointId, Waiting> waiting_;
    std::set<EndpointId> limited_;
};

}  // namespace sundial
