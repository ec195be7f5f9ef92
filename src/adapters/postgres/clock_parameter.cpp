#include "adapters/postgres/clock_parameter.hpp"

#include <algorithm>
#include <array>

namespace sundial::postgres {
namespace {

constexpr std::string_view clock = "sundial.clock()";

bool has_any(std::string_view sql, std::span<const std::string_view> words) {
    return std::ranges::any_of(
        words, [sql](std::string_view word) { return sql.find(word) != std::string_view::npos; });
}

bool changes_rows(std::string_view sql) {
    constexpr std::array<std::string_view, 3> verbs{"INSERT INTO sundial.", "UPDATE sundial.",
                                                    "DELETE FROM sundial."};
    return has_any(sql, verbs);
}

/// The distributed tables. A table whose name only begins like one of these gets a parameter that
/// it does not need.
bool reads_events(std::string_view sql) {
    constexpr std::array<std::string_view, 3> tables{"sundial.event", "sundial.v_events",
                                                     "sundial.attempts"};
    return has_any(sql, tables);
}

}  // namespace

std::optional<std::string> with_clock_parameter(std::string_view sql, std::size_t n) {
    if (sql.find(clock) == std::string_view::npos || changes_rows(sql) || !reads_events(sql)) {
        return std::nullopt;
    }
    const std::string parameter = "$" + std::to_string(n);
    std::string text;
    for (;;) {
        const auto found = sql.find(clock);
        text += sql.substr(0, found);
        if (found == std::string_view::npos) return text;
        text += parameter;
        sql.remove_prefix(found + clock.size());
    }
}

const Statement* ClockParameter::with_parameter(const Call& call) {
    const std::lock_guard lock{mutex_};
    const auto [at, added] = known_.try_emplace(call.statement);
    if (added) {
        if (auto text =
                with_clock_parameter(call.statement->sql, call.parameters.slots().size() + 1)) {
            at->second = std::make_unique<WithParameter>();
            WithParameter& its = *at->second;
            its.name = std::string{call.statement->name} + " at";
            its.sql = *std::move(text);
            its.statement = {its.name.c_str(), its.sql.c_str(), call.statement->plan};
        }
    }
    return at->second ? &at->second->statement : nullptr;
}

bool ClockParameter::is_needed(std::span<const Call> calls) {
    return std::ranges::any_of(
        calls, [this](const Call& call) { return with_parameter(call) != nullptr; });
}

std::vector<Call> ClockParameter::given(std::span<const Call> calls, Instant now) {
    std::vector<Call> all{calls.begin(), calls.end()};
    for (Call& call : all) {
        const Statement* const statement = with_parameter(call);
        if (!statement) continue;
        call.statement = statement;
        call.parameters.append(now);
    }
    return all;
}

}  // namespace sundial::postgres
