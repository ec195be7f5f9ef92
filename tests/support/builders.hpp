#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/ports/event_queue.hpp"
#include "domain/api_key.hpp"
#include "domain/calendar.hpp"
#include "domain/endpoint.hpp"
#include "domain/event.hpp"
#include "domain/ids.hpp"
#include "domain/operation.hpp"
#include "domain/schedule.hpp"
#include "domain/user.hpp"

/// Valid values for tests; a test changes only what it is about:
/// `an_event().due(noon).with_key("k")`. Every id, key and external name is unique within one
/// program and the same in every run.
/// A builder converts to the type that it builds; use `build()` where the type must be deduced.
namespace sundial {

using namespace std::chrono_literals;

/// The present moment of tests: a Tuesday, 2027-01-05T12:00:00Z.
inline constexpr Instant noon = std::chrono::sys_days{std::chrono::year{2027} / 1 / 5} + 12h;
/// Creation time of the builders' objects: one day earlier.
inline constexpr Instant the_day_before = noon - 24h;

/// The next number of a counter that all builders share.
[[nodiscard]] inline std::uint64_t next_number() {
    static std::atomic<std::uint64_t> count = 0;
    return ++count;
}

/// A version 7 id that ends in `number`, so consecutive ids fall into consecutive shards.
[[nodiscard]] inline Uuid uuid_of(std::uint64_t number) {
    Uuid uuid;
    uuid.bytes = {0x01, 0x99, 0x5b, 0x2c, 0x7d, 0x3a, 0x70, 0x00, 0x80};
    for (std::size_t i = 15; i > 8 && number != 0; --i, number >>= 8U) {
        uuid.bytes[i] = static_cast<std::uint8_t>(number & 0xffU);
    }
    return uuid;
}
/// `an_id<EventId>()`: a unique id.
template <class Id>
[[nodiscard]] Id an_id() {
    return Id{uuid_of(next_number())};
}

inline const InstanceId instance_a{uuid_of(0xa000'0000'0000)};
inline const InstanceId instance_b{uuid_of(0xb000'0000'0000)};

class EventBuilder {
public:
    EventBuilder()
        : event_{.id = an_id<EventId>(),
                 .key = IdempotencyKey{"key-" + std::to_string(next_number())},
                 .type = "REMINDER",
                 .user = std::nullopt,
                 .endpoint = std::nullopt,
                 .occurrence = std::nullopt,
                 .intent = {.wall = std::nullopt},
                 .due = noon,
                 .tz_release = "2025b",
                 .payload = R"({"text":"Renew"})",
                 .claimable_at = noon,
                 .retry_of = std::nullopt,
                 .first_attempt_at = std::nullopt,
                 .dismissed_at = std::nullopt,
                 .created_at = the_day_before,
                 .updated_at = the_day_before} {}

    EventBuilder& with_id(EventId id) { return event_.id = id, *this; }
    EventBuilder& with_key(std::string key) {
        return event_.key = IdempotencyKey{std::move(key)}, *this;
    }
    /// Replaces the id by another unique id of this shard.
    EventBuilder& in_shard(std::uint8_t shard) {
        constexpr std::uint64_t apart_from_plain_numbers = 0x5a'0000'0000'0000;
        event_.id = EventId{uuid_of(apart_from_plain_numbers | next_number() << 8U | shard)};
        return *this;
    }
    EventBuilder& of_type(std::string type) { return event_.type = std::move(type), *this; }
    EventBuilder& with_priority(Priority priority) { return event_.priority = priority, *this; }
    EventBuilder& of_user(UserId user) { return event_.user = user, *this; }
    EventBuilder& to_endpoint(EndpointId endpoint) { return event_.endpoint = endpoint, *this; }
    EventBuilder& of_schedule(ScheduleId schedule, Nominal nominal,
                              Version planned_by = Version{1}) {
        event_.occurrence = Occurrence{schedule, planned_by, nominal};
        return *this;
    }
    EventBuilder& with_payload(std::string payload) {
        return event_.payload = std::move(payload), *this;
    }
    EventBuilder& due(Instant due) { return event_.due = event_.claimable_at = due, *this; }
    /// Requested as a wall time; the caller states the matching instant in `due`.
    EventBuilder& at(WallTime wall, std::string zone, Instant due_then) {
        event_.intent = {.wall = wall, .zone = std::move(zone)};
        return due(due_then);
    }
    EventBuilder& created(Instant at) { return event_.created_at = event_.updated_at = at, *this; }

