#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/memory/store.hpp"
#include "application/endpoints/create_endpoint.hpp"
#include "application/endpoints/edit_endpoint.hpp"
#include "application/endpoints/unpark_events.hpp"
#include "application/events/cancel_event.hpp"
#include "application/events/edit_event.hpp"
#include "application/events/retry_event.hpp"
#include "application/events/schedule_event.hpp"
#include "application/operations/operation_tasks.hpp"
#include "application/operations/operations.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/failures.hpp"
#include "application/requests/queries.hpp"
#include "application/schedules/backfill_schedule.hpp"
#include "application/schedules/create_schedule.hpp"
#include "application/schedules/delete_schedule.hpp"
#include "application/schedules/edit_schedule.hpp"
#include "application/schedules/trigger_schedule.hpp"
#include "application/users/create_user.hpp"
#include "application/users/delete_user.hpp"
#include "application/users/edit_user.hpp"
#include "support/builders.hpp"
#include "support/defects.hpp"
#include "support/fake_endpoint_kinds.hpp"
#include "support/fake_ids.hpp"
#include "support/fake_time_zones.hpp"
#include "support/recorded_log.hpp"

namespace sundial {

/// Moves only when a test moves it.
class ManualMonotonic final : public MonotonicClock {
public:
    [[nodiscard]] std::chrono::microseconds now() const override { return time; }
    Mono time{1000s};
};

/// Records every hint.
class RecordedWakeups final : public Wakeups {
public:
    void due_at(Instant when) override { hints.push_back(when); }
    std::vector<Instant> hints;
};

/// Seals by reversing texts, which suffices to show that no plain text is stored.
class FakeSecrets final : public Secrets {
public:
    Result<NewSecret, ValidationFailed> seal(const std::optional<std::string>& given) override {
        const std::string shown = given.value_or("whsec_random");
        if (!shown.starts_with("whsec_")) return invalid("/secret", "bad_format", "no secret");
        return NewSecret{shown, std::string{shown.rbegin(), shown.rend()}, "whsec_…"};
    }
    Result<NewKeyPair, ValidationFailed> new_key_pair() override {
        return NewKeyPair{"whpk_public", "etavirp"};
    }
    std::optional<std::string> seal_text(std::string_view text) override {
        if (!has_key) return std::nullopt;
        return std::string{text.rbegin(), text.rend()};
    }
    std::string open(const std::string& sealed) override {
        if (sealed.starts_with("lost:")) throw Corrupt{"sealed under a key that is lost"};
        return std::string{sealed.rbegin(), sealed.rend()};
    }
    /// A value that begins with "old:" was sealed under an earlier key, with "lost:" under a lost
    /// key.
    std::optional<std::string> resealed(const std::string& sealed) override {
        if (sealed.starts_with("lost:")) (void)open(sealed);
        if (!sealed.starts_with("old:")) return std::nullopt;
        return sealed.substr(4);
    }
    bool has_key = true;  // to seal text with
};

/// The control plane's use cases over a memory store that contains only the schedule `birthday`;
/// the clock stands at `noon`. Also the helpers of their tests.
class ControlPlane : public testing::Test {
protected:
    static UserFields ada() {
        return {.external_id = std::nullopt,
                .first_name = "Ada",
                .last_name = "Li",
                .date_of_birth = "1992-01-06",
                .timezone = "Europe/Paris",
                .dates = {},
                .metadata = {}};
    }
    static UserFields born(std::string date, std::string zone) {
        UserFields fields = ada();
        fields.date_of_birth = std::move(date);
        fields.timezone = std::move(zone);
        return fields;
    }
    User created(const UserFields& fields) { return create_user.run(fields, "req-1").value(); }
    EditedUser edited(const User& user, const UserEdit& edit) {
        return edit_user.run(to_string(user.id), edit, std::nullopt, "req-2").value();
    }
    EditedUser moved(const User& user, std::string zone) {
        UserEdit edit;
        edit.timezone = std::move(zone);
        return edited(user, edit);
    }
    EditedUser reborn(const User& user, std::string date) {
        UserEdit edit;
        edit.date_of_birth = std::move(date);
        return edited(user, edit);
    }
    Endpoint an_existing_endpoint(const Endpoint& endpoint = an_endpoint()) {
        write([&](Transaction& tx) { ASSERT_TRUE(tx.endpoints().add(endpoint)); });
        return endpoint;
    }
    /// A single event, due in an hour unless `requested` says otherwise.
    static NewEvent a_reminder() {
        NewEvent requested;
        requested.event_type = "REMINDER";
        requested.target.utc = "now+1h";
        requested.payload = R"({"text":"Renew"})";
        return requested;
    }
    Event scheduled(const NewEvent& requested) { return schedule_event.run(requested).value(); }

    Schedule birthday() { return queries.schedule("ext:birthday").value().schedule; }
    EditedSchedule edited_birthday(const ScheduleFields& edit) {
        return edit_schedule.run("ext:birthday", edit, std::nullopt, "req-3").value();
    }
    void change_birthday(const std::function<void(Schedule&)>& change) {
        write([&](Transaction& tx) {
            Schedule schedule = tx.schedules().lock(*tx.schedules().id_of("birthday")).value();
            change(schedule);
            tx.schedules().update(schedule);
        });
    }

    /// Runs `work` in a transaction and commits it.
    void write(const std::function<void(Transaction&)>& work) {
        store.transact([&](Transaction& tx) { return work(tx), true; });
    }
    std::vector<Event> events_of(const User& user, std::vector<EventStatus> statuses = {}) {
        EventQuery query;
        query.user = user.id;
        query.statuses = std::move(statuses);
        return queries.events(query).items;
    }
    Event pending_of(const User& user) {
        const auto events = events_of(user, {EventStatus::pending});
        EXPECT_EQ(events.size(), 1U);
        return events.at(0);
    }
    Event find(const Event& event) { return queries.event(to_string(event.id)).value(); }

