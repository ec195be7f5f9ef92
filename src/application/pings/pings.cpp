#include "application/pings/pings.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// Between two reads of the schedules whose events completed.
constexpr Mono between_reads = 1s;
/// How soon the engine's ping follows once the engine works again.
constexpr Mono until_works = 1s;
constexpr Mono longest_wait = 60s;
constexpr std::size_t max_under_way = 32;
/// Schedules whose events completed since the last read. Further ones get no ping.
constexpr std::size_t max_completed = 10'000;

std::vector<Schedule> pinged_among(Store& store, const std::vector<ScheduleId>& ids) {
    return in_read(store, [&](Transaction& tx) { return tx.schedules().with_ping(ids); });
}

Event ping_event(Ids& ids, std::string payload, std::size_t tries, Instant now) {
    const IdempotencyKey key = ids.random_key();
    return Event{.id = ids.event_id(key),
                 .key = key,
                 .type = "sundial.ping",
                 .user = std::nullopt,
                 .endpoint = std::nullopt,
                 .occurrence = std::nullopt,
                 .intent = {.wall = std::nullopt},
                 .due = now,
                 .tz_release = {},
                 .payload = std::move(payload),
                 .claimable_at = never,
                 .attempt = Attempt{static_cast<std::uint32_t>(tries)},
                 .retry_of = std::nullopt,
                 .first_attempt_at = now,
                 .dismissed_at = std::nullopt,
                 .created_at = now,
                 .updated_at = now,
                 .state = Processing{std::nullopt}};
}

}  // namespace

struct Pings::Shared {
    struct Completion {
        EventId latest;
        Instant at;
        std::uint64_t events = 0;
    };
    std::mutex mutex;
    std::condition_variable changed;
    std::map<ScheduleId, Completion> completed;
    std::vector<std::pair<Subject, Outcome>> results;
    bool news = false;
    bool stop = false;
    PingCounts counts;
};

Pings::Pings(PingSettings settings, Ports ports)
    : settings_(std::move(settings)),
      ports_(std::move(ports)),
      shared_(std::make_shared<Shared>()) {}

void Pings::settled(const AttemptSettled& attempt_settled) {
    const Event& event = attempt_settled.event;
    if (attempt_settled.status != EventStatus::completed || !event.occurrence) return;
    const std::lock_guard lock(shared_->mutex);
    const bool first = shared_->completed.empty();
    const ScheduleId schedule = event.occurrence->schedule;
    auto found = shared_->completed.find(schedule);
    if (found == shared_->completed.end()) {
        if (shared_->completed.size() == max_completed) return;
        found = shared_->completed.emplace(schedule, Shared::Completion{event.id, {}}).first;
    }
    found->second.latest = event.id;
    found->second.at = attempt_settled.at;
    ++found->second.events;
    if (!first) return;
    shared_->news = true;
    shared_->changed.notify_all();
}

void Pings::run() {
    if (ports_.delivery == nullptr) return;
    while (wait(turn(ports_.monotonic.now()))) {
    }
}

void Pings::stop() {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
    shared_->changed.notify_all();
}

PingCounts Pings::counts() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->counts;
}

bool Pings::wait(Mono until) {
    std::unique_lock lock(shared_->mutex);
    const Mono left = std::clamp(until - ports_.monotonic.now(), Mono{0}, longest_wait);
    shared_->changed.wait_for(lock, left, [this] { return shared_->stop || shared_->news; });
    shared_->news = false;
    return !shared_->stop;
}

Mono Pings::turn(Mono now) {
    take_results(now);
    find_schedules(now);
    ping_engine(now);
    send_due(now);
    std::erase_if(pinged_, [&](const auto& one) { return one.second + settings_.apart <= now; });
    Mono next = Mono::max();
    if (!settings_.url.empty()) next = next_engine_ping_;
    for (const auto& [subject, ping] : waiting_) {
        // One that waits for another's end is sent when that one's result arrives.
        if (!under_way_.contains(subject)) next = std::min(next, std::max(ping.due, now));
    }
    if (under_way_.size() >= max_under_way) next = std::max(next, now + 1s);
    const std::lock_guard lock(shared_->mutex);
    return shared_->completed.empty() ? next : std::min(next, read_at_);
}

void Pings::take_results(Mono now) {
    std::vector<std::pair<Subject, Outcome>> results;
    {
        const std::lock_guard lock(shared_->mutex);
        results.swap(shared_->results);
    }
    for (const auto& [subject, outcome] : results) {
        auto ended = under_way_.extract(subject);
        if (ended) finish(subject, std::move(ended.mapped()), outcome, now);
    }
}

