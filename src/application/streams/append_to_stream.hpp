#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "application/ports/digest.hpp"
#include "application/ports/store.hpp"
#include "base/result.hpp"
#include "domain/append.hpp"

namespace sundial {

/// The refused one of several appends, and the reason.
struct RefusedAppend {
    std::size_t index;
    Error error;
};

/// Appends batches of recorded events to streams. A batch is written completely or not at all, and
/// only if the stream has the expected version. Repeating a batch returns the first answer.
/// Thread-safe.
class AppendToStream {
public:
    AppendToStream(Store& store, const Digest& digest) : store_(store), digest_(digest) {}

    /// Errors: ValidationFailed, also for Sundial's own streams; PayloadTooLarge, EventIdReused,
    /// StreamOptimisticLock, StreamDeleted, StreamArchived. Throws Unavailable: repeating the call
    /// does no harm.
    [[nodiscard]] Result<Appended> run(const Append& wanted);
    /// The same in a transaction of the caller's, which may go on after an error.
    [[nodiscard]] Result<Appended> run(Transaction& tx, const Append& wanted) const;
    /// All of them or none; each stream may be named once. Errors: each refused append, in their
    /// order.
    [[nodiscard]] base::Result<std::vector<Appended>, std::vector<RefusedAppend>> run_all(
        std::span<const Append> wanted);

private:
    [[nodiscard]] std::vector<RecordedEvent> recorded(const Append& wanted) const;

    Store& store_;
    const Digest& digest_;
};

}  // namespace sundial
