#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "adapters/postgres/answer.hpp"
#include "application/ports/endpoint_repository.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_repository.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/operation_repository.hpp"
#include "domain/api_key.hpp"
#include "domain/circuit.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/operation.hpp"
#include "domain/outcome.hpp"
#include "domain/schedule.hpp"
#include "domain/stream.hpp"
#include "domain/user.hpp"

/// Converts rows to values, and values to the texts that represent them in rows. Columns are found
/// by name, so a statement may use `SELECT *`. Readers throw Corrupt for a value that no version of
/// Sundial wrote.

namespace sundial::postgres {

[[nodiscard]] std::vector<Event> events_in(const Answer& rows);
[[nodiscard]] std::vector<User> users_in(const Answer& rows);
[[nodiscard]] std::vector<Schedule> schedules_in(const Answer& rows);
[[nodiscard]] std::vector<SkippedRun> skipped_runs_in(const Answer& rows);
[[nodiscard]] std::vector<Endpoint> endpoints_in(const Answer& rows);
[[nodiscard]] std::vector<Circuit> circuits_in(const Answer& rows);
[[nodiscard]] std::vector<Operation> operations_in(const Answer& rows);
[[nodiscard]] std::vector<ApiKey> api_keys_in(const Answer& rows);
/// Reads the columns number, subject, subject_id, code, detail.
[[nodiscard]] std::vector<NumberedFailure> operation_failures_in(const Answer& rows);
/// Reads the first eighteen columns, in the order of RecordedEvent's members.
[[nodiscard]] std::vector<RecordedEvent> recorded_events_in(const Answer& rows);
[[nodiscard]] std::vector<InboxRequest> inbox_requests_in(const Answer& rows);
/// Reads the answer of attempts_of.
[[nodiscard]] std::vector<AttemptRecord> attempts_in(const Answer& rows, EventId event);
/// Reads the columns of sundial.attempts.
[[nodiscard]] std::vector<EndedAttempt> ended_attempts_in(const Answer& rows);

/// A claim of another holder whose lease has expired, or whose holder is dead.
struct LostClaim {
    EventId id;
    Version held;
};
struct ClaimAnswer {
    Claimed claimed;
    std::vector<LostClaim> lost;  // not claimed
};
/// Who claims, and which claims of others count as lost.
struct ClaimTerms {
    std::int16_t shard;
    Claimant by;
    std::chrono::microseconds lease;
    std::optional<std::int64_t> server{};  // whose clock may declare leases expired (claim_ready)
    DeadInstances dead{};
};
/// The answer of a claim statement of these terms, run at `now` at the earliest.
[[nodiscard]] ClaimAnswer claimed_in(const Answer& rows, Instant now, const ClaimTerms& terms);
/// Parameters of claim statements: the priorities to claim and the number of events of each.
struct RowShares {
    std::vector<std::int16_t> priorities;
    std::vector<std::int32_t> shares;
};
[[nodiscard]] RowShares row_shares(const std::array<std::uint32_t, 4>& shares);
/// Null for an instance's own claim.
[[nodiscard]] inline std::optional<std::string> worker_of(const Claimant& claimant) {
    return claimant.worker.empty() ? std::nullopt : std::optional{claimant.worker};
}

[[nodiscard]] EventStatus event_status(const std::string& text);
[[nodiscard]] OperationKind operation_kind(const std::string& text);
[[nodiscard]] std::string_view name_of(RetryPolicy::Kind kind);
/// The first value, if any.
template <class T>
[[nodiscard]] std::optional<T> first_of(std::vector<T> values) {
    if (values.empty()) return std::nullopt;
    return std::move(values.front());
}
/// One column of all rows: `column_of<T>(rows, 0)`.
template <class T>
[[nodiscard]] std::vector<T> column_of(const Answer& rows, int column) {
    std::vector<T> values;
    values.reserve(rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) values.push_back(rows.get<T>(row, column));
    return values;
}
/// A map from rows of a text and an id.
template <class Id>
[[nodiscard]] std::map<std::string, Id> ids_by_text(const Answer& rows) {
    std::map<std::string, Id> ids;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        ids.emplace(rows.get<std::string>(row, 0), rows.get<Id>(row, 1));
    }
    return ids;
}
/// For columns of type text: replaces bytes of external input that PostgreSQL rejects (not UTF-8,
/// or zero) by '?', so that they cannot prevent the rest from being written.
[[nodiscard]] std::string as_text(std::string text);

// For the readers.

/// The places of an answer's columns, found by name. Each name is looked up once.
class ColumnPlaces {
public:
    explicit ColumnPlaces(const Answer& rows) : rows_{rows} {}

    /// Names are literals, found by their address. Every row asks for the same ones in the same
    /// order, so the next one is usually the right one.
    [[nodiscard]] Column find(const char* name) {
        for (std::size_t tried = 0; tried < known_.size(); ++tried) {
            if (next_ == known_.size()) next_ = 0;
            const auto& [known, place] = known_[next_++];
            if (known == name) return place;
        }
        next_ = known_.size() + 1;
        return known_.emplace_back(name, rows_.column(name)).second;
    }
    /// The column `name`, which must exist.
    [[nodiscard]] int at(const char* name) {
        const Column found = find(name);
        if (!found) throw Corrupt{std::string{"PostgreSQL sent no column "} + name};
        return *found;
    }

private:
    const Answer& rows_;
    std::vector<std::pair<const char*, Column>> known_;
    std::size_t next_ = 0;
};

/// One row of an answer.
class Row {
public:
    Row(const Answer& rows, ColumnPlaces& places, std::size_t number)
        : rows_{rows}, places_{places}, number_{number} {}

    /// The value of the column `name`, a literal.
    template <class T>
    [[nodiscard]] T get(const char* name) const {
        return rows_.get<T>(number_, places_.at(name));
    }
    template <class T>
    [[nodiscard]] T get(int column) const {
        return rows_.get<T>(number_, column);
    }
    [[nodiscard]] bool has(const char* name) const { return places_.find(name).has_value(); }

private:
    const Answer& rows_;
    ColumnPlaces& places_;
    std::size_t number_;
};

/// `make(row)` for each row.
template <class Make>
[[nodiscard]] auto each_row(const Answer& rows, Make make) {
    ColumnPlaces places{rows};
    std::vector<std::invoke_result_t<Make&, const Row&>> values;
    values.reserve(rows.size());
    for (std::size_t number = 0; number < rows.size(); ++number) {
        values.push_back(make(Row{rows, places, number}));
    }
    return values;
}

/// Parses a text that must be one of our names.
template <class Parse>
auto read_name(Parse parse, const std::string& text) {
    auto value = parse(text);
    if (!value) throw Corrupt{"PostgreSQL holds '" + text + "', which this program does not know"};
    return *value;
}

inline Priority priority_of(std::int16_t number) {
    if (number < 0 || number > 3) {
        throw Corrupt{"PostgreSQL holds priority " + std::to_string(number)};
    }
    return static_cast<Priority>(number);
}

}  // namespace sundial::postgres
