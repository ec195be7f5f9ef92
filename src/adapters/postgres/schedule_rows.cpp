#include "adapters/postgres/rows.hpp"
#include "domain/time/types.hpp"

namespace sundial::postgres {
namespace {

std::optional<std::chrono::seconds> seconds_if_any(const Row& row, const char* column) {
    const auto interval = row.get<std::optional<std::chrono::microseconds>>(column);
    if (!interval) return std::nullopt;
    return std::chrono::floor<std::chrono::seconds>(*interval);
}
std::chrono::seconds seconds_in(const Row& row, const char* column) {
    return seconds_if_any(row, column).value();
}

Trigger trigger_in(const Row& row) {
    const auto text = [&](const char* column) {
        return row.get<std::optional<std::string>>(column).value_or("");
    };
    switch (read_name(parse_trigger_kind, row.get<std::string>("kind"))) {
        case TriggerKind::yearly:
            return YearlyTrigger{text("yearly_on"), row.get<TimeOfDay>("yearly_at")};
        case TriggerKind::cron:
            return CronTrigger{text("cron")};
        case TriggerKind::rrule:
            return RruleTrigger{text("ical"), text("dtstart"),
                                row.get<std::optional<std::string>>("rrule"),
                                row.get<std::vector<std::string>>("rdates"),
                                row.get<std::vector<std::string>>("exdates")};
        case TriggerKind::every:
            break;
    }
    return EveryTrigger{seconds_in(row, "every")};
}

Schedule schedule_in(const Row& row) {
    return {.id = row.get<ScheduleId>("id"),
            .external_id = row.get<std::optional<std::string>>("external_id"),
            .event_type = row.get<std::string>("event_type"),
            .priority = priority_of(row.get<std::int16_t>("priority")),
            .enabled = row.get<bool>("enabled"),
            .note = row.get<std::optional<std::string>>("note"),
            .trigger = trigger_in(row),
            .per_user = row.get<bool>("per_user"),
            .timezone = row.get<std::optional<std::string>>("timezone"),
            .endpoint = row.get<std::optional<EndpointId>>("endpoint_id"),
            .payload = row.get<std::string>("payload"),
            .gap = read_name(gap_policy, row.get<std::string>("gap")),
            .overlap = read_name(overlap_policy, row.get<std::string>("overlap")),
            .leap = read_name(leap_policy, row.get<std::string>("leap")),
            .misfire = {.policy = read_name(misfire_policy, row.get<std::string>("misfire")),
                        .window = seconds_if_any(row, "misfire_window"),
                        .grace = seconds_in(row, "misfire_grace"),
                        .limit = row.get<std::uint32_t>("misfire_limit")},
            .concurrency = read_name(parse_concurrency, row.get<std::string>("concurrency")),
            .jitter = seconds_in(row, "jitter"),
            .starts_at = row.get<std::optional<Instant>>("starts_at"),
            .ends_at = row.get<std::optional<Instant>>("ends_at"),
            .version = row.get<Version>("version"),
            .planned_version = row.get<Version>("planned_version"),
            .created_at = row.get<Instant>("created_at"),
            .updated_at = row.get<Instant>("updated_at"),
            .tags = row.get<std::vector<std::string>>("tags"),
            .ping_url = row.get<std::optional<std::string>>("ping_url")};
}

}  // namespace

std::vector<Schedule> schedules_in(const Answer& rows) { return each_row(rows, schedule_in); }

std::vector<SkippedRun> skipped_runs_in(const Answer& rows) {
    return each_row(rows, [&](const Row& row) {
        return SkippedRun{.id = row.get<Uuid>("id"),
                          .schedule = row.get<ScheduleId>("schedule_id"),
                          .user = row.get<std::optional<UserId>>("user_id"),
                          .reason = row.get<std::string>("reason"),
                          .first = row.get<Instant>("first"),
                          .last = row.get<Instant>("last"),
                          .count = row.get<std::uint64_t>("count"),
                          .next = row.get<std::optional<Instant>>("next"),
                          .recorded_at = row.get<Instant>("recorded_at")};
    });
}

}  // namespace sundial::postgres