void Pings::finish(const Subject& subject, Ping ping, const Outcome& outcome, Mono now) {
    const bool accepted = outcome.verdict == Verdict::accepted;
    if (accepted) {
        pinged_[subject] = now;
        const auto next = waiting_.find(subject);
        if (subject && next != waiting_.end()) {
            next->second.due = std::max(next->second.due, now + settings_.apart);
        }
    } else if (waiting_.contains(subject)) {
        return;  // a newer ping says the same
    } else if (outcome.verdict == Verdict::retryable && ping.tries <= settings_.retries.size()) {
        ping.due = now + settings_.retries[ping.tries - 1];
        waiting_.emplace(subject, std::move(ping));
        return;
    }
    {
        const std::lock_guard lock(shared_->mutex);
        PingCounts& counts = shared_->counts;
        ++(subject    ? accepted ? counts.schedules_accepted : counts.schedules_failed
           : accepted ? counts.engine_accepted
                      : counts.engine_failed);
    }
    if (accepted) return;
    base::LogLine line{.level = base::LogLevel::warn,
                       .event_name = "ping.failed",
                       .message =
                           "a ping was not accepted: the service that waits for it may "
                           "raise an alarm",
                       .correlation_id = {},
                       .fields = {{"reason", failure_reason(outcome)}}};
    if (subject) line.fields.emplace_back("scheduleId", to_string(*subject));
    ports_.log.write(std::move(line));
}

void Pings::find_schedules(Mono now) {
    if (now < read_at_) return;
    std::map<ScheduleId, Shared::Completion> completed;
    {
        const std::lock_guard lock(shared_->mutex);
        completed.swap(shared_->completed);
    }
    if (completed.empty()) return;
    read_at_ = now + between_reads;
    std::vector<ScheduleId> ids;
    ids.reserve(completed.size());
    for (const auto& [id, completion] : completed) ids.push_back(id);
    std::vector<Schedule> schedules;
    try {
        schedules = pinged_among(ports_.store, ids);
    } catch (const std::exception&) {
        // Tried again: the events have completed, whatever the database says now.
        const std::lock_guard lock(shared_->mutex);
        shared_->completed.merge(completed);
        return;
    }
    for (const Schedule& schedule : schedules) {
        const Shared::Completion& completion = completed.at(schedule.id);
        base::JsonWriter json;
        json.begin_object().member("scheduleId", to_string(schedule.id));
        json.member("externalId", schedule.external_id).member("eventType", schedule.event_type);
        json.member("eventId", to_string(completion.latest));
        json.member("completedAt", format_instant_millis(completion.at));
        json.member("completed", completion.events).end_object();
        const auto last = pinged_.find(schedule.id);
        const Mono due =
            last == pinged_.end() ? now : std::max(now, last->second + settings_.apart);
        waiting_.insert_or_assign(
            schedule.id,
            Ping{.url = *schedule.ping_url, .payload = std::move(json).text(), .due = due});
    }
}

void Pings::ping_engine(Mono now) {
    if (settings_.url.empty() || now < next_engine_ping_) return;
    if (!ports_.engine_works()) {
        next_engine_ping_ = now + until_works;
        return;
    }
    next_engine_ping_ = now + settings_.every;
    waiting_.insert_or_assign(Subject{}, Ping{.url = settings_.url, .payload = "{}", .due = now});
}

void Pings::send_due(Mono now) {
    std::vector<std::pair<Subject, Ping>> due;
    for (auto& [subject, ping] : waiting_) {
        if (under_way_.size() + due.size() >= max_under_way) break;
        if (ping.due <= now && !under_way_.contains(subject)) due.emplace_back(subject, ping);
    }
    for (auto& [subject, ping] : due) {
        waiting_.erase(subject);
        if (!subject && !ports_.engine_works()) continue;  // a repetition that is no longer true
        send(subject, std::move(ping));
    }
}

void Pings::send(const Subject& subject, Ping ping) {
    ++ping.tries;
    const Instant now = ports_.time_of_day();
    const Endpoint to{.id = EndpointId{ports_.ids.fresh()},
                      .external_id = std::nullopt,
                      .name = "ping",
                      .type = EndpointType{""},
                      .url = ping.url,
                      .headers = {},
                      .timeout = settings_.timeout,
                      .retry_policy = {},
                      .disabled_reason = std::nullopt,
                      .signing_keys = {},
                      .secret_hint = {},
                      .public_key = {},
                      .created_at = now,
                      .updated_at = now};
    DeliveryRequest request{.event = ping_event(ports_.ids, ping.payload, ping.tries, now),
                            .endpoint = std::make_shared<const Endpoint>(to),
                            .target_time = format_instant(now) + "[UTC]",
                            .now = now};
    under_way_.insert_or_assign(subject, std::move(ping));
    auto done = [shared = shared_, subject](Outcome outcome) {
        const std::lock_guard lock(shared->mutex);
        shared->results.emplace_back(subject, std::move(outcome));
        shared->news = true;
        shared->changed.notify_all();
    };
    try {
        ports_.delivery->start(std::move(request), done);
    } catch (const std::exception& exception) {
        Outcome outcome;
        outcome.error = DeliveryErrorCode::worker;
        outcome.error_text = exception.what();
        done(std::move(outcome));
    }
}

}  // namespace sundial
