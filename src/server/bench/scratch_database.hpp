#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/log.hpp"
#include "server/bench/measurement.hpp"
#include "server/database.hpp"

namespace sundial::bench {

/// Numbers of events, counted one by one.
struct Stock {
    std::uint64_t live = 0;
    std::uint64_t completed = 0;
    std::uint64_t other = 0;  // FAILED, CANCELLED
};

/// A database for the benchmark only: created empty, dropped by the destructor. On PostgreSQL it is
/// a separate database on the server that the URL names. A separate schema is not enough, because
/// the product's statements name their schema.
class ScratchDatabase {
public:
    /// `db`: a new SQLite file, postgresql://…, or empty for a temporary file. Throws CannotStart,
    /// Unavailable.
    [[nodiscard]] static std::unique_ptr<ScratchDatabase> make(const std::string& db,
                                                               base::Log& log);
    ScratchDatabase() = default;
    virtual ~ScratchDatabase() = default;
    ScratchDatabase(const ScratchDatabase&) = delete;
    ScratchDatabase& operator=(const ScratchDatabase&) = delete;

    /// In the format of `storage.url`.
    [[nodiscard]] virtual const std::string& url() const = 0;
    /// `opened` must be this database.
    [[nodiscard]] virtual Stock stock(server::Database& opened) = 0;
    /// Writes the prepared rows to disk and updates the planner's statistics, so that the run pays
    /// for neither.
    virtual void tidy() = 0;
    /// The database's CPU, and the bytes of its log.
    [[nodiscard]] virtual Usage usage() = 0;
    /// A read transaction, open as long as the returned object lives.
    [[nodiscard]] virtual std::shared_ptr<void> hold_snapshot() = 0;

    void keep() { kept_ = true; }

protected:
    [[nodiscard]] bool kept() const { return kept_; }

private:
    bool kept_ = false;
};

}  // namespace sundial::bench
