#include "simulation/history.hpp"

#include <array>
#include <iterator>
#include <map>

#include "domain/event_status.hpp"
#include "domain/time/text.hpp"

namespace sundial::simulation {
namespace {

/// FNV-1a, 64 bits.
class Hash {
public:
    void add(std::string_view text) {
        for (const char c : text) {
            value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
        }
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

std::string source_text(std::uint32_t source) {
    return source == 0 ? "client" : "instance:" + std::to_string(source);
}

}  // namespace

std::string_view to_string(Op op) {
    constexpr std::array<std::string_view, 16> names{
        "create", "cancel",  "edit",    "retry",  "erase", "manage", "claim", "extend",
        "settle", "release", "request", "answer", "close", "stop",   "beat",  "gone"};
    return names.at(static_cast<std::size_t>(op));
}

std::string_view to_string(How how) {
    constexpr std::array<std::string_view, 3> names{"ok", "refused", "unknown"};
    return names.at(static_cast<std::size_t>(how));
}

std::string describe(const Step& step) {
    std::string line = format_instant(step.at) + " " + source_text(step.source) + " ";
    line.append(to_string(step.op)).append(" ").append(to_string(step.how));
    if (step.id) line += " id=" + to_string(*step.id);
    if (!step.key.empty()) line += " key=" + step.key;
    if (step.version != 0) line += " version=" + std::to_string(step.version);
    if (step.attempt != 0) line += " attempt=" + std::to_string(step.attempt);
    if (step.status != 0) line += " status=" + std::to_string(step.status);
    if (step.target != Instant{}) line += " target=" + format_instant(step.target);
    if (step.until == never) {
        line += " until=never";
    } else if (step.until != Instant{}) {
        line += " until=" + format_instant(step.until);
    }
    if (!step.sound) line += " UNSOUND";
    if (!step.what.empty()) line += " (" + step.what + ")";
    return line;
}

std::string trace(const History& history, std::optional<EventId> about, std::size_t limit) {
    std::multimap<Time, std::string> lines;
    for (const Step& step : history.steps) {
        if (!about || step.id == about) lines.emplace(step.mono, describe(step));
    }
    if (lines.empty()) return {};
    const Time begin = lines.begin()->first, end = lines.rbegin()->first;
    for (const Fault& fault : history.faults) {
        if (fault.end < begin || fault.begin > end) continue;
        const auto seconds = std::chrono::duration<double>(fault.end - fault.begin).count();
        lines.emplace(fault.begin, "  -- " + fault.kind + " of " + source_text(fault.source) +
                                       " for " + std::to_string(seconds) + " s");
    }
    std::string text;
    const auto left_out = lines.size() > limit ? lines.size() - limit : 0;
    for (auto line = std::next(lines.begin(), static_cast<std::ptrdiff_t>(left_out));
         line != lines.end(); ++line) {
        const auto seconds = std::chrono::duration<double>(line->first).count();
        text += std::to_string(seconds) + "  " + line->second + "\n";
    }
    return text;
}

std::uint64_t hash_of(const History& history) {
    Hash hash;
    for (const Step& step : history.steps) {
        hash.add(describe(step));
        hash.add(std::to_string(step.mono.count()));
    }
    for (const Fault& fault : history.faults) {
        hash.add(fault.kind + std::to_string(fault.source) + " " +
                 std::to_string(fault.begin.count()) + " " + std::to_string(fault.end.count()));
    }
    for (const FinalEvent& one : history.events) {
        hash.add(to_string(one.event.id));
        hash.add(to_string(status_of(one.event)));
        hash.add(std::to_string(one.event.version.value) + " " +
                 std::to_string(one.attempts.size()));
    }
    return hash.value();
}

}  // namespace sundial::simulation
