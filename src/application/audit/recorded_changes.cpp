#include "application/audit/recorded_changes.hpp"

#include <string_view>
#include <type_traits>

#include "application/requests/schedule_request.hpp"
#include "application/streams/append_to_stream.hpp"
#include "base/json.hpp"
#include "domain/time/text.hpp"
#include "domain/time/types.hpp"

namespace sundial {
namespace {

using base::JsonWriter;

void write(JsonWriter& json, bool value) { json.value(value); }
void write(JsonWriter& json, std::uint32_t value) { json.value(value); }
void write(JsonWriter& json, const std::string& value) { json.value(std::string_view{value}); }
void write(JsonWriter& json, Date value) { json.value(std::string_view{format_date(value)}); }
void write(JsonWriter& json, Instant value) { json.value(std::string_view{format_instant(value)}); }
void write(JsonWriter& json, LeapPolicy value) { json.value(to_string(value)); }
void write(JsonWriter& json, GapPolicy value) { json.value(to_string(value)); }
void write(JsonWriter& json, OverlapPolicy value) { json.value(to_string(value)); }
void write(JsonWriter& json, Concurrency value) { json.value(to_string(value)); }
void write(JsonWriter& json, Priority value) { json.value(to_string(value)); }
void write(JsonWriter& json, Role value) { json.value(to_string(value)); }
void write(JsonWriter& json, const EndpointType& value) { json.value(to_string(value)); }
void write(JsonWriter& json, BodyFormat value) { json.value(to_string(value)); }
void write(JsonWriter& json, EndpointId value) { json.value(std::string_view{to_string(value)}); }
void write(JsonWriter& json, ScheduleId value) { json.value(std::string_view{to_string(value)}); }
void write(JsonWriter& json, UserId value) { json.value(std::string_view{to_string(value)}); }
void write(JsonWriter& json, std::chrono::seconds value) {
    json.value(std::string_view{format_duration(value)});
}
void write(JsonWriter& json, const RateLimit& rate) {
    json.begin_object().member("perSecond", rate.per_second).member("burst", rate.burst);
    json.end_object();
}

template <class T>
void write(JsonWriter& json, const std::optional<T>& value) {
    if (value) {
        write(json, *value);
    } else {
        json.null();
    }
}

template <class T>
void write(JsonWriter& json, const std::map<std::string, T>& value) {
    json.begin_object();
    for (const auto& [name, of] : value) {
        json.key(name);
        write(json, of);
    }
    json.end_object();
}

void write(JsonWriter& json, const RetryPolicy& policy) {
    switch (policy.kind) {
        case RetryPolicy::Kind::standard:
            json.value("standard");
            return;
        case RetryPolicy::Kind::seed:
            json.value("seed");
            return;
        case RetryPolicy::Kind::custom:
            json.begin_object().key("delays").begin_array();
            for (const auto delay : policy.custom) write(json, delay);
            json.end_array().end_object();
            return;
    }
}

void write(JsonWriter& json, const Trigger& trigger) { json.raw(trigger_json(trigger)); }

void write(JsonWriter& json, const MisfireRule& rule) {
    json.begin_object().member("policy", to_string(rule.policy)).key("window");
    write(json, rule.window);
    json.member("grace", std::string_view{format_duration(rule.grace)});
    json.member("limit", rule.limit).end_object();
}

void write(JsonWriter& json, const std::vector<std::string>& texts) {
    json.begin_array();
    for (const std::string& text : texts) write(json, text);
    json.end_array();
}

/// Only the names, because the values may be credentials.
void write(JsonWriter& json, const std::vector<EndpointHeader>& headers) {
    json.begin_array();
    for (const EndpointHeader& header : headers) write(json, header.name);
    json.end_array();
}

/// The scheme and end of each key, but never the key itself, sealed or not.
void write(JsonWriter& json, const std::vector<SigningKey>& keys) {
    json.begin_array();
    for (const SigningKey& key : keys) {
        json.begin_object().member("scheme", to_string(key.scheme)).key("signsUntil");
        write(json, key.signs_until == never ? std::nullopt : std::optional{key.signs_until});
        json.end_object();
    }
    json.end_array();
}

/// Writes members, or, compared with `before`, only those that changed.
template <class Thing>
class Members {
public:
    Members(const Thing* before, const Thing& after) : before_(before), after_(after) {
        json_.begin_object();
    }
    template <class T>
    Members& add(std::string_view name, T Thing::* member) {
        if (before_ && before_->*member == after_.*member) return *this;
        json_.key(name);
        write(json_, after_.*member);
        return *this;
    }
    std::string text() { return std::move(json_.end_object()).text(); }

private:
    const Thing* before_;
    const Thing& after_;
    JsonWriter json_;
};

std::string recorded_data(const User* before, const User& after) {
    return Members<User>{before, after}
        .add("externalId", &User::external_id)
        .add("firstName", &User::first_name)
        .add("lastName", &User::last_name)
        .add("dateOfBirth", &User::date_of_birth)
        .add("timezone", &User::timezone)
        .add("dates", &User::dates)
        .add("metadata", &User::metadata)
        .text();
}

std::string recorded_data(const Endpoint* before, const Endpoint& after) {
    return Members<Endpoint>{before, after}
        .add("externalId", &Endpoint::external_id)
        .add("name", &Endpoint::name)
        .add("type", &Endpoint::type)
        .add("url", &Endpoint::url)
        .add("format", &Endpoint::format)
        .add("options", &Endpoint::options)
        .add("headers", &Endpoint::headers)
        .add("timeout", &Endpoint::timeout)
        .add("retryPolicy", &Endpoint::retry_policy)
        .add("retryClientErrors", &Endpoint::retry_client_errors)
        .add("rateLimit", &Endpoint::rate_limit)
        .add("maxInFlight", &Endpoint::max_in_flight)
        .add("enabled", &Endpoint::enabled)
        .add("disabledReason", &Endpoint::disabled_reason)
        .add("signingKeys", &Endpoint::signing_keys)
        .add("publicKey", &Endpoint::public_key)
        .text();
}

std::string recorded_data(const Schedule* before, const Schedule& after) {
    return Members<Schedule>{before, after}
        .add("externalId", &Schedule::external_id)
        .add("eventType", &Schedule::event_type)
        .add("priority", &Schedule::priority)
        .add("trigger", &Schedule::trigger)
        .add("perUser", &Schedule::per_user)
        .add("timezone", &Schedule::timezone)
        .add("endpointId", &Schedule::endpoint)
        .add("payload", &Schedule::payload)
        .add("gap", &Schedule::gap)
        .add("overlap", &Schedule::overlap)
        .add("leap", &Schedule::leap)
        .add("misfire", &Schedule::misfire)
        .add("concurrency", &Schedule::concurrency)
        .add("jitter", &Schedule::jitter)
        .add("startsAt", &Schedule::starts_at)
        .add("endsAt", &Schedule::ends_at)
        .add("enabled", &Schedule::enabled)
        .add("note", &Schedule::note)
        .add("tags", &Schedule::tags)
        .add("pingUrl", &Schedule::ping_url)
        .text();
}

std::string recorded_data(const ApiKey& key) {
    return Members<ApiKey>{nullptr, key}
        .add("name", &ApiKey::name)
        .add("role", &ApiKey::role)
        .add("expiresAt", &ApiKey::expires_at)
        .text();
}

std::string recorded_data(const Calendar& calendar) {
    return Members<Calendar>{nullptr, calendar}
        .add("scheduleId", &Calendar::schedule)
        .add("userId", &Calendar::user)
        .add("expiresAt", &Calendar::expires_at)
        .text();
}

RecordedEvent recorded(std::string_view aggregate, const Uuid& aggregate_id, Version version,
                       std::string event_type, std::string data, const ChangeId& id) {
    return RecordedEvent{
        .stream = {std::string{aggregate}, base::to_string(aggregate_id)},
        .version = version,
        .event_id = id.event_id,
        .event_type = std::move(event_type),
        .data = std::move(data),
        .metadata = {.correlation_id = id.caller.correlation_id, .actor = id.caller.actor}};
}

}  // namespace

RecordedEvent user_created(const User& user, const ChangeId& id) {
    return recorded(own_stream::user, user.id.value, user.version, "UserCreated",
                    recorded_data(nullptr, user), id);
}

RecordedEvent user_updated(const User& before, const User& after, const ChangeId& id) {
    return recorded(own_stream::user, after.id.value, after.version, "UserUpdated",
                    recorded_data(&before, after), id);
}

RecordedEvent user_deleted(const User& last, const ChangeId& id) {
    return recorded(own_stream::user, last.id.value, base::next(last.version), "UserDeleted", "{}",
                    id);
}

RecordedEvent endpoint_created(const Endpoint& endpoint, const ChangeId& id) {
    return recorded(own_stream::endpoint, endpoint.id.value, endpoint.version, "EndpointCreated",
                    recorded_data(nullptr, endpoint), id);
}

RecordedEvent endpoint_updated(const Endpoint& before, const Endpoint& after, const ChangeId& id) {
    return recorded(own_stream::endpoint, after.id.value, after.version, "EndpointUpdated",
                    recorded_data(&before, after), id);
}

RecordedEvent endpoint_deleted(const Endpoint& last, const ChangeId& id) {
    return recorded(own_stream::endpoint, last.id.value, base::next(last.version),
                    "EndpointDeleted", "{}", id);
}

RecordedEvent api_key_created(const ApiKey& key, const ChangeId& id) {
    return recorded(own_stream::api_key, key.id.value, key.version, "ApiKeyCreated",
                    recorded_data(key), id);
}

RecordedEvent api_key_revoked(const ApiKey& last, const ChangeId& id) {
    return recorded(own_stream::api_key, last.id.value, base::next(last.version), "ApiKeyRevoked",
                    "{}", id);
}

RecordedEvent calendar_created(const Calendar& calendar, const ChangeId& id) {
    return recorded(own_stream::calendar, calendar.id.value, calendar.version, "CalendarCreated",
                    recorded_data(calendar), id);
}

RecordedEvent calendar_revoked(const Calendar& last, const ChangeId& id) {
    return recorded(own_stream::calendar, last.id.value, base::next(last.version),
                    "CalendarRevoked", "{}", id);
}

RecordedEvent schedule_created(const Schedule& schedule, const ChangeId& id) {
    return recorded(own_stream::schedule, schedule.id.value, schedule.version, "ScheduleCreated",
                    recorded_data(nullptr, schedule), id);
}

RecordedEvent schedule_deleted(const Schedule& last, const ChangeId& id) {
    return recorded(own_stream::schedule, last.id.value, base::next(last.version),
                    "ScheduleDeleted", "{}", id);
}

RecordedEvent schedule_updated(const Schedule& before, const Schedule& after, const ChangeId& id) {
    return recorded(own_stream::schedule, after.id.value, after.version, "ScheduleUpdated",
                    recorded_data(&before, after), id);
}

}  // namespace sundial