    [[nodiscard]] Event build() const { return event_; }
    operator Event() const { return event_; }

private:
    Event event_;
};
/// The lane of `an_event()`, and of events of schedules without an endpoint.
inline const Lane reminder_lane{"REMINDER"};
inline const Lane birthday_lane{"BIRTHDAY"};
inline const std::vector<Lane> reminders_only{reminder_lane};
inline const std::vector<Lane> all_lanes{endpoint_lane, reminder_lane, birthday_lane};

/// PENDING, without user or endpoint, due at noon, created the day before.
[[nodiscard]] inline EventBuilder an_event() { return {}; }

class UserBuilder {
public:
    UserBuilder()
        : user_{.id = an_id<UserId>(),
                .external_id = std::nullopt,
                .first_name = "Ada",
                .last_name = "Li",
                .date_of_birth = std::chrono::year{1992} / 2 / 29,
                .timezone = "Europe/Paris",
                .dates = {},
                .metadata = {},
                .created_at = the_day_before,
                .updated_at = the_day_before} {}

    UserBuilder& with_id(UserId id) { return user_.id = id, *this; }
    UserBuilder& with_external_id(std::string id) {
        return user_.external_id = std::move(id), *this;
    }
    UserBuilder& named(std::string first, std::string last) {
        user_.first_name = std::move(first);
        user_.last_name = std::move(last);
        return *this;
    }
    UserBuilder& born(Date date) { return user_.date_of_birth = date, *this; }
    UserBuilder& in(std::string timezone) { return user_.timezone = std::move(timezone), *this; }
    UserBuilder& with_date(std::string name, Date date) {
        return user_.dates.insert_or_assign(std::move(name), date), *this;
    }
    UserBuilder& with_metadata(std::string name, std::string value) {
        return user_.metadata.insert_or_assign(std::move(name), std::move(value)), *this;
    }
    UserBuilder& created(Instant at) { return user_.created_at = user_.updated_at = at, *this; }

    [[nodiscard]] User build() const { return user_; }
    operator User() const { return user_; }

private:
    User user_;
};
/// Ada Li, born on 1992-02-29, in Europe/Paris.
[[nodiscard]] inline UserBuilder a_user() { return {}; }

/// The trigger of a yearly schedule.
[[nodiscard]] inline YearlyTrigger& yearly_of(Schedule& schedule) {
    return std::get<YearlyTrigger>(schedule.trigger);
}

class ScheduleBuilder {
public:
    ScheduleBuilder()
        : schedule_{.id = an_id<ScheduleId>(),
                    .external_id = std::nullopt,
                    .event_type = "BIRTHDAY",
                    .note = std::nullopt,
                    .trigger = YearlyTrigger{},
                    .timezone = std::nullopt,
                    .endpoint = std::nullopt,
                    .payload = R"({"message":"Hey, {firstName} {lastName} it's your birthday"})",
                    .starts_at = std::nullopt,
                    .ends_at = std::nullopt,
                    .created_at = the_day_before,
                    .updated_at = the_day_before} {}

    ScheduleBuilder& with_id(ScheduleId id) { return schedule_.id = id, *this; }
    ScheduleBuilder& with_external_id(std::string id) {
        return schedule_.external_id = std::move(id), *this;
    }
    ScheduleBuilder& of_type(std::string type) {
        return schedule_.event_type = std::move(type), *this;
    }
    ScheduleBuilder& with_priority(Priority priority) {
        return schedule_.priority = priority, *this;
    }
    ScheduleBuilder& yearly_on(std::string on) {
        return yearly_of(schedule_).on = std::move(on), *this;
    }
    ScheduleBuilder& at(TimeOfDay time) { return yearly_of(schedule_).at = time, *this; }
    ScheduleBuilder& with_trigger(Trigger trigger) {
        return schedule_.trigger = std::move(trigger), *this;
    }
    /// Not per user.
    ScheduleBuilder& in(std::string timezone) {
        schedule_.per_user = false;
        schedule_.timezone = std::move(timezone);
        return *this;
    }
    ScheduleBuilder& to_endpoint(EndpointId endpoint) {
        return schedule_.endpoint = endpoint, *this;
    }
    ScheduleBuilder& with_payload(std::string payload) {
        return schedule_.payload = std::move(payload), *this;
    }
    ScheduleBuilder& with_leap(LeapPolicy leap) { return schedule_.leap = leap, *this; }
    ScheduleBuilder& with_gap(GapPolicy gap) { return schedule_.gap = gap, *this; }
    ScheduleBuilder& with_overlap(OverlapPolicy overlap) {
        return schedule_.overlap = overlap, *this;
    }
    ScheduleBuilder& disabled() { return schedule_.enabled = false, *this; }

