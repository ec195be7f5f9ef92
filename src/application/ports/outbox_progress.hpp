#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/id_ranges.hpp"
#include "domain/ids.hpp"
#include "domain/time/types.hpp"

namespace sundial {

/// How far an intake has come: the rows of an application's outbox that were scheduled or refused.
struct OutboxState {
    std::string name;       // of the intake, in the settings
    std::string source{};   // the place of the table, without credentials
    std::string failure{};  // why the table cannot be read; empty: it can
    Instant changed_at{};   // since when it can or cannot
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;  // of the rows taken
    std::optional<std::int64_t> last_id{};
    std::optional<Instant> taken_at{};
    std::optional<InstanceId> followed_by{};
    Instant lease_ends{};  // until then no other instance follows
    friend bool operator==(const OutboxState&, const OutboxState&) = default;
};

/// A row that cannot be carried out. It counts as taken.
struct RefusedRow {
    std::int64_t id;
    std::string kind;
    std::string code;  // as the API would answer
    std::string detail;
    std::string errors;  // of the fields: a JSON array of {"pointer", "code", "message"}
    Instant refused_at;
    friend bool operator==(const RefusedRow&, const RefusedRow&) = default;
};

/// Ids of rows that were taken, and when that part of the record last changed.
struct TakenRange {
    IdInterval ids;
    Instant changed_at;
    friend bool operator==(const TakenRange&, const TakenRange&) = default;
};

/// The progress of all intakes, inside one transaction. The ids taken are ranges: ascending,
/// disjoint, never adjacent.
class OutboxProgress {
public:
    virtual ~OutboxProgress() = default;
    /// Adds the intake, unless it exists.
    virtual void declare(const OutboxState& fresh) = 0;
    /// Empty if it does not exist, or if another transaction has locked it: never waits.
    [[nodiscard]] virtual std::optional<OutboxState> try_lock(const std::string& name) = 0;
    /// Only for a locked intake, as all changes below.
    virtual void update(const OutboxState& state) = 0;
    /// By name, after `after`.
    [[nodiscard]] virtual std::vector<OutboxState> list(const std::optional<std::string>& after,
                                                        std::size_t limit) = 0;

    /// The ranges with the greatest ids, ascending.
    [[nodiscard]] virtual std::vector<TakenRange> newest_taken(const std::string& name,
                                                               std::size_t limit) = 0;
    /// The next ranges whose first id is greater than `after`; empty: from the beginning.
    [[nodiscard]] virtual std::vector<TakenRange> taken_after(const std::string& name,
                                                              std::optional<std::int64_t> after,
                                                              std::size_t limit) = 0;
    /// The ranges that have ids of `ids`, or are adjacent to them.
    [[nodiscard]] virtual std::vector<TakenRange> taken_near(const std::string& name,
                                                             IdInterval ids) = 0;
    virtual void change_taken(const std::string& name, const RangeChanges& changes,
                              Instant now) = 0;

    virtual void refuse(const std::string& name, std::span<const RefusedRow> rows) = 0;
    /// By id, after `after`.
    [[nodiscard]] virtual std::vector<RefusedRow> refused_after(const std::string& name,
                                                                std::optional<std::int64_t> after,
                                                                std::size_t limit) = 0;
    virtual void forget_refused(const std::string& name, std::span<const std::int64_t> ids) = 0;
};

}  // namespace sundial
