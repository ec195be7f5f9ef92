#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/ids.hpp"
#include "domain/outcome.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// When a failing receiver is no longer called, and for how long (reliability 6).
struct CircuitPolicy {
    std::chrono::seconds window{60};  // period whose results count
    std::uint32_t min_calls = 5;      // with fewer results it stays closed
    double failure_ratio = 0.5;       // share of failures that opens it
    std::chrono::seconds open{30};    // until the first probe; doubles with each failed one
    std::chrono::seconds open_max{600};
    friend bool operator==(const CircuitPolicy&, const CircuitPolicy&) = default;
};

enum class CircuitState : std::uint8_t { closed, half_open, open };
/// "CLOSED", "HALF_OPEN", "OPEN"
[[nodiscard]] std::string_view to_string(CircuitState state);
[[nodiscard]] std::optional<CircuitState> parse_circuit_state(std::string_view text);

/// The result of one attempt as far as it concerns its receiver.
enum class CallResult : std::uint8_t {
    accepted,
    answered,  // refused this event permanently: the receiver is reachable and works
    failed,    // not reached, timed out, or temporarily unable
    none       // no request was sent
};
[[nodiscard]] CallResult call_result(const Outcome& outcome);

/// The results of one receiver since this instance last reported them.
struct CallResults {
    std::uint32_t accepted = 0;
    std::uint32_t answered = 0;
    std::uint32_t failed = 0;
    void add(CallResult result);
    friend bool operator==(const CallResults&, const CallResults&) = default;
};

/// Number of parts of a window; each part expires as a whole.
inline constexpr std::size_t circuit_parts = 6;
struct CallCounts {
    std::uint32_t calls = 0;
    std::uint32_t failures = 0;
    friend bool operator==(const CallCounts&, const CallCounts&) = default;
};

/// Whether events are sent to an endpoint; shared by all instances. A plain value; the functions
/// below return the next one.
///   closed     -> open       enough of the latest results are failures
///   open       -> half-open  the pause has ended: one instance probes, all others wait
///   half-open  -> half-open  the probe was answered: the next probe may start
///   half-open  -> closed     three probes in a row were answered
///   half-open  -> open       the probe failed: the pause doubles
/// An operator can close it in any state.
struct Circuit {
    EndpointId endpoint;
    CircuitState state = CircuitState::closed;
    std::array<CallCounts, circuit_parts> parts{};  // of the window, latest first
    Instant part_began{};                           // when the latest part began
    std::optional<Instant> opened_at{};             // since when it has not been closed
    std::chrono::seconds open_for{0};               // the latest pause
    /// Unless closed: when the next probe may start; during a probe, when the probe counts as lost.
    Instant probe_at{};
    std::optional<InstanceId> prober{};      // the instance whose probe is in flight
    std::uint32_t probes_answered = 0;       // in a row
    std::optional<Instant> accepted_at{};    // when the receiver last accepted an event
    std::optional<Instant> failing_since{};  // the first attempt since then
    friend bool operator==(const Circuit&, const Circuit&) = default;
};

/// Share of failures among the results in the window; 0 if there are none.
[[nodiscard]] double failure_ratio(const Circuit& circuit, Instant now,
                                   const CircuitPolicy& policy);
/// Whether `by` may send one event as a probe.
[[nodiscard]] bool may_probe(const Circuit& circuit, InstanceId by, Instant now);
/// `by` sends the probe and must report its result by `until`.
[[nodiscard]] Circuit begin_probe(Circuit circuit, InstanceId by, Instant until);
/// Ends the probe of `by`. Changes nothing if that probe already counts as lost.
[[nodiscard]] Circuit end_probe(Circuit circuit, InstanceId by, CallResult result, Instant now,
                                const CircuitPolicy& policy);
/// Counts the results of attempts other than probes. Results of attempts that began before it
/// opened arrive late and are ignored.
[[nodiscard]] Circuit count(Circuit circuit, const CallResults& results, Instant now,
                            const CircuitPolicy& policy);
/// Forgets all results: an operator closed it, or its endpoint was enabled.
[[nodiscard]] Circuit closed(const Circuit& circuit);

/// How long an event waits at this circuit, from now. `random` in [0, 1) spreads the events over
/// half of the pause, so that the backlog returns at no more than three times the usual rate.
[[nodiscard]] std::chrono::microseconds wait_for_circuit(const Circuit& circuit, Instant now,
                                                         double random);

/// Why the endpoint is to be disabled: nothing was accepted for five days, and attempts were made
/// over at least a day of them.
[[nodiscard]] std::optional<std::string> given_up(const Circuit& circuit, Instant now);

}  // namespace sundial
