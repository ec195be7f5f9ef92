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

/// From when on a receiver that fails is left in peace, and for how long (reliability 6).
struct CircuitPolicy {
    std::chrono::seconds window{60};  // which results count
    std::uint32_t min_calls = 5;      // fewer say nothing
    double failure_ratio = 0.5;       // of them that opens it
    std::chrono::seconds open{30};    // until the first probe; doubles with each that fails
    std::chrono::seconds open_max{600};
    friend bool operator==(const CircuitPolicy&, const CircuitPolicy&) = default;
};

enum class CircuitState : std::uint8_t { closed, half_open, open };
/// "CLOSED", "HALF_OPEN", "OPEN"
[[nodiscard]] std::string_view to_string(CircuitState state);
[[nodiscard]] std::optional<CircuitState> parse_circuit_state(std::string_view text);

/// What one try says of its receiver.
enum class CallResult : std::uint8_t {
    accepted,
    answered,  // refused this event for good: it is there, and works
    failed,    // not reached, too late, or not able to now
    none       // nothing: it was never asked
};
[[nodiscard]] CallResult call_result(const Outcome& outcome);

/// What an instance has seen of one receiver since it told last.
struct CallResults {
    std::uint32_t accepted = 0;
    std::uint32_t answered = 0;
    std::uint32_t failed = 0;
    void add(CallResult result);
    friend bool operator==(const CallResults&, const CallResults&) = default;
};

/// Parts of a window: the oldest of them is forgotten at once.
inline constexpr std::size_t circuit_parts = 6;
struct CallCounts {
    std::uint32_t calls = 0;
    std::uint32_t failures = 0;
    friend bool operator==(const CallCounts&, const CallCounts&) = default;
};

/// Whether events are sent to an endpoint, as all instances see it. A plain value; the functions
/// below return the next one.
///   closed     -> open       enough of the latest results are failures
///   open       -> half-open  the pause is over: one instance probes, all others wait
///   half-open  -> half-open  the probe was answered: the next one may go
///   half-open  -> closed     so were three in a row
///   half-open  -> open       the probe failed: twice the pause
/// By hand it is closed whatever it is.
struct Circuit {
    EndpointId endpoint;
    CircuitState state = CircuitState::closed;
    std::array<CallCounts, circuit_parts> parts{};  // of the window, the latest first
    Instant part_began{};                           // that one
    std::optional<Instant> opened_at{};             // since when it has not been closed
    std::chrono::seconds open_for{0};               // the latest pause
    /// Unless it is closed: when somebody may probe; while a probe is under way, when it is lost.
    Instant probe_at{};
    std::optional<InstanceId> prober{};      // whose probe is under way
    std::uint32_t probes_answered = 0;       // in a row
    std::optional<Instant> accepted_at{};    // the last event that the receiver took
    std::optional<Instant> failing_since{};  // the first try since then
    friend bool operator==(const Circuit&, const Circuit&) = default;
};

/// Of the results in the window; 0 if there are none.
[[nodiscard]] double failure_ratio(const Circuit& circuit, Instant now,
                                   const CircuitPolicy& policy);
/// Whether somebody may send one event to see how the receiver is.
[[nodiscard]] bool may_probe(const Circuit& circuit, InstanceId by, Instant now);
/// `by` sends it; what came of it is awaited until `until`.
[[nodiscard]] Circuit begin_probe(Circuit circuit, InstanceId by, Instant until);
/// Ends the probe of `by`. That of whom nobody waits for any more changes nothing.
[[nodiscard]] Circuit end_probe(Circuit circuit, InstanceId by, CallResult result, Instant now,
                                const CircuitPolicy& policy);
/// Counts the results of other tries than probes. Those that began before it opened come late and
/// move nothing.
[[nodiscard]] Circuit count(Circuit circuit, const CallResults& results, Instant now,
                            const CircuitPolicy& policy);
/// By hand, or because its endpoint was enabled: all is forgotten.
[[nodiscard]] Circuit closed(const Circuit& circuit);

/// How long an event that meets it waits, from now; `random` in [0, 1) spreads them over half of
/// the pause, so that what has gathered comes back at no more than three times the usual rate.
[[nodiscard]] std::chrono::microseconds wait_for_circuit(const Circuit& circuit, Instant now,
                                                         double random);

/// Nothing was accepted for five days, a day of tries among them: why the endpoint is to be
/// disabled.
[[nodiscard]] std::optional<std::string> given_up(const Circuit& circuit, Instant now);

}  // namespace sundial