    [[nodiscard]] Schedule build() const { return schedule_; }
    operator Schedule() const { return schedule_; }

private:
    Schedule schedule_;
};
/// Every birthday at 09:00, enabled, without an endpoint.
[[nodiscard]] inline ScheduleBuilder a_schedule() { return {}; }

/// RUNNING, without a schedule, not claimed, created at noon.
[[nodiscard]] inline Operation an_operation() {
    return {.id = an_id<OperationId>(),
            .kind = OperationKind::replan_schedule,
            .reason = std::nullopt,
            .schedule = std::nullopt,
            .schedule_version = std::nullopt,
            .total = std::nullopt,
            .cursor = std::nullopt,
            .held_by = std::nullopt,
            .claimable_at = noon,
            .created_at = noon,
            .updated_at = noon,
            .finished_at = std::nullopt,
            .request = std::nullopt};
}

/// Of a schedule, with a token of its own.
[[nodiscard]] inline Calendar a_calendar() {
    const auto id = an_id<CalendarId>();
    Calendar calendar{.id = id,
                      .name = "Team",
                      .schedule = an_id<ScheduleId>(),
                      .user = std::nullopt,
                      .token_hash = std::string(32, '\0'),
                      .created_at = noon};
    const auto& bytes = id.value.bytes;
    std::copy(bytes.begin(), bytes.end(), calendar.token_hash.begin());
    return calendar;
}

/// READ, without expiry, never used, created at noon.
[[nodiscard]] inline ApiKey an_api_key() {
    return {.id = an_id<ApiKeyId>(),
            .name = "CRM",
            .secret_hash = std::string(32, '\x01'),
            .created_at = noon};
}

inline const EndpointType webhook_type{"WEBHOOK"};
inline const EndpointType inbox_type{"INBOX"};

class EndpointBuilder {
public:
    EndpointBuilder()
        : endpoint_{.id = an_id<EndpointId>(),
                    .external_id = std::nullopt,
                    .name = "CRM",
                    .type = webhook_type,
                    .url = "https://crm.example/hook",
                    .headers = {{"X-Team", "crm", "…"}},
                    .retry_policy = {},
                    .disabled_reason = std::nullopt,
                    .signing_keys = {{.sealed = "sealed"}},
                    .secret_hint = "whsec_…Q9f",
                    .public_key = {},
                    .created_at = the_day_before,
                    .updated_at = the_day_before} {}

    EndpointBuilder& with_id(EndpointId id) { return endpoint_.id = id, *this; }
    EndpointBuilder& with_external_id(std::string id) {
        return endpoint_.external_id = std::move(id), *this;
    }
    EndpointBuilder& named(std::string name) { return endpoint_.name = std::move(name), *this; }
    EndpointBuilder& with_url(std::string url) { return endpoint_.url = std::move(url), *this; }
    EndpointBuilder& with_format(BodyFormat format) { return endpoint_.format = format, *this; }
    EndpointBuilder& signed_by(std::vector<SigningKey> keys) {
        return endpoint_.signing_keys = std::move(keys), *this;
    }
    EndpointBuilder& with_headers(std::vector<EndpointHeader> headers) {
        return endpoint_.headers = std::move(headers), *this;
    }
    EndpointBuilder& with_timeout(std::chrono::seconds timeout) {
        return endpoint_.timeout = timeout, *this;
    }
    EndpointBuilder& with_retry_policy(RetryPolicy policy) {
        return endpoint_.retry_policy = std::move(policy), *this;
    }
    EndpointBuilder& retrying_client_errors(std::uint32_t times) {
        return endpoint_.retry_client_errors = times, *this;
    }
    EndpointBuilder& limited_to(RateLimit rate) { return endpoint_.rate_limit = rate, *this; }
    EndpointBuilder& with_max_in_flight(std::uint32_t max) {
        return endpoint_.max_in_flight = max, *this;
    }
    EndpointBuilder& disabled(std::string reason = "by hand") {
        endpoint_.enabled = false;
        endpoint_.disabled_reason = std::move(reason);
        return *this;
    }
    EndpointBuilder& inbox() { return without_url(inbox_type); }
    EndpointBuilder& pull() { return without_url(pull_type); }

    [[nodiscard]] Endpoint build() const { return endpoint_; }
    operator Endpoint() const { return endpoint_; }

private:
    EndpointBuilder& without_url(const EndpointType& type) {
        endpoint_.type = type;
        endpoint_.url.clear();
        endpoint_.headers.clear();
        endpoint_.signing_keys.clear();
        endpoint_.secret_hint.clear();
        return *this;
    }

    Endpoint endpoint_;
};
/// A webhook, enabled, standard retries, 10 s.
[[nodiscard]] inline EndpointBuilder an_endpoint() { return {}; }

}  // namespace sundial