    /// Claims every event that is claimable now.
    std::vector<Event> claimed(InstanceId by = instance_a) {
        std::vector<Event> events;
        EventQuery all;
        all.page.limit = 10'000;
        std::set<Lane> lanes;
        for (const Event& event :
             in_read(store, [&](Transaction& tx) { return tx.events().list(all).items; })) {
            lanes.insert(lane_of(event));
        }
        for (const Lane& lane : lanes) {
            const auto answer = queue.claim_ready(
                {.by = by, .shard = 0, .shares = {100, 100, 100, 100}, .lease = 30s, .lane = lane});
            for (const auto& claim : answer.events) events.push_back(claim.event);
        }
        return events;
    }
    Event claimed_one() {
        const auto events = claimed();
        EXPECT_EQ(events.size(), 1U);
        return events.at(0);
    }
    void settle(const Event& event, decltype(Settlement::result) result) {
        std::optional<AttemptRecord> attempt;
        if (!std::holds_alternative<Accepted>(result)) {
            attempt = AttemptRecord{.event = event.id,
                                    .number = event.attempt,
                                    .outcome = std::holds_alternative<RetryIn>(result)
                                                   ? AttemptOutcome::retryable
                                                   : AttemptOutcome::permanent,
                                    .endpoint = event.endpoint,
                                    .started_at = clock.now(),
                                    .status_code = 400,
                                    .error_code = "HTTP_STATUS",
                                    .error_text = {},
                                    .response_body = {},
                                    .instance = instance_a};
        }
        const Settlement settlement{.id = event.id,
                                    .held = event.version,
                                    .number = event.attempt,
                                    .by = instance_a,
                                    .result = std::move(result),
                                    .started_at = clock.now(),
                                    .status_code = 200,
                                    .attempt = std::move(attempt)};
        ASSERT_TRUE(queue.settle(std::vector{settlement}).at(0));
    }
    Event completed(const Event& claimed) { return settle(claimed, Accepted{}), find(claimed); }
    Event failed(const Event& claimed) {
        return settle(claimed, Refused{"HTTP_STATUS 400"}), find(claimed);
    }
    /// Parks an event, as the engine does if its endpoint is missing.
    Event parked(const Event& claimed) {
        const ReleasedClaim released{.id = claimed.id,
                                     .held = claimed.version,
                                     .number = claimed.attempt,
                                     .by = instance_a,
                                     .delay = std::nullopt,
                                     .reason = "no endpoint"};
        EXPECT_TRUE(queue.release_claims(std::vector{released}).at(0));
        return find(claimed);
    }
    /// A single FAILED event.
    Event a_failed_event() {
        NewEvent requested = a_reminder();
        requested.target.utc = "now";
        scheduled(requested);
        return failed(claimed_one());
    }

    memory::ManualClock clock{noon};
    memory::MemoryStore store{clock};
    EventQueue& queue = store.queue();
    FakeTimeZones zones;
    FakeIds ids;
    RecordedWakeups wakeups;
    ManualMonotonic monotonic;
    RecordedLog log;
    FakeSecrets secrets;
    FakeDelivery to_webhooks, to_inboxes;
    EndpointKinds kinds = fake_kinds(to_webhooks, to_inboxes);

    CreateUser create_user{store, zones, ids, wakeups};
    EditUser edit_user{store, zones, ids, wakeups};
    PutUser put_user{create_user, edit_user};
    DeleteUser delete_user{store, ids};
    ScheduleEvent schedule_event{store, zones, ids, wakeups};
    EditEvent edit_event{store, zones, ids, wakeups};
    CancelEvent cancel_event{store, zones, ids, wakeups};
    RetryEvent retry_event{store, ids, wakeups};
    UnparkEvents unpark_events{store, wakeups};
    OperationSettings operation_settings{.instance = instance_a};
    Operations operations{operation_settings,
                          {.store = store,
                           .ids = ids,
                           .wakeups = wakeups,
                           .monotonic = monotonic,
                           .log = log,
                           .make_task = operation_tasks(store, zones, ids, wakeups)}};
    EditSchedule edit_schedule{store, zones, ids, operations};
    CreateSchedule create_schedule{store, zones, ids, wakeups, operations};
    PutSchedule put_schedule{create_schedule, edit_schedule};
    DeleteSchedule delete_schedule{store, ids};
    TriggerSchedule trigger_schedule{store, zones, ids, wakeups};
    BackfillSchedule backfill_schedule{store, zones, ids, operations};
    Queries queries{store};
};

/// The error of kind `E` in `answer`; throws if there is none.
template <class E, class T, class Reasons>
[[nodiscard]] E error_of(const base::Result<T, Reasons>& answer) {
    return std::get<E>(Error(answer.error()));
}
template <class T, class Reasons>
[[nodiscard]] std::vector<std::string> defects_of(const base::Result<T, Reasons>& answer) {
    if (answer) return {"no ValidationFailed"};
    const Error error = answer.error();
    const auto* failed = std::get_if<ValidationFailed>(&error);
    return failed ? brief(failed->errors) : std::vector<std::string>{"no ValidationFailed"};
}
template <class E, class T, class Reasons>
[[nodiscard]] bool fails_with(const base::Result<T, Reasons>& answer) {
    return !answer && std::holds_alternative<E>(Error(answer.error()));
}

}  // namespace sundial
