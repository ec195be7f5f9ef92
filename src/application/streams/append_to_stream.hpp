#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/ports/secrets.hpp"
#include "application/ports/store.hpp"
#include "application/requests/results.hpp"
#include "base/result.hpp"
#include "domain/append.hpp"
#include "domain/error.hpp"
#include "domain/stream.hpp"

namespace sundial {

/// The types of Sundial's own streams.
namespace own_stream {
inline constexpr const char* user = "User";
inline constexpr const char* schedule = "Schedule";
inline constexpr const char* endpoint = "Endpoint";
inline constexpr const char* api_key = "ApiKey";
inline constexpr const char* calendar = "Calendar";
inline constexpr const char* event_audit = "EventAudit";          // see audit/action_audit.hpp
inline constexpr const char* operation_audit = "OperationAudit";  // the same
inline constexpr const char* endpoint_audit = "EndpointAudit";    // the same
inline constexpr const char* instance_audit = "InstanceAudit";    // the same
inline constexpr std::array<std::string_view, 9> types{
    user,        schedule,        endpoint,       api_key,       calendar,
    event_audit, operation_audit, endpoint_audit, instance_audit};
}  // namespace own_stream

/// Only Sundial's own changes write to the streams that record them. If a client appended to,
/// closed or archived such a stream, the next change would fail. Pointers begin with `at`.
[[nodiscard]] std::optional<FieldError> refuse_own_stream(const StreamId& stream,
                                                          const std::string& at = {});

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
    [[nodiscard]] StreamResult<Appended> run(const Append& requested);
    /// The same in a transaction of the caller's, which may go on after an error.
    [[nodiscard]] StreamResult<Appended> run(Transaction& tx, const Append& requested) const;
    /// All of them or none; each stream may be named once. Errors: each refused append, in their
    /// order.
    [[nodiscard]] base::Result<std::vector<Appended>, std::vector<RefusedAppend>> run_all(
        std::span<const Append> requested);

private:
    [[nodiscard]] std::vector<RecordedEvent> recorded(const Append& requested) const;

    Store& store_;
    const Digest& digest_;
};

}  // namespace sundial
