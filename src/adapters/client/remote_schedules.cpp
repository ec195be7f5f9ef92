#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/client/json_view.hpp"
#include "adapters/client/wire.hpp"
#include "base/json.hpp"
#include "sundial/remote.hpp"

namespace sundial {
namespace {

using client::JsonView;

constexpr std::array<std::string_view, 5> gaps{"compatible", "earlier", "later", "boundary",
                                               "skip"};
constexpr std::array<std::string_view, 5> overlaps{"compatible", "earlier", "later", "both",
                                                   "skip"};
constexpr std::array<std::string_view, 3> leaps{"feb28", "mar1", "skip"};
constexpr std::array<std::string_view, 3> misfires{"all", "once", "skip"};
static_assert(static_cast<std::size_t>(embedding::Gap::skip) == gaps.size() - 1 &&
              static_cast<std::size_t>(embedding::Overlap::skip) == overlaps.size() - 1 &&
              static_cast<std::size_t>(embedding::Leap::skip) == leaps.size() - 1 &&
              static_cast<std::size_t>(embedding::Misfire::skip) == misfires.size() - 1);

/// `words` are those of the API, in the order of the enumeration.
template <class Policy, std::size_t count>
void add_policy(base::JsonWriter& json, std::string_view name, const std::optional<Policy>& policy,
                const std::array<std::string_view, count>& words) {
    if (policy) json.member(name, words.at(static_cast<std::size_t>(*policy)));
}

struct WriteRule {
    base::JsonWriter& json;

    void operator()(const embedding::Cron& rule) const {
        json.member("cron", std::string_view{rule.expression});
    }
    void operator()(const embedding::Rrule& rule) const {
        json.key("rrule").begin_object();
        json.member("dtstart", std::string_view{rule.dtstart});
        json.member("rrule", std::string_view{rule.rrule}).end_object();
    }
    void operator()(const embedding::Every& rule) const {
        json.member("every", client::to_iso_duration(rule.interval));
    }
    void operator()(const embedding::Yearly& rule) const {
        json.key("yearly").begin_object();
        json.member("on", std::string_view{rule.on});
        json.member("at", std::string_view{rule.at}).end_object();
    }
};

std::string schedule_body(const NewSchedule& schedule) {
    base::JsonWriter json;
    json.begin_object().member("eventType", std::string_view{schedule.event_type});
    json.key("trigger").begin_object();
    std::visit(WriteRule{json}, schedule.rule);
    json.end_object();
    if (schedule.timezone.empty() && !schedule.per_user) {
        json.member("timezone", "UTC");
    } else {
        client::add_text(json, "timezone", schedule.timezone);
    }
    json.member("perUser", schedule.per_user);
    if (!schedule.queue.empty()) json.member("endpointId", "ext:" + schedule.queue);
    json.member("priority", client::to_text(schedule.priority));
    json.member("enabled", schedule.enabled);
    add_policy(json, "gap", schedule.gap, gaps);
    add_policy(json, "overlap", schedule.overlap, overlaps);
    add_policy(json, "leap", schedule.leap, leaps);
    add_policy(json, "misfire", schedule.misfire, misfires);
    if (schedule.starts_at) json.member("startsAt", client::to_rfc3339(*schedule.starts_at));
    if (schedule.ends_at) json.member("endsAt", client::to_rfc3339(*schedule.ends_at));
    json.key("payload").raw(schedule.payload);
    json.end_object();
    return json.text();
}

Schedule schedule_from(const JsonView& json) {
    return {.id = json.text_of("id"),
            .name = json.text_of("externalId"),
            .event_type = json.text_of("eventType"),
            .description = json.text_of("description"),
            .enabled = json.is_true("enabled"),
            .per_user = json.is_true("perUser"),
            .version = json.number_of("version"),
            .next = client::instant_of(json, "nextAt")};
}

Result<Schedule> schedule_of(const Result<ClientAnswer>& answer, const client::Asked& asked) {
    const auto json = client::object_of(answer);
    if (!json) return client::completed(json.error(), asked);
    if (json->text_of("id").empty()) {
        return Error{"HTTP_ERROR", "the server's answer is not a schedule", {}};
    }
    return schedule_from(*json);
}

std::string path_of_schedule(const std::string& schedule) {
    return "/v1/schedules/" + client::encoded(schedule);
}

}  // namespace

Result<Schedule> RemoteSchedules::put(const NewSchedule& schedule, std::uint64_t version) const {
    if (schedule.name.empty()) return client::refused_field("name", "is required");
    if (!JsonView::parse(schedule.payload)) return client::refused_field("payload", "must be JSON");
    return schedule_of(client_.call({.method = "PUT",
                                     .path = path_of_schedule("ext:" + schedule.name),
                                     .body = schedule_body(schedule),
                                     .if_match = client::if_match_of(version)}),
                       {.id = schedule.name, .endpoint = "ext:" + schedule.queue});
}

Result<Schedule> RemoteSchedules::get(const std::string& schedule) const {
    return schedule_of(client_.call({.path = path_of_schedule(schedule)}), {.id = schedule});
}

Result<SchedulePage> RemoteSchedules::list(const ScheduleFilter& filter,
                                           const PageOptions& page) const {
    client::QueryText query;
    query.add_list("eventType", filter.types).add("q", filter.prefix);
    if (filter.enabled) query.add("enabled", *filter.enabled ? "true" : "false");
    query.add_page(page, "createdAt");
    const auto answer = client_.call({.path = "/v1/schedules" + query.text()});
    const auto list = client::page_of(answer, {});
    if (!list) return list.error();
    SchedulePage found{.schedules = {}, .next = list->next};
    list->items.for_each(
        [&](const JsonView& one) { found.schedules.push_back(schedule_from(one)); });
    return found;
}

Result<Schedule> RemoteSchedules::set_enabled(const std::string& schedule, bool enabled,
                                              std::uint64_t version) const {
    base::JsonWriter json;
    json.begin_object().member("enabled", enabled).end_object();
    return schedule_of(client_.call({.method = "PATCH",
                                     .path = path_of_schedule(schedule),
                                     .body = json.text(),
                                     .if_match = client::if_match_of(version)}),
                       {.id = schedule});
}

Result<Done> RemoteSchedules::remove(const std::string& schedule, std::uint64_t version) const {
    const auto answer = client_.call({.method = "DELETE",
                                      .path = path_of_schedule(schedule),
                                      .if_match = client::if_match_of(version)});
    if (!answer) return client::completed(answer.error(), {.id = schedule});
    return Done{};
}

}  // namespace sundial
