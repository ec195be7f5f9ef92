#include "adapters/postgres/settlement_calls.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

#include "adapters/postgres/claim_sql.hpp"
#include "base/check.hpp"

namespace sundial::postgres {
namespace {

/// The name of a result in settle_late.
std::string_view late_result_of(const Settlement& one) {
    if (std::holds_alternative<Accepted>(one.result)) return "COMPLETED";
    return std::holds_alternative<RetryIn>(one.result) ? "RETRY" : "FAILED";
}
std::optional<std::string_view> obstacle_of(const ReleasedClaim& one) {
    return one.obstacle ? std::optional{to_string(*one.obstacle)} : std::nullopt;
}
bool leaves_record(const ReleasedClaim& one) { return one.obstacle != Obstacle::limit; }
InstanceId instance_of(const Settlement& one) { return one.by.instance; }
auto settled_by_worker(const Settlement& one) { return worker_of(one.by); }
auto released_by_worker(const ReleasedClaim& one) { return worker_of(one.by); }

using Settlements = std::vector<std::reference_wrapper<const Settlement>>;

/// A column of the recorded attempts; null if none is recorded.
template <class Get>
auto of_attempts(const Settlements& rows, Get get) {
    return column(rows, [get](const Settlement& one) {
        using Value = std::invoke_result_t<Get, const AttemptRecord&>;
        return one.attempt ? std::optional<Value>{get(*one.attempt)} : std::nullopt;
    });
}
auto outcomes_of(const Settlements& rows) {
    return of_attempts(rows,
                       [](const AttemptRecord& attempt) { return to_string(attempt.outcome); });
}
auto error_codes_of(const Settlements& rows) {
    return of_attempts(rows,
                       [](const AttemptRecord& attempt) { return as_text(attempt.error_code); });
}
auto error_texts_of(const Settlements& rows) {
    return of_attempts(rows,
                       [](const AttemptRecord& attempt) { return as_text(attempt.error_text); });
}
auto responses_of(const Settlements& rows) {
    return of_attempts(
        rows, [](const AttemptRecord& attempt) { return BytesView{attempt.response_body}; });
}

/// `statement` settles, or writes the history only.
Call ending_accepted(const Statement& statement, std::int16_t shard, const Settlements& rows) {
    return Call{statement,
                shard,
                column(rows, &Settlement::id),
                column(rows, &Settlement::held),
                column(rows, &Settlement::started_at),
                column(rows, &Settlement::duration),
                column(rows, &Settlement::status_code)};
}
Call ending_failed(const Statement& statement, std::int16_t shard, const Settlements& rows) {
    return Call{
        statement,
        shard,
        column(rows, &Settlement::id),
        column(rows, &Settlement::held),
        column(rows, &Settlement::started_at),
        column(rows, &Settlement::duration),
        column(rows, &Settlement::status_code),
        column(rows, instance_of),
        column(rows,
               [](const Settlement& one) { return as_text(std::get<Refused>(one.result).reason); }),
        column(rows, settled_by_worker),
        column(rows, [](const Settlement& one) {
            return one.attempt && one.attempt->outcome == AttemptOutcome::retryable;
        })};
}
Call removing_settled(std::int16_t shard, const Settlements& rows) {
    return Call{sql::remove_settled, shard, column(rows, &Settlement::id),
                column(rows, &Settlement::held)};
}
Call awaiting_retry(std::int16_t shard, const Settlements& rows) {
    return Call{
        sql::await_retry,
        shard,
        column(rows, &Settlement::id),
        column(rows, &Settlement::held),
        column(rows, [](const Settlement& one) { return std::get<RetryIn>(one.result).delay; }),
        column(rows, &Settlement::started_at)};
}
Call recording_attempts(std::int16_t shard, const Settlements& rows) {
    return Call{sql::record_attempts,
                shard,
                column(rows, &Settlement::id),
                column(rows, &Settlement::held),
                column(rows, &Settlement::number),
                column(rows, instance_of),
                outcomes_of(rows),
                column(rows,
                       [](const Settlement& one) {
                           return one.attempt ? one.attempt->endpoint : std::nullopt;
                       }),
                column(rows, &Settlement::started_at),
                column(rows, &Settlement::duration),
                column(rows, &Settlement::status_code),
                error_codes_of(rows),
                error_texts_of(rows),
                responses_of(rows),
                column(rows, settled_by_worker)};
}

}  // namespace

std::vector<Call> settling(std::int16_t shard, std::size_t kind, std::span<const Settlement> all,
                           const std::vector<std::size_t>& indices, bool distributed) {
    const Settlements rows = chosen(all, indices);
    std::vector<Call> calls;
    const bool any_attempt =
        std::ranges::any_of(rows, [](const Settlement& one) { return one.attempt.has_value(); });
    if (any_attempt) calls.push_back(recording_attempts(shard, rows));
    const auto& result = rows.front().get().result;
    base::check(result.index() == kind);
    if (std::holds_alternative<RetryIn>(result)) {
        calls.push_back(awaiting_retry(shard, rows));
        return calls;
    }
    // For an accepted claim, the history and the row of the claim contain all facts.
    const bool accepted = std::holds_alternative<Accepted>(result);
    base::check(!accepted || !any_attempt);
    if (accepted) {
        const auto& statement = distributed ? sql::keep_accepted : sql::settle_accepted;
        calls.push_back(ending_accepted(statement, shard, rows));
    } else {
        const auto& statement = distributed ? sql::keep_failed : sql::settle_failed;
        calls.push_back(ending_failed(statement, shard, rows));
    }
    if (distributed) calls.push_back(removing_settled(shard, rows));
    return calls;
}

Call settling_late(std::int16_t shard, std::span<const Settlement> all,
                   const std::vector<std::size_t>& indices) {
    const Settlements rows = chosen(all, indices);
    return Call{sql::settle_late,
                shard,
                column(rows, &Settlement::id),
                column(rows, &Settlement::number),
                column(rows, instance_of),
                column(rows, late_result_of),
                column(rows, &Settlement::started_at),
                column(rows, &Settlement::duration),
                column(rows, &Settlement::status_code),
                outcomes_of(rows),
                error_codes_of(rows),
                error_texts_of(rows),
                responses_of(rows)};
}

std::vector<Call> releasing(std::int16_t shard, std::span<const ReleasedClaim> all,
                            const std::vector<std::size_t>& indices) {
    std::vector<Call> calls;
    const auto rows = chosen(all, indices);
    auto recorded = rows;
    std::erase_if(recorded, [](const ReleasedClaim& one) { return !leaves_record(one); });
    if (!recorded.empty()) {
        calls.emplace_back(
            sql::record_released, shard, column(recorded, &ReleasedClaim::id),
            column(recorded, &ReleasedClaim::held), column(recorded, &ReleasedClaim::number),
            column(recorded, [](const ReleasedClaim& one) { return one.by.instance; }),
            column(recorded, [](const ReleasedClaim& one) { return as_text(one.reason); }),
            column(recorded, released_by_worker));
    }
    calls.emplace_back(sql::release_claims, shard, column(rows, &ReleasedClaim::id),
                       column(rows, &ReleasedClaim::held), column(rows, &ReleasedClaim::delay),
                       column(rows, obstacle_of));
    return calls;
}

Call finding_released(std::int16_t shard, std::span<const ReleasedClaim> all,
                      const std::vector<std::size_t>& indices) {
    const auto rows = chosen(all, indices);
    return Call{sql::released_before,
                shard,
                column(rows, &ReleasedClaim::id),
                column(rows, &ReleasedClaim::number),
                column(rows, [](const ReleasedClaim& one) { return one.by.instance; }),
                column(rows, &ReleasedClaim::held)};
}

}  // namespace sundial::postgres
