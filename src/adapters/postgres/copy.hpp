#pragma once

#include <memory>
#include <string>
#include <vector>

#include "application/ports/copy.hpp"

/// PostgreSQL as the source or the target of a copy (ADR 0056).
namespace sundial::postgres {

class PostgresCopySource : public CopySource {
public:
    /// Reads in one snapshot, and lets nothing write until it is closed. Throws CannotStart if an
    /// instance uses the database.
    [[nodiscard]] static std::unique_ptr<PostgresCopySource> open(const std::string& url);
    /// The tables that a copy carries.
    [[nodiscard]] virtual std::vector<CopyTable> tables() = 0;
};

/// The partial copy lies in the schema `sundial_copy`, whose tables have the columns of SQLite's.
class PostgresCopyTarget : public CopyTarget {
public:
    /// Throws CannotStart if the database has data, or if an instance or another copy uses it.
    [[nodiscard]] static std::unique_ptr<PostgresCopyTarget> open(const std::string& url);
    [[nodiscard]] virtual std::vector<CopyTable> tables() = 0;
};

}  // namespace sundial::postgres
