#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/log.hpp"
#include "bench/measurement.hpp"
#include "server/database.hpp"

namespace sundial::bench {

/// How many events there are, counted one by one.
struct Stock {
    std::uint64_t live = 0;
    std::uint64_t completed = 0;
    std::uint64_t other = 0;  // FAILED, CANCELLED
};

/// A database of the benchmark's own, empty at first, gone with this object. On PostgreSQL it lies
/// beside the one that the URL names, on the same server: the product's statements name their
/// schema, so a schema of its own would not do.
class ScratchDatabase {
public:
    /// `db`: a SQLite file that is not there yet, postgresql://…, or empty for a temporary file.
    /// Throws CannotStart, Unavailable.
    [[nodiscard]] static std::unique_ptr<ScratchDatabase> make(const std::string& db,
                                                               base::Log& log);
    ScratchDatabase() = default;
    virtual ~ScratchDatabase() = default;
    ScratchDatabase(const ScratchDatabase&) = delete;
    ScratchDatabase& operator=(const ScratchDatabase&) = delete;

    /// As `storage.url` takes it.
    [[nodiscard]] virtual const std::string& url() const = 0;
    /// `opened` is this database.
    [[nodiscard]] virtual Stock stock(server::Database& opened) = 0;
    /// What was prepared is on disk, and the planner knows of it: the run pays for neither.
    virtual void tidy() = 0;
    /// Database's CPU, and bytes of its log.
    [[nodiscard]] virtual Usage usage() = 0;
    /// A read transaction, open as long as what is returned lives.
    [[nodiscard]] virtual std::shared_ptr<void> hold_snapshot() = 0;

    void keep() { kept_ = true; }

protected:
    [[nodiscard]] bool kept() const { return kept_; }

private:
    bool kept_ = false;
};

}  // namespace sundial::bench
