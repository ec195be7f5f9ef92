#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sundial {

/// A SHA-256 of bytes that arrive in parts.
class RunningDigest {
public:
    virtual ~RunningDigest() = default;
    virtual void add(std::string_view bytes) = 0;
    /// In hex. Call it once, after the last part.
    [[nodiscard]] virtual std::string finish() = 0;
};
using NewDigest = std::function<std::unique_ptr<RunningDigest>()>;

/// The content of a database or of a backup, and its faults.
struct DatabaseContent {
    int schema_version = 0;
    std::vector<std::pair<std::string, std::int64_t>> rows{};  // of each table
    std::vector<std::string> faults{};                         // empty: sound
};

struct RestoreTerms {
    bool replace = false;  // even if the target has events, users or streams
    bool dry_run = false;  // does everything but keep the result
};

/// The work of the first server after a restore.
struct RestoredWork {
    struct Backlog {
        std::string endpoint;
        std::int64_t events;
    };
    std::int64_t live = 0;                    // events that are not finished
    std::int64_t claims_ended = 0;            // whose outcome the backup does not know
    std::vector<Backlog> due{};               // sent at once, by endpoint
    std::optional<std::string> oldest_due{};  // UTC, to the second
};

}  // namespace sundial
