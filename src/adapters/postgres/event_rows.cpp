#include "adapters/postgres/row_reader.hpp"
#include "adapters/postgres/rows.hpp"
#include "domain/time/policies.hpp"

namespace sundial::postgres {
namespace {

/// A pull worker's claim has both, an instance's own claim only the first.
std::optional<Claimant> claimant(std::optional<InstanceId> instance,
                                 std::optional<std::string> worker) {
    if (!instance) return std::nullopt;
    return Claimant{*instance, std::move(worker).value_or("")};
}

/// Reads events of the live table, the history, or both.
class EventReader {
public:
    explicit EventReader(const Answer& rows) : rows_{rows}, reader_{rows} {}

    [[nodiscard]] Event operator()(std::size_t row) const {
        return {.id = get<EventId>(row, id_),
                .key = get<IdempotencyKey>(row, key_),
                .type = get<std::string>(row, type_),
                .priority = priority_of(get<std::int16_t>(row, priority_)),
                .user = get<std::optional<UserId>>(row, user_),
                .endpoint = get<std::optional<EndpointId>>(row, endpoint_),
                .occurrence = occurrence(row),
                .intent = {.wall = get<std::optional<WallTime>>(row, wall_),
                           .zone = get<std::string>(row, zone_),
                           .gap = read_name(gap_policy, get<std::string>(row, gap_)),
                           .overlap = read_name(overlap_policy, get<std::string>(row, overlap_))},
                .due = get<Instant>(row, due_),
                .jitter = get<std::chrono::microseconds>(row, jitter_),
                .tz_release = get<std::string>(row, tz_release_),
                .payload = get<std::string>(row, payload_),
                .claimable_at = claimable_at(row),
                .obstacle = obstacle(row),
                .version = get<Version>(row, version_),
                .attempt = get<Attempt>(row, attempt_),
                .retry_count = get<std::uint32_t>(row, retry_count_),
                .retry_of = get<std::optional<EventId>>(row, retry_of_),
                .first_attempt_at = get<std::optional<Instant>>(row, first_attempt_at_),
                .dismissed_at =
                    dismissed_at_ ? get<std::optional<Instant>>(row, *dismissed_at_) : std::nullopt,
                .created_at = get<Instant>(row, created_at_),
                .updated_at = get<Instant>(row, updated_at_),
                .state = state(row)};
    }

private:
    template <class T>
    [[nodiscard]] T get(std::size_t row, int column) const {
        return rows_.get<T>(row, column);
    }

    [[nodiscard]] std::optional<Occurrence> occurrence(std::size_t row) const {
        const auto schedule = get<std::optional<ScheduleId>>(row, schedule_);
        if (!schedule) return std::nullopt;
        return Occurrence{
            *schedule,
            get<Version>(row, schedule_version_),
            {get<Date>(row, nominal_), get<std::chrono::microseconds>(row, nominal_time_),
             get<bool>(row, second_pass_)},
            read_name(parse_origin, get<std::string>(row, origin_))};
    }

    /// For a claimed event of the live table this is the end of the lease.
    [[nodiscard]] Instant claimable_at(std::size_t row) const {
        const bool claimed = lease_ends_ && get<std::optional<InstanceId>>(row, claimed_by_);
        return get<Instant>(row, claimed ? *lease_ends_ : claimable_at_);
    }

    [[nodiscard]] std::optional<Obstacle> obstacle(std::size_t row) const {
        const auto name = get<std::optional<std::string>>(row, obstacle_);
        return name ? std::optional{read_name(parse_obstacle, *name)} : std::nullopt;
    }

    [[nodiscard]] EventState state(std::size_t row) const {
        const auto status = event_status(get<std::string>(row, status_));
        if (status == EventStatus::pending) return Pending{};
        if (status == EventStatus::processing) {
            return Processing{claimant(get<std::optional<InstanceId>>(row, claimed_by_),
                                       get<std::optional<std::string>>(row, worker_))};
        }
        if (!finished_at_ || !reason_) throw Corrupt{"a live event has status of a finished one"};
        const auto at = get<Instant>(row, *finished_at_);
        if (status == EventStatus::completed) return Completed{at};
        auto reason = get<std::string>(row, *reason_);
        if (status == EventStatus::failed) return Failed{at, std::move(reason)};
        return Cancelled{at, std::move(reason)};
    }

    const Answer& rows_;
    Reader reader_;
    int id_ = reader_.column("id");
    int key_ = reader_.column("idempotency_key");
    int type_ = reader_.column("event_type");
    int priority_ = reader_.column("priority");
    int user_ = reader_.column("user_id");
    int endpoint_ = reader_.column("endpoint_id");
    int schedule_ = reader_.column("schedule_id");
    int schedule_version_ = reader_.column("schedule_version");
    int nominal_ = reader_.column("nominal");
    int nominal_time_ = reader_.column("nominal_time");
    int second_pass_ = reader_.column("second_pass");
    int origin_ = reader_.column("origin");
    int wall_ = reader_.column("wall");
    int zone_ = reader_.column("zone");
    int gap_ = reader_.column("gap");
    int overlap_ = reader_.column("overlap");
    int due_ = reader_.column("due");
    int jitter_ = reader_.column("jitter");
    int tz_release_ = reader_.column("tz_release");
    int payload_ = reader_.column("payload");
    int claimable_at_ = reader_.column("claimable_at");
    int version_ = reader_.column("version");
    int attempt_ = reader_.column("attempt");
    int retry_count_ = reader_.column("retry_count");
    int retry_of_ = reader_.column("retry_of");
    int first_attempt_at_ = reader_.column("first_attempt_at");
    int created_at_ = reader_.column("created_at");
    int updated_at_ = reader_.column("updated_at");
    int status_ = reader_.column("status");
    int claimed_by_ = reader_.column("claimed_by");
    int obstacle_ = reader_.column("obstacle");
    int worker_ = reader_.column("worker");
    Column lease_ends_ = rows_.column("lease_ends");  // the view shows it as claimable_at
    // Columns of finished events only.
    Column finished_at_ = rows_.column("finished_at");
    Column reason_ = rows_.column("reason");
    Column dismissed_at_ = rows_.column("dismissed_at");
};

}  // namespace

std::vector<Event> events_in(const Answer& rows) { return Reader{rows}.each(EventReader{rows}); }

std::vector<AttemptRecord> attempts_in(const Answer& rows, EventId event) {
    return Reader{rows}.each([&](std::size_t row) {
        return AttemptRecord{
            .event = event,
            .number = rows.get<Attempt>(row, 0),
            .outcome = read_name(parse_attempt_outcome, rows.get<std::string>(row, 1)),
            .endpoint = rows.get<std::optional<EndpointId>>(row, 2),
            .started_at = rows.get<std::optional<Instant>>(row, 3),
            .duration = rows.get<std::chrono::microseconds>(row, 4),
            .status_code = rows.get<std::optional<std::int32_t>>(row, 5),
            .error_code = rows.get<std::string>(row, 6),
            .error_text = rows.get<std::string>(row, 7),
            .response_body = rows.get<Bytes>(row, 8).value,
            .instance = claimant(rows.get<std::optional<InstanceId>>(row, 9),
                                 rows.get<std::optional<std::string>>(row, 11)),
            .held = rows.get<std::optional<Version>>(row, 10)};
    });
}

EventStatus event_status(const std::string& text) { return read_name(parse_event_status, text); }

}  // namespace sundial::postgres
