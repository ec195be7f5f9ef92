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
#include "application/ports/clock.hpp"

namespace sundial {

/// One instance's knowledge of the endpoints that it sends to: its granted slots, and the results
/// that it has yet to report to the other instances. The caller knows how many requests are in
/// flight.
class Receivers {
public:
    struct Settings {
        std::size_t slots = 64;  // of the instance
        std::chrono::microseconds lease{};
        std::chrono::microseconds margin{};  // safety margin at the end of the lease
    };
    explicit Receivers(const Settings& settings) : settings_(settings) {}

    /// An event for this endpoint was claimed with this destination.
    void meet(const Destination& destination, Mono now);

    /// Its circuit has opened. The next claim would also report this.
    void opened(EndpointId endpoint) { receivers_[endpoint].circuit_closed = false; }

    /// Whether one more event may be sent in addition to `in_flight`, by local knowledge. If not,
    /// the shared limits must be asked.
    [[nodiscard]] bool admits(EndpointId endpoint, std::uint32_t in_flight,
                              std::chrono::microseconds timeout, Mono now) const;
    /// Events for more than one endpoint arrived recently.
    [[nodiscard]] bool has_rivals(Mono now) const;
    /// How many more events of the endpoint may be sent beside those `bound_for` it, so that other
    /// endpoints get slots, too. `more_due`: other events wait.
    [[nodiscard]] std::size_t room_for(EndpointId endpoint, std::uint32_t bound_for, bool more_due,
                                       Mono now) const;

    [[nodiscard]] AdmissionRequest question(EndpointId endpoint, std::uint32_t in_flight,
                                            std::uint32_t waiting) const;
    /// The answer to a request made at `asked_at`; `probe` is the event that is sent as a probe.
    void admitted(const Admission& admission, std::optional<EventId> probe, Mono asked_at);
    /// The same for a claim of events in line.
    void admitted(const LineAnswer& answer, Mono asked_at);
    /// The event that was sent as a probe.
    [[nodiscard]] std::optional<EventId> probe_of(EndpointId endpoint) const;
    /// The result of the last probe is not reported yet: the circuit still waits for it.
    [[nodiscard]] bool has_probe_to_report(EndpointId endpoint) const {
        const auto known = receivers_.find(endpoint);
        return known != receivers_.end() && known->second.probe_result.has_value();
    }
    /// Whether the granted slots last for a request of that length.
    [[nodiscard]] bool usable(EndpointId endpoint, std::chrono::microseconds timeout,
                              Mono now) const;

    /// False while no slot can need renewal.
    [[nodiscard]] bool may_renew(Mono now) const { return now >= next_renewal_; }
    /// Endpoints whose slots must be renewed, or can be returned because they are no longer needed;
    /// at once if `spare_now`. `in_flight` returns how many an endpoint uses.
    using InFlight = std::function<std::uint32_t(EndpointId)>;
    [[nodiscard]] std::vector<EndpointId> to_renew(const InFlight& in_flight, bool spare_now,
                                                   Mono now);

    /// An attempt has ended. The first success after a failure is reported at once, before its
    /// event is settled, so that no crash can lose it and the receiver is not taken for gone.
    void saw(EndpointId endpoint, EventId event, CallResult result,
             std::chrono::microseconds duration, Mono now);
    [[nodiscard]] bool may_report(Mono now) const { return now >= next_report_; }
    /// Results to report now, or all results if `all`. At most `limit` receivers.
    [[nodiscard]] std::vector<ReceiverReport> to_report(bool all, std::size_t limit, Mono now);
    /// The report failed.
    void put_back(std::span<const ReceiverReport> reports, Mono now);

    /// When a renewal or a report may be needed.
    [[nodiscard]] Mono next_moment() const { return std::min(next_renewal_, next_report_); }
    /// No report remains that other instances wait for; with `all`, no report at all.
    [[nodiscard]] bool has_reported(bool all) const;
    [[nodiscard]] bool has_slots() const;
    /// Forgets endpoints that were not used for long. `in_use` returns whether events are bound for
    /// one.
    void forget_idle(const std::function<bool(EndpointId)>& in_use, Mono now);

private:
    struct Receiver {
        LimitRules rules;
        bool circuit_closed = true;
        bool failing = false;  // no attempt was accepted since a failed one
        Mono last_met{};
        // Slots, if the endpoint limits them.
        std::uint32_t slots = 0, share = 0;
        Mono usable_until{};  // no request whose time-out ends later
        Mono renew_at = Mono::max();
        std::optional<Mono> spare_since;
        // The probe of this instance.
        std::optional<EventId> probe;
        // Results to report.
        CallResults results;
        std::optional<CallResult> probe_result;
        Mono report_at = Mono::max();
        std::chrono::microseconds mean_attempt{0};
    };
    [[nodiscard]] const Receiver& at(EndpointId endpoint) const { return receivers_.at(endpoint); }
    static bool is_urgent(const Receiver& receiver) {
        return receiver.probe_result || receiver.results.failed > 0;
    }
    static bool has_nothing_to_report(const Receiver& receiver) {
        return !receiver.probe_result && receiver.results == CallResults{};
    }
    void report_by(Receiver& receiver, Mono now);
    void keep_slots(Receiver& receiver, std::uint32_t slots, std::uint32_t share, Mono asked_at);

    Settings settings_;
    std::map<EndpointId, Receiver> receivers_;
    Mono next_renewal_ = Mono::max(), next_report_ = Mono::max();
};

}  // namespace sundial
