#include <algorithm>
#include <utility>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/api/codecs.hpp"
#include "adapters/http/api/event_filter.hpp"
#include "adapters/http/api/json_members.hpp"
#include "adapters/http/api/routes.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial::http {
namespace {

/// Default pace, so that a receiver that has just recovered is not flooded.
constexpr std::uint32_t retries_per_second = 50;

/// Reads a body that the OpenAPI document has validated; adds further errors to `errors`.
class BulkRequestReader {
public:
    BulkRequestReader(const Members& members, const BulkApi& api) : members_(members), api_(api) {}

    BulkCall run(BulkAction action) {
        BulkCall call;
        call.dry_run = members_.truth("dryRun").value_or(false);
        BulkRequest& request = call.request;
        request.action = action;
        const std::uint32_t pace = action == BulkAction::retry ? retries_per_second : 0;
        request.per_second = members_.count("perSecond").value_or(pace);
        request.note = members_.text("note");
        read_which(request);
        if (const auto set = members_.object("set")) read_set(*set, request);
        return call;
    }
    std::vector<FieldError> errors;

private:
    void read_which(BulkRequest& request) {
        const auto filter = members_.object("filter");
        if (filter && members_.has("ids")) {
            errors.push_back({"/ids", "not_allowed", "give either a filter or ids, not both"});
        } else if (filter) {
            request.filter = event_filter(*filter, {api_.queries, api_.clock, errors});
        } else if (members_.has("ids")) {
            read_ids(request);
        } else {
            errors.push_back({"/filter", "required", "select the events by a filter or by ids"});
        }
    }

    /// Each id once.
    void read_ids(BulkRequest& request) {
        const auto texts = members_.list("ids");
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto id = base::parse_uuid(texts[i]);
            if (!id) {
                errors.push_back(
                    {"/ids/" + std::to_string(i), "bad_format", "must be the id of an event"});
            } else if (std::ranges::find(request.ids, EventId{*id}) == request.ids.end()) {
                request.ids.push_back(EventId{*id});
            }
        }
    }

    void read_set(const Members& set, BulkRequest& request) {
        request.target = target_fields(set);
        const auto text = set.text("shift");
        if (!text) return;
        const bool back = text->starts_with('-');
        const auto duration = parse_duration(std::string_view(*text).substr(back ? 1 : 0));
        if (!duration) {
            errors.push_back(
                {"/set/shift", "bad_format",
                 "must be an exact duration as PT15M, or -PT15M: " + duration.error().message});
        } else {
            request.shift = back ? -*duration : *duration;
        }
    }

    const Members& members_;
    const BulkApi& api_;
};

std::string preview_json(const Bulk& bulk, const TimeZones& zones) {
    base::JsonWriter json;
    json.begin_object().member("count", bulk.count).key("samples").begin_array();
    for (const Event& event : bulk.samples) json.raw(event_json(event, zones));
    return std::move(json.end_array().end_object()).text();
}

Response run(const BulkApi& api, const Request& request) {
    const Members members(*request.json);
    const auto action = parse_bulk_action(members.text("action").value_or(""));
    if (!action) {
        return refused(
            validation_failed({{"/action", "not_allowed",
                                "events cannot be deleted: cancel live events and dismiss failed "
                                "events; retention deletes finished events later"}}),
            request);
    }
    BulkRequestReader reader(members, api);
    const BulkCall call = reader.run(*action);
    if (!reader.errors.empty()) {
        return refused(validation_failed(std::move(reader.errors)), request);
    }
    const auto bulk = api.events.bulk.run(call, caller_of(request));
    if (!bulk) return refused(bulk.error(), request);
    if (!bulk->operation) return json(200, preview_json(*bulk, api.zones));
    const auto& operation = *bulk->operation;
    return accepted(operation_json(operation), operation.version,
                    "/v1/operations/" + to_string(operation.id));
}

Response failures(const BulkApi& api, const Request& request) {
    const bool by_endpoint = request.query_value("by") == "endpointId";
    const DeadLetters letters =
        api.queries.dead_letters(by_endpoint ? DeadLettersBy::endpoint : DeadLettersBy::reason);
    base::JsonWriter json;
    json.begin_object().member("by", by_endpoint ? "endpointId" : "reason");
    json.member("counted", letters.counted).member("complete", letters.complete);
    json.key("data").begin_array();
    for (const DeadLetterGroup& group : letters.groups) {
        json.begin_object();
        if (by_endpoint) {
            json.member("endpointId",
                        group.endpoint ? std::optional(to_string(*group.endpoint)) : std::nullopt);
        } else {
            json.member("reason", group.reason);
        }
        json.member("count", group.count);
        json.member("oldest", format_instant_millis(group.oldest));
        json.member("newest", format_instant_millis(group.newest));
        json.key("sampleIds").begin_array();
        for (const EventId id : group.samples) json.value(to_string(id));
        json.end_array().end_object();
    }
    return http::json(200, std::move(json.end_array().end_object()).text());
}

Effects effects_of_bulk(const Request& request) {
    const bool dry = Members(*request.json).truth("dryRun").value_or(false);
    return dry ? Effects::none : Effects::in_store;
}

}  // namespace

void add_bulk_routes(Router& router, BulkApi api) {
    router.add(
        "POST", "/v1/bulk", [api](const Request& request) { return run(api, request); },
        effects_of_bulk);
    router.add("GET", "/v1/stats/failures",
               [api](const Request& request) { return failures(api, request); });
}

}  // namespace sundial::http
