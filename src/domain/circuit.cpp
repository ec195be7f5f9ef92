#include "domain/circuit.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "domain/enum_names.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr EnumNames<3> state_names{"CLOSED", "HALF_OPEN", "OPEN"};

constexpr std::uint32_t probes_to_close = 3;
/// Wait while another instance probes: most receivers respond much sooner than their timeout.
constexpr std::chrono::microseconds probe_takes = 2s;

constexpr std::chrono::hours nothing_accepted_for = 5 * 24h;
constexpr std::chrono::hours tried_for = 24h;

/// Shifts the window to `now` and drops expired parts.
Circuit shifted(Circuit circuit, Instant now, const CircuitPolicy& policy) {
    const std::chrono::microseconds part = std::chrono::microseconds{policy.window} / circuit_parts;
    const auto passed = (now - circuit.part_began) / part;
    if (passed <= 0) return circuit;
    const auto gone = static_cast<std::size_t>(
        std::min<std::chrono::microseconds::rep>(passed, std::int64_t{circuit_parts}));
    auto& parts = circuit.parts;
    std::ranges::move_backward(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(gone),
                               parts.end());
    std::fill_n(parts.begin(), gone, CallCounts{});
    // An empty window begins with its first result.
    circuit.part_began = gone == circuit_parts ? now : circuit.part_began + passed * part;
    return circuit;
}

CallCounts sum_of(const Circuit& circuit) {
    CallCounts sum;
    for (const CallCounts& part : circuit.parts) {
        sum.calls += part.calls;
        sum.failures += part.failures;
    }
    return sum;
}

bool too_many_failures(const Circuit& circuit, const CircuitPolicy& policy) {
    const auto [calls, failures] = sum_of(circuit);
    return failures > 0 && calls >= policy.min_calls && failures >= policy.failure_ratio * calls;
}

Circuit opened(Circuit circuit, std::chrono::seconds pause, Instant now) {
    circuit.state = CircuitState::open;
    if (!circuit.opened_at) circuit.opened_at = now;
    circuit.open_for = pause;
    circuit.probe_at = now + pause;
    circuit.prober.reset();
    circuit.probes_answered = 0;
    return circuit;
}

void note_acceptance(Circuit& circuit, bool accepted, bool not_accepted, Instant now) {
    if (accepted) {
        circuit.accepted_at = now;
        circuit.failing_since.reset();
    } else if (not_accepted && !circuit.failing_since) {
        circuit.failing_since = now;
    }
}

}  // namespace

std::string_view to_string(CircuitState state) { return name_in(state_names, state); }
std::optional<CircuitState> parse_circuit_state(std::string_view text) {
    return find_in<CircuitState>(state_names, text);
}

CallResult call_result(const Outcome& outcome) {
    if (outcome.verdict == Verdict::accepted) return CallResult::accepted;
    const bool never_asked = outcome.error == DeliveryErrorCode::destination_forbidden ||
                             outcome.error == DeliveryErrorCode::worker;
    if (never_asked) return CallResult::none;
    return outcome.verdict == Verdict::permanent ? CallResult::answered : CallResult::failed;
}

void CallResults::add(CallResult result) {
    if (result == CallResult::accepted) ++accepted;
    if (result == CallResult::answered) ++answered;
    if (result == CallResult::failed) ++failed;
}

double failure_ratio(const Circuit& circuit, Instant now, const CircuitPolicy& policy) {
    const auto [calls, failures] = sum_of(shifted(circuit, now, policy));
    return calls == 0 ? 0.0 : static_cast<double>(failures) / calls;
}

bool may_probe(const Circuit& circuit, InstanceId by, Instant now) {
    if (circuit.state == CircuitState::closed) return false;
    // The prober may start again: its probe may never have been sent.
    return now >= circuit.probe_at || circuit.prober == by;
}

Circuit begin_probe(Circuit circuit, InstanceId by, Instant until) {
    base::check(circuit.state != CircuitState::closed);
    circuit.state = CircuitState::half_open;
    circuit.prober = by;
    circuit.probe_at = until;
    return circuit;
}

Circuit end_probe(Circuit circuit, InstanceId by, CallResult result, Instant now,
                  const CircuitPolicy& policy) {
    const bool answered = result == CallResult::accepted || result == CallResult::answered;
    note_acceptance(circuit, result == CallResult::accepted, result != CallResult::none, now);
    if (circuit.prober != by) return circuit;
    if (result == CallResult::failed) {
        return opened(std::move(circuit), std::min(2 * circuit.open_for, policy.open_max), now);
    }
    circuit.prober.reset();
    circuit.probe_at = now;
    if (answered) ++circuit.probes_answered;
    if (circuit.probes_answered < probes_to_close) return circuit;
    circuit.state = CircuitState::closed;
    circuit.parts = {};
    circuit.opened_at.reset();
    circuit.open_for = 0s;
    circuit.probe_at = {};
    circuit.probes_answered = 0;
    return circuit;
}

Circuit count(Circuit circuit, const CallResults& results, Instant now,
              const CircuitPolicy& policy) {
    note_acceptance(circuit, results.accepted > 0, results.answered + results.failed > 0, now);
    if (circuit.state != CircuitState::closed) return circuit;
    circuit = shifted(std::move(circuit), now, policy);
    circuit.parts.front().calls += results.accepted + results.answered + results.failed;
    circuit.parts.front().failures += results.failed;
    if (results.failed == 0 || !too_many_failures(circuit, policy)) return circuit;
    return opened(std::move(circuit), policy.open, now);
}

Circuit closed(const Circuit& circuit) { return {.endpoint = circuit.endpoint}; }

std::chrono::microseconds wait_for_circuit(const Circuit& circuit, Instant now, double random) {
    const auto spread = [&](std::chrono::microseconds over) {
        return std::chrono::microseconds{
            static_cast<std::int64_t>(random * static_cast<double>(over.count()))};
    };
    if (circuit.prober) return probe_takes + spread(probe_takes);
    const auto until_probe = std::max<std::chrono::microseconds>(circuit.probe_at - now, 1ms);
    return until_probe + spread(std::chrono::microseconds{circuit.open_for} / 2);
}

std::optional<std::string> given_up(const Circuit& circuit, Instant now) {
    if (!circuit.failing_since) return std::nullopt;
    const Instant since = circuit.accepted_at.value_or(*circuit.failing_since);
    if (now - since < nothing_accepted_for || now - *circuit.failing_since < tried_for) {
        return std::nullopt;
    }
    return "no delivery was accepted since " + format_instant_millis(since);
}

}  // namespace sundial
