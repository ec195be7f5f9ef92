#include "adapters/http/api/event_filter.hpp"

#include <optional>
#include <string>
#include <string_view>

#include "adapters/http/api/query.hpp"
#include "domain/time/calendar_duration.hpp"

namespace sundial::http {
namespace {

/// Parameters of a query, with values separated by `,`.
struct InQuery {
    const Request& request;

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const {
        return text_value(request, name);
    }
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const {
        return list_value(request, name);
    }
    [[nodiscard]] std::optional<bool> truth(std::string_view name) const {
        return truth_value(request, name);
    }
    [[nodiscard]] static std::string pointer(std::string_view name) {
        return "?" + std::string(name);
    }
};

/// Members of an object. A text stands for a list of one value.
struct InBody {
    const Members& members;

    [[nodiscard]] std::optional<std::string> text(std::string_view name) const {
        return members.text(name);
    }
    [[nodiscard]] std::vector<std::string> list(std::string_view name) const {
        if (members.is_text(name)) return {members.text(name).value_or("")};
        return members.list(name);
    }
    [[nodiscard]] std::optional<bool> truth(std::string_view name) const {
        return members.truth(name);
    }
    [[nodiscard]] static std::string pointer(std::string_view name) {
        return "/filter/" + std::string(name);
    }
};

template <class Source>
class Reading {
public:
    Reading(Source source, const EventFilterContext& context)
        : source_(source), context_(context) {}

    EventQuery run() {
        EventQuery query;
        query.statuses = names("status", parse_event_status);
        query.priorities = names("priority", parse_priority);
        query.types = source_.list("eventType");
        query.zones = source_.list("targetTimezone");
        query.user = reference("userId", &Queries::user_id);
        query.schedule = reference("scheduleId", &Queries::schedule_id);
        query.endpoint = reference("endpointId", &Queries::endpoint_id);
        query.target_from = moment("targetFrom");
        query.target_to = moment("targetTo");
        query.executed_from = moment("executedFrom");
        query.executed_to = moment("executedTo");
        query.late_execution = source_.truth("lateExecution");
        query.dismissed = source_.truth("dismissed");
        if (auto key = source_.text("idempotencyKey")) query.key = IdempotencyKey{*std::move(key)};
        query.prefix = source_.text("q");
        query.reason = source_.text("failureReason");
        query.waiting_for = names("waitingFor", parse_wait_reason);
        return query;
    }

private:
    /// Values of an enum. The OpenAPI document has checked the names.
    template <class Parse>
    auto names(std::string_view name, Parse parse) {
        std::vector<typename decltype(parse(std::string_view{}))::value_type> values;
        for (const std::string& text : source_.list(name)) {
            if (const auto value = parse(text)) values.push_back(*value);
        }
        return values;
    }

    template <class Id>
    std::optional<Id> reference(std::string_view name,
                                LookupResult<Id> (Queries::*find)(std::string_view)) {
        const auto text = source_.text(name);
        if (!text) return std::nullopt;
        if (const auto id = (context_.queries.*find)(*text)) return *id;
        refuse(name, "not_allowed", "unknown value '" + *text + "'");
        return std::nullopt;
    }

    std::optional<Instant> moment(std::string_view name) {
        const auto text = source_.text(name);
        if (!text) return std::nullopt;
        const auto moment = parse_moment(*text, context_.clock.now());
        if (moment) return *moment;
        refuse(name, std::string(to_string(moment.error().code)), moment.error().message);
        return std::nullopt;
    }

    void refuse(std::string_view name, std::string code, std::string message) {
        context_.errors.push_back({source_.pointer(name), std::move(code), std::move(message)});
    }

    Source source_;
    const EventFilterContext& context_;
};

}  // namespace

EventQuery event_filter(const Request& request, const EventFilterContext& context) {
    return Reading(InQuery{request}, context).run();
}

EventQuery event_filter(const Members& filter, const EventFilterContext& context) {
    return Reading(InBody{filter}, context).run();
}

}  // namespace sundial::http
