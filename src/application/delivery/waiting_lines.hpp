#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/ports/event_queue.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// One instance's knowledge of the lines: where events wait for the limits of their endpoints, and
/// when to ask for permits next; and where events wait for its handlers. All instants are the
/// database's.
class WaitingLines {
public:
    /// The queue was read.
    void note_peek(const QueuePeek& peeked);
    void joined(const LineHead& head);
    /// The event types that this instance has handlers for.
    void handle(std::vector<std::string> types) { own_types_ = std::move(types); }
    /// The types that only other instances have handlers for.
    [[nodiscard]] const std::vector<std::string>& types_of_others() const {
        return types_of_others_;
    }
    struct Place {
        Line line;
        std::uint32_t shard;
    };
    /// Where events wait for a handler of this instance.
    [[nodiscard]] std::optional<Place> next_handled() const;
    /// No more events wait there.
    void emptied(const Line& line, std::uint32_t shard);

    /// The endpoint has limits, as the destination of a claimed event shows.
    void limit(EndpointId endpoint) { limited_.insert(endpoint); }
    /// The endpoints whose events are not claimed without a permit.
    [[nodiscard]] std::vector<EndpointId> limited() const {
        return {limited_.begin(), limited_.end()};
    }

    /// Endpoints whose lines may be asked now.
    [[nodiscard]] std::vector<EndpointId> to_ask(Instant now) const;
    /// Where the endpoint's events wait.
    [[nodiscard]] const LinePlaces& places(EndpointId endpoint) const;
    /// The answer of a claim: what is left, and when to ask again. `full`: earlier if a request of
    /// this instance ends.
    void answered(const LineAnswer& answer, Instant ask_at);
    /// Nothing may be asked before `ask_at` or the end of a request.
    void put_off(EndpointId endpoint, Instant ask_at);
    /// A request to this endpoint has ended.
    void ended(EndpointId endpoint);

    /// When to ask next; `never` if no event waits.
    [[nodiscard]] Instant next_ask() const;
    /// Some line waits for the end of a request.
    [[nodiscard]] bool any_full() const;
    /// Some event was claimable at `then` and still waits.
    [[nodiscard]] bool any_by(Instant then) const;

private:
    [[nodiscard]] bool handles(const std::string& type) const;

    struct Waiting {
        LinePlaces places;
        Instant ask_at = Instant::min();
        bool full = false;
    };
    std::map<EndpointId, Waiting> waiting_;
    std::set<EndpointId> limited_;
    std::vector<std::string> own_types_, types_of_others_;
    std::map<Line, LinePlaces> handled_;
};

}  // namespace sundial
