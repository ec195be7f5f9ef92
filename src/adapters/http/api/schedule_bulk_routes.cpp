#include <algorithm>
#include <utility>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"

namespace sundial::http {
namespace {

/// Reads a body that the OpenAPI document has validated; adds further errors to `errors`.
class ScheduleBulkReader {
public:
    ScheduleBulkReader(const Members& members, Queries& queries)
        : members_(members), queries_(queries) {}

    ScheduleBulkCall run(ScheduleBulkAction action) {
        ScheduleBulkCall call;
        call.dry_run = members_.truth("dryRun").value_or(false);
        ScheduleBulkRequest& request = call.request;
        request.action = action;
        request.note = members_.text("note");
        request.add_tags = members_.list("addTags");
        request.remove_tags = members_.list("removeTags");
        const auto filter = members_.object("filter");
        if (filter && members_.has("ids")) {
            errors.push_back({"/ids", "not_allowed", "give either a filter or ids, not both"});
        } else if (filter) {
            read_filter(*filter, request.filter);
        } else {
            read_ids(request);
        }
        return call;
    }
    std::vector<FieldError> errors;

private:
    void read_filter(const Members& filter, ScheduleQuery& query) {
        query.enabled = filter.truth("enabled");
        query.per_user = filter.truth("perUser");
        query.types = filter.list("eventType");
        query.prefix = filter.text("q");
        query.tag = filter.text("tag");
        for (const std::string& name : filter.list("trigger")) {
            if (const auto kind = parse_trigger_kind(name)) query.kinds.push_back(*kind);
        }
        const auto endpoint = filter.text("endpointId");
        if (!endpoint) return;
        if (const auto id = queries_.endpoint_id(*endpoint)) {
            query.endpoint = *id;
        } else {
            errors.push_back(
                {"/filter/endpointId", "not_allowed", "unknown value '" + *endpoint + "'"});
        }
    }

    /// Each id once.
    void read_ids(ScheduleBulkRequest& request) {
        const auto texts = members_.list("ids");
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto id = queries_.schedule_id(texts[i]);
            if (!id) {
                errors.push_back({"/ids/" + std::to_string(i), "not_allowed",
                                  "there is no schedule '" + texts[i] + "'"});
            } else if (std::ranges::find(request.ids, *id) == request.ids.end()) {
                request.ids.push_back(*id);
            }
        }
    }

    const Members& members_;
    Queries& queries_;
};

std::string schedules_preview_json(const ScheduleBulk& bulk) {
    base::JsonWriter json;
    json.begin_object().member("count", bulk.count).key("samples").begin_array();
    for (const Schedule& schedule : bulk.samples) {
        json.begin_object().member("id", to_string(schedule.id));
        json.member("externalId", schedule.external_id);
        json.member("eventType", schedule.event_type);
        json.member("enabled", schedule.enabled).key("tags").begin_array();
        for (const std::string& tag : schedule.tags) json.value(std::string_view{tag});
        json.end_array().end_object();
    }
    return std::move(json.end_array().end_object()).text();
}

Response change_schedules(const ScheduleApi& api, const Request& request) {
    const Members members(*request.json);
    ScheduleBulkReader reader(members, api.queries);
    // The document allows no other action.
    const auto action = parse_schedule_bulk_action(members.text("action").value_or(""));
    const ScheduleBulkCall call = reader.run(action.value());
    if (!reader.errors.empty()) {
        return refused(validation_failed(std::move(reader.errors)), request);
    }
    const auto bulk = api.schedules.bulk.run(call, caller_of(request));
    if (!bulk) return refused(bulk.error(), request);
    if (!bulk->operation) return json(200, schedules_preview_json(*bulk));
    const auto& operation = *bulk->operation;
    return accepted(operation_json(operation), operation.version,
                    "/v1/operations/" + to_string(operation.id));
}

Effects effects_of_schedule_bulk(const Request& request) {
    const bool dry = Members(*request.json).truth("dryRun").value_or(false);
    return dry ? Effects::none : Effects::in_store;
}

}  // namespace

void add_schedule_bulk_routes(Router& router, ScheduleApi api) {
    router.add(
        "POST", "/v1/schedules/bulk",
        [api](const Request& request) { return change_schedules(api, request); },
        effects_of_schedule_bulk);
}

}  // namespace sundial::http
