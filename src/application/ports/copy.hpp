#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/ports/backup.hpp"

/// A copy of all data between a SQLite and a PostgreSQL database (ADR 0056). Rows travel in the
/// form of SQLite's tables; the PostgreSQL side converts them.
namespace sundial {

struct CopyColumn {
    enum class Kind : std::uint8_t { integer, text, json, bytes };
    std::string name;
    Kind kind = Kind::text;
};
struct CopyTable {
    std::string name;
    std::vector<CopyColumn> columns;
};
/// Integers as decimal text, bytes as they are.
using CopyRow = std::vector<std::optional<std::string>>;
/// `place`: the position of this row in the order of the source, from which a later read can
/// continue.
using TakeCopyRow = std::function<void(CopyRow&& row, const std::string& place)>;

/// By the name of the table.
using CopyNumbers = std::map<std::string, std::int64_t>;

/// Rows that the target cannot store.
struct CopyLoss {
    std::string what;
    std::int64_t rows = 0;
    bool refused = false;  // the copy must not continue
};

/// A source database, to which no program writes during the copy.
class CopySource {
public:
    virtual ~CopySource() = default;
    /// Differs between databases that were not made from each other.
    [[nodiscard]] virtual std::string identity() = 0;
    [[nodiscard]] virtual std::int64_t count(const CopyTable& table) = 0;
    /// The rows after `after`, in the order of their key; all rows if it is empty.
    virtual void read(const CopyTable& table, const std::string& after,
                      const TakeCopyRow& take) = 0;
    /// The greatest number that each table with numbered rows ever gave to one.
    [[nodiscard]] virtual CopyNumbers last_numbers() = 0;
    [[nodiscard]] virtual std::vector<CopyLoss> losses() = 0;
    /// The work of the first server on a copy. `claims_ended`: claims that the copy would end.
    [[nodiscard]] virtual RestoredWork work() = 0;
};

/// The target. The copy is not visible as a database before `publish`.
class CopyTarget {
public:
    struct Progress {
        std::string place{};  // of the last row; empty: none
        std::int64_t rows = 0;
        bool complete = false;
    };
    virtual ~CopyTarget() = default;
    /// The source of the partial copy that is here; empty: there is none.
    [[nodiscard]] virtual std::optional<std::string> started() = 0;
    /// Starts a copy, in place of a partial one.
    virtual void start(const std::string& source, const std::vector<CopyTable>& tables) = 0;
    [[nodiscard]] virtual std::map<std::string, Progress> progress() = 0;
    /// Stores rows and the progress of their table in one transaction.
    virtual void append(const CopyTable& table, const std::vector<CopyRow>& rows,
                        const Progress& progress) = 0;
    /// Puts the rows into the tables of the database. Calls `show` with the name of each.
    virtual void assemble(const std::vector<CopyTable>& tables, const CopyNumbers& last_numbers,
                          const std::function<void(const std::string&)>& show) = 0;
    /// The rows as a server will see them, after `assemble`.
    virtual void read(const CopyTable& table, const TakeCopyRow& take) = 0;
    /// Ends all claims and reports the work left.
    [[nodiscard]] virtual RestoredWork finish() = 0;
    /// Makes the copy the database, atomically. A failure before that leaves the partial copy.
    virtual void publish() = 0;
};

}  // namespace sundial
