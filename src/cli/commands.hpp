#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/ports/clock.hpp"
#include "application/ports/time_zones.hpp"
#include "cli/http_client.hpp"
#include "cli/output.hpp"
#include "domain/time/types.hpp"

/// The commands that use the REST API. Results go to `out`, refusals to `err`; the answer is the
/// exit code: 0 ok · 1 failure · 2 usage · 3 not found · 4 conflict · 5 not authenticated or not
/// allowed. The caller checks whether `out` could be written. Commands that print page after page
/// stop early if it could not.
namespace sundial::cli {

/// Waits until the operation ends: 0 COMPLETED, 7 with rows that failed, 1 FAILED or STOPPED, 8
/// after the timeout. Progress goes to `err`.
[[nodiscard]] int wait_for_operation(const HttpClient& client, const std::string& id,
                                     const WaitOptions& wait_options, const Output& output);
// The commands for events and dead letters.

/// Selects events: ids, or filters with the API's names.
struct EventChoice {
    std::vector<std::string> ids{};
    std::vector<std::pair<std::string, std::string>> filters{};
};

/// Every dead letter, one JSON object per line.
[[nodiscard]] int export_dead_letters(const HttpClient& client, const EventChoice& choice,
                                      const Output& output);
/// `new_key`: also for a COMPLETED event; its receiver treats it as another event.
[[nodiscard]] int retry_event(const HttpClient& client, const std::string& id, bool new_key,
                              const Output& output);
[[nodiscard]] int cancel_event(const HttpClient& client, const std::string& id,
                               const Output& output);

/// One action on many events or schedules.
struct BulkOrder {
    enum class Resource : std::uint8_t { events, schedules };
    Resource resource = Resource::events;
    std::string action;  // retry, cancel, dismiss, reschedule; pause, resume, tag, delete
    EventChoice choice;
    /// Of a reschedule, with the API's names: `shift`, or a target.
    std::vector<std::pair<std::string, std::string>> set{};
    std::vector<std::string> add_tags{}, remove_tags{};  // of tag
    std::uint32_t per_second = 0;                        // 0: the server's default
    std::string note{};                                  // of a dismissal or a pause; empty: none
    bool dry_run = false;                                // only shows the affected events
    bool yes = false;                                    // does not ask for confirmation
    bool wait = true;                                    // until the operation ends
};
/// Asks, starts the operation, and waits for its end. Exit codes as of `wait_for_operation`; 2 if
/// there is no terminal to ask, 1 if the user declines.
[[nodiscard]] int run_bulk(const HttpClient& client, const BulkOrder& order, const Person& person,
                           const WaitOptions& wait_options, const Output& output);

/// Events as lines of JSON, each in the format of `POST /v1/events`, at most 64 KiB.
struct EventFile {
    std::istream& lines;
    std::string name;                 // for messages
    std::string key;                  // prefix of the requests' Idempotency-Keys; unique per import
    std::ostream* refused = nullptr;  // gets each refused line, unchanged
    std::size_t requests = 4;         // concurrent requests
    bool dry_run = false;             // only reads the lines, and sends nothing
    std::uint64_t bytes = 0;          // in all, for the time that is left; 0: unknown
};

/// Stores the events, a thousand per request. Each request has an Idempotency-Key, so a request
/// without a response is repeated without harm. If the same file is imported again, events with a
/// key of their own are found as already stored. The defect of a line goes to `err` with its
/// number. Returns 0 if all are stored, 7 if some lines were refused, and the API's code if it
/// refused everything. Throws Unreachable if the server has not responded for half a minute, and
/// reports how many are stored.
[[nodiscard]] int import_events(const HttpClient& client, const EventFile& file,
                                const WaitOptions& wait_options, const Output& output);

// Locks.

struct LockToAcquire {
    std::string name;
    std::string holder;
    std::string ttl = "PT30S";
    std::string wait = "PT0S";  // PT60S at most
};

[[nodiscard]] std::string lock_path(const std::string& name);
[[nodiscard]] std::string acquire_body(const LockToAcquire& requested);
[[nodiscard]] std::string renew_body(const std::string& lock_token, const std::string& ttl);
[[nodiscard]] CallOptions showing(const std::string& lock_token);

struct LockedRun {
    std::string name;
    std::string holder;
    std::chrono::seconds ttl{30};
    std::chrono::seconds wait{0};
    std::vector<std::string> command;
};

/// Where a command that runs under a lock finds its fencing token.
inline constexpr std::string_view fencing_token_variable = "SUNDIAL_FENCING_TOKEN";

/// Runs a command under a lock, and renews the lock at a third of its lease. When the lock must be
/// considered lost, the command gets SIGTERM, and SIGKILL before another holder can get the lock.
/// Returns the command's exit code, or 4 if another holder has the lock.
[[nodiscard]] int run_under_lock(const HttpClient& client, const LockedRun& run,
                                 const MonotonicClock& monotonic, const Output& output);

// The feed.

struct FeedToFollow {
    std::uint64_t after = 0;
    std::string type{};  // of streams; empty: all
    bool wait = true;    // follow the feed forever; else print only the events that exist now
};
/// The events of the feed, in its order; with --json one document per line. Calls `goes_on` before
/// each request.
[[nodiscard]] int follow_feed(const HttpClient& client, const FeedToFollow& requested,
                              const std::function<bool()>& goes_on, const Output& output);

// `sundial key …`. The show functions print an answer of the API, whether a server gave it or the
// command produced it from the database.

struct KeyToCreate {
    std::string name;
    std::string role;        // READ, WRITE or ADMIN
    std::string expires_at;  // RFC 3339; empty: never
};
[[nodiscard]] Answer create_key(const HttpClient& client, const KeyToCreate& requested);
/// All keys, collected from all pages.
[[nodiscard]] Answer list_keys(const HttpClient& client);
/// By its id or its ten characters.
[[nodiscard]] Answer revoke_key(const HttpClient& client, const std::string& id);

/// Prints the key, which is shown only now.
[[nodiscard]] int show_created_key(const Answer& answer, const Output& output);
/// A table of all, or CSV.
[[nodiscard]] int show_keys(const Answer& answer, bool csv, const Output& output);
/// The row of the key with this id or these ten characters; exit code 3 if there is none.
[[nodiscard]] int show_key(const Answer& answer, const std::string& id, const Output& output);
[[nodiscard]] int show_revoked_key(const Answer& answer, const Output& output);

// `sundial zone`: the contents of a tz database, for people. Calls no server. Returns the exit
// code: 0; 2 if a flag or a time is invalid; 3 if a zone does not exist.

/// Names with their current offsets and next changes; `part` is part of the name, in any case.
[[nodiscard]] int list_zones(const std::string& part, const TzData& zones, Instant now,
                             const Output& output);

struct ZoneShowOptions {
    std::string zone{};
    std::string from{};  // an instant; empty: now
    std::string to{};    // an instant; empty: three years later
};
/// One zone's changes of offset, and their effects on the clock.
[[nodiscard]] int show_zone(const ZoneShowOptions& options, const TzData& zones, Instant now,
                            const Output& output);

struct ZoneConvertOptions {
    std::string time{};             // local, or an instant
    std::string from{};             // its zone; may be in the time's own brackets
    std::vector<std::string> to{};  // empty: UTC
    std::string gap = "compatible";
    std::string overlap = "compatible";
};
/// The same moment on other clocks; reports a local time that does not exist or occurs twice.
[[nodiscard]] int convert_time(const ZoneConvertOptions& options, const TzData& zones,
                               const Output& output);

struct ZoneDiffOptions {
    std::string from{};  // an instant; empty: now
    std::string to{};    // an instant; empty: ten years later
};
/// The zones whose times differ between `before` and `after`, and since when.
[[nodiscard]] int diff_zones(const ZoneDiffOptions& options, const TzData& before,
                             const TzData& after, Instant now, const Output& output);

}  // namespace sundial::cli
