#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "application/delivery/admission.hpp"
#include "application/delivery/destination.hpp"
#include "application/ports/mono.hpp"

namespace sundial {

/// What one instance knows of the endpoints that it sends to: the slots that it was granted, what
/// it has seen of their receivers and has yet to tell the others. How many requests it has in
/// flight is its caller's knowledge.
class Receivers {
public:
    struct Settings {
        std::size_t slots = 64;  // of the instance
        std::chrono::microseconds lease{};
        std::chrono::microseconds margin{};  // of its end, that is not ours to use
    };
    explicit Receivers(const Settings& settings) : settings_(settings) {}

    /// An event for it was claimed, and this is what was read of it.
    void meet(const Destination& destination, Mono now);

    /// Its circuit has opened; what is claimed next would tell so, too.
    void opened(EndpointId endpoint) { receivers_[endpoint].circuit_closed = false; }

    /// Whether one more event may be sent to it beside `in_flight`, as far as is known here. If
    /// not, the others must be asked.
    [[nodiscard]] bool admits(EndpointId endpoint, std::uint32_t in_flight,
                              std::chrono::microseconds timeout, Mono now) const;
    /// Whether it has all that one endpoint may take of the instance's slots while others wait:
    /// `more_due` says that some may.
    [[nodiscard]] bool takes_too_much(EndpointId endpoint, std::uint32_t in_flight, bool more_due,
                                      Mono now) const;
    /// More than one endpoint was heard of lately.
    [[nodiscard]] bool has_rivals(Mono now) const;
    /// Until there is room for what was kept back for that.
    [[nodiscard]] std::chrono::microseconds place_in_line(EndpointId endpoint, Mono now);

    [[nodiscard]] AdmissionAsked question(EndpointId endpoint, std::uint32_t in_flight,
                                          std::uint32_t waiting) const;
    /// The answer to what was asked at `asked_at`; `probe` is the event that is one.
    void admitted(const Admission& admission, std::optional<EventId> probe, Mono asked_at);
    /// The event that was sent to see whether it is back.
    [[nodiscard]] std::optional<EventId> probe_of(EndpointId endpoint) const;
    /// What came of the last probe is not told yet: the circuit still waits for it.
    [[nodiscard]] bool has_probe_to_tell(EndpointId endpoint) const {
        return at(endpoint).probe_result.has_value();
    }
    /// Whether what it granted still covers a request of that length.
    [[nodiscard]] bool usable(EndpointId endpoint, std::chrono::microseconds timeout,
                              Mono now) const;

    /// Not worth a look before.
    [[nodiscard]] bool may_renew(Mono now) const { return now >= next_renewal_; }
    /// Endpoints whose slots must be renewed, or are no longer needed and can be given back, with
    /// `spare_now` at once. `in_flight` tells how many an endpoint uses.
    using InFlight = std::function<std::uint32_t(EndpointId)>;
    [[nodiscard]] std::vector<EndpointId> to_renew(const InFlight& in_flight, bool spare_now,
                                                   Mono now);

    /// A try is over. The first that is accepted after others were not is told at once: before its
    /// event is settled, so that no crash can lose it, and nobody takes the receiver for gone.
    void saw(EndpointId endpoint, EventId event, CallResult result,
             std::chrono::microseconds duration, Mono now);
    [[nodiscard]] bool may_tell(Mono now) const { return now >= next_telling_; }
    /// What is to be told now; `all`: whatever there is. At most `limit` of them.
    [[nodiscard]] std::vector<ReceiverTold> to_tell(bool all, std::size_t limit, Mono now);
    /// It could not be told.
    void put_back(std::span<const ReceiverTold> told, Mono now);

    /// When one of the two may have something to say.
    [[nodiscard]] Mono next_moment() const { return std::min(next_renewal_, next_telling_); }
    /// Nothing is left to tell that others wait for; `all`: nothing at all.
    [[nodiscard]] bool has_told(bool all) const;
    [[nodiscard]] bool has_slots() const;
    /// Forgets endpoints that nothing was heard of for long; `in_use` tells whether events are
    /// bound for one.
    void forget_idle(const std::function<bool(EndpointId)>& in_use, Mono now);

private:
    struct Receiver {
        LimitRules rules;
        bool circuit_closed = true;
        bool failing = false;  // nothing was accepted since a try that was not
        Mono last_met{};
        // Slots, if it limits them.
        std::uint32_t slots = 0, share = 0;
        Mono usable_until{};  // no request whose time-out ends later
        Mono renew_at = Mono::max();
        std::optional<Mono> spare_since;
        // The probe of this instance.
        std::optional<EventId> probe;
        // To tell.
        CallResults results;
        std::optional<CallResult> probe_result;
        Mono tell_at = Mono::max();
        std::chrono::microseconds mean_try{0};
        Mono last_place{};
    };
    [[nodiscard]] const Receiver& at(EndpointId endpoint) const { return receivers_.at(endpoint); }
    static bool is_urgent(const Receiver& receiver) {
        return receiver.probe_result || receiver.results.failed > 0;
    }
    static bool has_nothing_to_tell(const Receiver& receiver) {
        return !receiver.probe_result && receiver.results == CallResults{};
    }
    void tell_by(Receiver& receiver, Mono now);

    Settings settings_;
    std::map<EndpointId, Receiver> receivers_;
    Mono next_renewal_ = Mono::max(), next_telling_ = Mono::max();
};

}  // namespace sundial
