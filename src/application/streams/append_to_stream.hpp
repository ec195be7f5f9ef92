#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "application/ports/digest.hpp"
#include "application/ports/store.hpp"
#include "base/result.hpp"
#include "domain/append.hpp"

namespace sundial {

/// Which of several appends was refused, and why.
struct RefusedAppend {
    std::size_t index;
    Error error;
};

/// Writes facts into streams, each batch whole or not at all and only if the stream is where the
/// caller expects it; the same batch again is answered as the first time. Thread-safe.
class AppendToStream {
public:
    AppendToStream(Store& store, const Digest& digest) : store_(store), digest_(digest) {}

    /// Errors: ValidationFailed, also for a stream of Sundial's own; PayloadTooLarge,
    /// EventIdReused, StreamOptimisticLock, StreamDeleted, StreamArchived. Throws Unavailable: the
    /// same again does no harm.
    [[nodiscard]] Result<Appended> run(const Append& wanted);
    /// The same in a transaction of the caller's, which may go on after an error.
    [[nodiscard]] Result<Appended> run(Transaction& tx, const Append& wanted) const;
    /// All of them or none; streams may not be named twice. Errors: each that was refused, in their
    /// order.
    [[nodiscard]] base::Result<std::vector<Appended>, std::vector<RefusedAppend>> run_all(
        std::span<const Append> wanted);

private:
    [[nodiscard]] std::vector<RecordedEvent> recorded(const Append& wanted) const;

    Store& store_;
    const Digest& digest_;
};

}  // namespace sundial
