#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "application/ports/clock.hpp"
#include "application/ports/event_queue.hpp"
#include "application/ports/event_store.hpp"
#include "application/ports/failures.hpp"
#include "application/ports/lock_store.hpp"
#include "application/ports/pull_queue.hpp"
#include "application/ports/retention.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"
#include "sundial/embedding.hpp"
#include "sundial/sql.hpp"

namespace sundial::embedding {

/// The storage that the options name.
class Storage {
public:
    virtual ~Storage() = default;
    virtual Store& store() = 0;
    virtual EventQueue& queue() = 0;
    virtual PullQueue& pull_queue() = 0;
    virtual Clock& clock() = 0;
    virtual Feed& feed() = 0;
    virtual FeedMeter& feed_meter() = 0;
    /// Null for storage that ends with the process.
    virtual Retention* retention() = 0;
    /// Runs one statement of the program in `tx`. Throws StatementRefused.
    virtual SqlRows run_sql(sundial::Transaction& /*tx*/, const std::string& /*statement*/,
                            std::span<const SqlValue> /*values*/) {
        throw StatementRefused{{}, "the storage memory: has no SQL"};
    }
    /// Runs `work` in the transaction that the program has open on `callers`; keeps its changes if
    /// it returns true. Throws StatementRefused.
    virtual void join(pg_conn* /*callers*/,
                      const std::function<bool(sundial::Transaction&)>& /*work*/) {
        throw StatementRefused{{}, "the engine's storage is not a PostgreSQL database"};
    }
};

/// Opens the database that the options name. The components `sqlite` and `postgres` each define one
/// such function under a C name (storage.cpp); a program has those of the components it links.
using OpenDatabase = std::unique_ptr<Storage> (*)(const Options& options, base::Log& log);
/// The same for the locks at a lock server, in the component `redis`.
using OpenLocks = std::unique_ptr<LockStore> (*)(const Options& options, Store& store);

/// Throws CannotStart, Unavailable.
[[nodiscard]] std::unique_ptr<Storage> open_storage(const Options& options, base::Log& log);
/// The locks that the options name: rows in `store`, or a lock server with tokens that guard writes
/// to `store`. Throws CannotStart.
[[nodiscard]] std::unique_ptr<LockStore> open_lock_store(const Options& options, Store& store);

}  // namespace sundial::embedding
