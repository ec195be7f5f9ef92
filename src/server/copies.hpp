#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "application/ports/copy.hpp"
#include "base/log.hpp"
#include "server/backups.hpp"
#include "server/settings.hpp"

/// `sundial db copy` (ADR 0056).
namespace sundial::server {

struct CopyTerms {
    bool dry_run = false;  // checks, counts, and changes nothing
    bool restart = false;  // throws a partial copy away
};

struct CopyDone {
    struct Table {
        std::string name;
        std::int64_t rows = 0;
        std::string sha256{};  // of its rows in any order; empty in a dry run
    };
    std::vector<Table> tables{};
    std::int64_t rows = 0;         // of all tables
    std::int64_t rows_before = 0;  // that an interrupted copy had stored
    std::vector<CopyLoss> losses{};
    RestoredWork work{};
    std::chrono::milliseconds took{};
};

/// Copies the database of `source` into the empty one of `target`, which is of the other kind, or
/// goes on with an interrupted copy. Compares both by the digests of all rows before the copy
/// becomes the database. Throws CannotStart, Corrupt or Unavailable; then the target is still
/// empty, and a partial copy is kept.
CopyDone copy_database(const Settings& source, const Settings& target, const CopyTerms& terms,
                       const ShowProgress& show, base::Log& log);

}  // namespace sundial::server
