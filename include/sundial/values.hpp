#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

/// The values that both an engine (`sundial/engine.hpp`) and a client of a server
/// (`sundial/remote.hpp`) take and return. Those headers bring them into namespace `sundial`:
/// include one of them.
namespace sundial::embedding {

/// UTC with the resolution of the databases.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

/// Of events that are due at the same time, the most urgent are handled first; LOW ones are never
/// left behind. Holds among the events of one queue, or of one type.
enum class Priority : std::uint8_t { critical, high, normal, low };

/// A person with a birthday.
struct NewUser {
    std::string first_name;     // 1 to 255 characters
    std::string last_name;      // 1 to 255 characters
    std::string date_of_birth;  // "1992-02-29"
    std::string timezone;       // where the person lives: "Europe/Paris"
    std::string external_id{};  // your own id, unique; may be empty
    /// Further dates for yearly schedules and templates, at most 50: "anniversary", "2015-06-01".
    std::map<std::string, std::string> dates{};
    /// Texts for templates, at most 50 of 1,000 characters.
    std::map<std::string, std::string> metadata{};
};
/// A stored user.
struct User {
    std::string id;  // a UUID
    /// 1 to 255 characters.
    std::string first_name;
    /// 1 to 255 characters.
    std::string last_name;
    /// "1992-02-29".
    std::string date_of_birth;
    /// Where the person lives: "Europe/Paris".
    std::string timezone;
    /// Your own id; empty: none.
    std::string external_id;
    /// Grows by one with every change.
    std::uint64_t version = 0;
    /// Further dates: "anniversary", "2015-06-01".
    std::map<std::string, std::string> dates{};
    /// Texts for templates.
    std::map<std::string, std::string> metadata{};
};
/// The changes of a user. Empty fields stay. A new zone or date moves the user's PENDING events.
struct UserChange {
    /// 1 to 255 characters.
    std::optional<std::string> first_name{};
    /// 1 to 255 characters.
    std::optional<std::string> last_name{};
    /// "1992-02-29".
    std::optional<std::string> date_of_birth{};
    /// Where the person lives: "Europe/Paris".
    std::optional<std::string> timezone{};
    std::optional<std::string> external_id{};  // an empty text removes it
    /// Each sets one date, or removes it if the value is empty.
    std::map<std::string, std::optional<std::string>> dates{};
    /// Each sets one text, or removes it if the value is empty.
    std::map<std::string, std::optional<std::string>> metadata{};
};

/// Something to happen once: at an instant, or at a local time in a zone. Set one of the two. A
/// local time stays that local time even if the zone's offset changes before it is reached. An
/// instant in the past is due at once.
struct NewEvent {
    std::string type;               // selects the handler: "REMINDER"
    std::optional<Instant> at{};    // either this, or
    std::string local_time{};       // "2027-01-05T09:00:00"
    std::string timezone{};         // with "America/New_York"; empty: the user's
    std::string payload = "{}";     // kept and passed on byte for byte; at most 256 KiB
    std::string user_id{};          // the user it belongs to; may be empty
    std::string idempotency_key{};  // [A-Za-z0-9_-]{1,128}; empty: generated
    std::string queue{};  // the queue whose workers claim it; empty: the handler of its type
    /// Urgency among the events of its queue or type.
    Priority priority = Priority::normal;
    /// Instead of `queue`: the endpoint that it is sent to, by its id, or "ext:" and its name.
    std::string endpoint{};
    /// W3C Trace Context of the work that creates it; ignored if it is not valid.
    std::string traceparent{};
};
/// The due time of an event that another program scheduled by SQL at a local time, until a server
/// has found the instant.
inline constexpr Instant no_instant = Instant::max();

/// A stored event.
struct Event {
    /// A UUID.
    std::string id;
    /// The type, which selects the handler.
    std::string type;
    std::string status;           // PENDING, PROCESSING, COMPLETED, FAILED or CANCELLED
    std::string payload;          // of a birthday: {"message":"Hey, Ada Li it's your birthday"}
    std::string idempotency_key;  // the same for all attempts, and never reused
    std::string user_id;          // may be empty
    Instant due;  // `no_instant` while a server has not found the instant of a local time
    std::uint32_t attempt = 0;   // number of the latest attempt, from 1
    std::string failure_reason;  // why it FAILED or was CANCELLED
    std::uint64_t version = 0;  // grows by one with every change; fences the claim that returned it
    /// Urgency among the events of its queue or type.
    Priority priority = Priority::normal;
    std::uint32_t retry_count = 0;  // attempts that failed or were lost
    /// The obstacle that it waits for: RETRY, CIRCUIT, LIMIT, ENDPOINT or SCHEDULE. Empty if it is
    /// finished or claimed, or waits for its due time only.
    std::string waiting_for{};
    std::optional<Instant> next_attempt{};  // of an event that waits for a retry or an obstacle
    /// W3C Trace Context of its latest attempt, for calls of its handler. It belongs to the trace
    /// of the work that created the event, if that has one. Before the first attempt: that of this
    /// work.
    std::string traceparent{};
};

/// Events that match all fields that are set. An empty list matches every value.
struct EventFilter {
    std::vector<std::string> statuses{};  // "PENDING", "FAILED", …
    /// Types of events.
    std::vector<std::string> types{};
    /// Priorities of events.
    std::vector<Priority> priorities{};
    std::string user_id{};   // or "ext:" and your own id
    std::string schedule{};  // its name
    /// The name of a queue.
    std::string queue{};
    /// The range of their due time.
    std::optional<Instant> due_from{}, due_to{};  // from inclusive, to exclusive
    bool dead_letters = false;                    // FAILED, and not dismissed
};
/// The part of a list to return. Events are in the order of their due time, and other objects in
/// that of their creation.
struct PageOptions {
    std::size_t limit = 50;  // 1 to 500
    /// Descending order instead of ascending.
    bool latest_first = false;
    std::string after{};  // `next` of the page before
};
/// A part of a list of events.
struct EventPage {
    /// In the order of their due time.
    std::vector<Event> events;
    std::string next{};  // for the next page; empty: this is the last one
};

/// The changes of a PENDING event. Empty fields stay.
struct EventChange {
    std::optional<Instant> at{};  // or
    std::string local_time{};     // in `timezone`, or in the event's
    /// The zone of `local_time`; empty: that of the event.
    std::string timezone{};
    /// The new payload, JSON.
    std::optional<std::string> payload{};
    /// The new urgency among the events of its queue or type.
    std::optional<Priority> priority{};
};

/// Identifies a stream by the object whose history it is.
struct StreamId {
    std::string type;  // "Order": [A-Za-z0-9_.-]{1,128}
    std::string id;    // 1 to 255 bytes of UTF-8 without control characters
    friend bool operator==(const StreamId&, const StreamId&) = default;
};

/// The version that a stream must have for an append to succeed. A stream's version is the number
/// of events ever appended to it; 0: none yet.
class Expected {
public:
    /// The stream may contain anything.
    static constexpr Expected any() { return Expected{-1}; }
    /// The stream has no event yet.
    static constexpr Expected no_stream() { return Expected{0}; }
    /// The stream has an event, at any version.
    static constexpr Expected stream_exists() { return Expected{-2}; }
    /// The append refuses a version that no stream can have (VALIDATION_FAILED), such as
    /// `exactly(version - 1)` of version 0.
    static constexpr Expected exactly(std::uint64_t version) {
        using Version = std::numeric_limits<std::int64_t>;
        return Expected{version <= Version::max() ? static_cast<std::int64_t>(version)
                                                  : Version::min()};
    }
    /// The number in `Conflict::expected`.
    [[nodiscard]] constexpr std::int64_t number() const { return number_; }

private:
    explicit constexpr Expected(std::int64_t number) : number_(number) {}
    std::int64_t number_;
};

/// Data that accompanies an event without being part of it: two appends that differ only here are
/// the same.
struct EventMetadata {
    /// The time at which it happened; empty: when it was stored.
    std::optional<Instant> occurred_at{};
    std::string correlation_id{};  // empty: that of its cause, or the first event of the batch
    /// The id of the event or command that caused it; may be empty.
    std::string causation_id{};
    /// The person or program that caused it; may be empty.
    std::string actor{};
    /// The owner of the data; may be empty.
    std::string tenant{};
    /// W3C Trace Context of its cause; may be empty.
    std::string traceparent{};
    std::string headers{};  // a JSON object of your own, or empty
};

/// An event to append.
struct NewRecordedEvent {
    std::string type;         // "OrderPlaced"
    std::string data = "{}";  // one JSON value of at most 256 KiB, kept byte for byte
    /// The schema version of `data`.
    std::uint32_t schema_version = 1;
    std::string id{};  // a UUID; your own makes the append repeatable; empty: generated
    /// Data that events of all types have.
    EventMetadata metadata{};
};
/// A stored event.
struct RecordedEvent {
    /// The stream that contains it.
    StreamId stream;
    std::uint64_t version = 0;   // in its stream, from 1
    std::uint64_t position = 0;  // in the feed
    /// A UUID.
    std::string id{};
    /// The type of the event: "OrderPlaced".
    std::string type{};
    /// The schema version of `data`.
    std::uint32_t schema_version = 1;
    std::string data{};  // empty after erasure
    /// Data that events of all types have.
    EventMetadata metadata{};
    /// The time at which it was stored.
    Instant recorded_at{};
    bool redacted = false;        // its data was replaced
    bool stream_deleted = false;  // set in the feed only
};

/// The place of the events of an append.
struct Appended {
    std::uint64_t first_version = 0;    // in the stream
    std::uint64_t last_version = 0;     // of the last one
    std::uint64_t first_position = 0;   // in the feed
    std::uint64_t last_position = 0;    // of the last one
    std::uint64_t current_version = 0;  // greater than `last_version` if the stream has grown since
    bool replayed = false;              // the same batch had been stored before
};

/// Versions `from` to `to`, both included; the newest first if `backward`.
struct StreamRange {
    /// The first version, inclusive.
    std::uint64_t from = 1;
    /// The last version, inclusive.
    std::uint64_t to = std::numeric_limits<std::int64_t>::max();
    /// Returns the newest first.
    bool backward = false;
    std::size_t limit = 500;  // 1 to 10,000
};
/// Events of one stream, and the state of the stream.
struct StreamPart {
    std::uint64_t version = 0;           // of the whole stream; 0: nothing was ever appended
    std::uint64_t truncated_before = 0;  // events below are erased
    /// No event can be appended until it is restored.
    bool archived = false;
    /// In the order of the range.
    std::vector<RecordedEvent> events;
};

}  // namespace sundial::embedding

#pragma GCC visibility pop
