#include "adapters/postgres/row_reader.hpp"
#include "adapters/postgres/rows.hpp"
#include "domain/time/policies.hpp"

namespace sundial::postgres {
namespace {

class ScheduleReader {
public:
    explicit ScheduleReader(const Answer& rows) : rows_{rows}, reader_{rows} {}

    [[nodiscard]] Schedule operator()(std::size_t row) const {
        return {.id = get<ScheduleId>(row, id_),
                .external_id = get<std::optional<std::string>>(row, external_id_),
                .event_type = get<std::string>(row, event_type_),
                .priority = priority_of(get<std::int16_t>(row, priority_)),
                .enabled = get<bool>(row, enabled_),
                .note = get<std::optional<std::string>>(row, note_),
                .trigger = trigger(row),
                .per_user = get<bool>(row, per_user_),
                .timezone = get<std::optional<std::string>>(row, timezone_),
                .endpoint = get<std::optional<EndpointId>>(row, endpoint_id_),
                .payload = get<std::string>(row, payload_),
                .gap = read_name(gap_policy, get<std::string>(row, gap_)),
                .overlap = read_name(overlap_policy, get<std::string>(row, overlap_)),
                .leap = read_name(leap_policy, get<std::string>(row, leap_)),
                .misfire = {.policy = read_name(misfire_policy, get<std::string>(row, misfire_)),
                            .window = seconds_if_any(row, misfire_window_),
                            .grace = seconds(row, misfire_grace_),
                            .limit = get<std::uint32_t>(row, misfire_limit_)},
                .concurrency = read_name(parse_concurrency, get<std::string>(row, concurrency_)),
                .jitter = seconds(row, jitter_),
                .starts_at = get<std::optional<Instant>>(row, starts_at_),
                .ends_at = get<std::optional<Instant>>(row, ends_at_),
                .version = get<Version>(row, version_),
                .planned_version = get<Version>(row, planned_version_),
                .created_at = get<Instant>(row, created_at_),
                .updated_at = get<Instant>(row, updated_at_)};
    }

private:
    template <class T>
    [[nodiscard]] T get(std::size_t row, int column) const {
        return rows_.get<T>(row, column);
    }
    [[nodiscard]] std::optional<std::chrono::seconds> seconds_if_any(std::size_t row,
                                                                     int column) const {
        const auto interval = get<std::optional<std::chrono::microseconds>>(row, column);
        if (!interval) return std::nullopt;
        return std::chrono::floor<std::chrono::seconds>(*interval);
    }
    [[nodiscard]] std::chrono::seconds seconds(std::size_t row, int column) const {
        return seconds_if_any(row, column).value();
    }

    [[nodiscard]] Trigger trigger(std::size_t row) const {
        const auto text = [&](int column) {
            return get<std::optional<std::string>>(row, column).value_or("");
        };
        switch (read_name(parse_trigger_kind, get<std::string>(row, kind_))) {
            case TriggerKind::yearly:
                return YearlyTrigger{text(yearly_on_), get<TimeOfDay>(row, yearly_at_)};
            case TriggerKind::cron:
                return CronTrigger{text(cron_)};
            case TriggerKind::rrule:
                return RruleTrigger{text(ical_), text(dtstart_),
                                    get<std::optional<std::string>>(row, rrule_),
                                    get<std::vector<std::string>>(row, rdates_),
                                    get<std::vector<std::string>>(row, exdates_)};
            case TriggerKind::every:
                break;
        }
        return EveryTrigger{seconds(row, every_)};
    }

    const Answer& rows_;
    Reader reader_;
    int id_ = reader_.column("id");
    int external_id_ = reader_.column("external_id");
    int event_type_ = reader_.column("event_type");
    int priority_ = reader_.column("priority");
    int enabled_ = reader_.column("enabled");
    int note_ = reader_.column("note");
    int kind_ = reader_.column("kind");
    int yearly_on_ = reader_.column("yearly_on");
    int yearly_at_ = reader_.column("yearly_at");
    int cron_ = reader_.column("cron");
    int ical_ = reader_.column("ical");
    int dtstart_ = reader_.column("dtstart");
    int rrule_ = reader_.column("rrule");
    int rdates_ = reader_.column("rdates");
    int exdates_ = reader_.column("exdates");
    int every_ = reader_.column("every");
    int per_user_ = reader_.column("per_user");
    int timezone_ = reader_.column("timezone");
    int endpoint_id_ = reader_.column("endpoint_id");
    int payload_ = reader_.column("payload");
    int gap_ = reader_.column("gap");
    int overlap_ = reader_.column("overlap");
    int leap_ = reader_.column("leap");
    int misfire_ = reader_.column("misfire");
    int misfire_window_ = reader_.column("misfire_window");
    int misfire_grace_ = reader_.column("misfire_grace");
    int misfire_limit_ = reader_.column("misfire_limit");
    int concurrency_ = reader_.column("concurrency");
    int jitter_ = reader_.column("jitter");
    int starts_at_ = reader_.column("starts_at");
    int ends_at_ = reader_.column("ends_at");
    int version_ = reader_.column("version");
    int planned_version_ = reader_.column("planned_version");
    int created_at_ = reader_.column("created_at");
    int updated_at_ = reader_.column("updated_at");
};

}  // namespace

std::vector<Schedule> schedules_in(const Answer& rows) {
    return Reader{rows}.each(ScheduleReader{rows});
}

std::vector<SkippedRun> skipped_runs_in(const Answer& rows) {
    const Reader reader{rows};
    const int id = reader.column("id"), schedule = reader.column("schedule_id"),
              user = reader.column("user_id"), reason = reader.column("reason"),
              first = reader.column("first"), last = reader.column("last"),
              count = reader.column("count"), next = reader.column("next"),
              recorded_at = reader.column("recorded_at");
    return reader.each([&](std::size_t row) {
        return SkippedRun{.id = rows.get<Uuid>(row, id),
                          .schedule = rows.get<ScheduleId>(row, schedule),
                          .user = rows.get<std::optional<UserId>>(row, user),
                          .reason = rows.get<std::string>(row, reason),
                          .first = rows.get<Instant>(row, first),
                          .last = rows.get<Instant>(row, last),
                          .count = rows.get<std::uint64_t>(row, count),
                          .next = rows.get<std::optional<Instant>>(row, next),
                          .recorded_at = rows.get<Instant>(row, recorded_at)};
    });
}

}  // namespace sundial::postgres
