#include "application/pings/pings.hpp"

#include <algorithm>
#include <ranges>
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
        if (shared_->completed.size() >= max_completed) return;
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
        // While a ping of the same subject is under way, the next one waits for its result.
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

// A newer waiting ping reports the same, so it inherits the attempts that are left.
void Pings::finish(const Subject& subject, Ping ping, const Outcome& outcome, Mono now) {
    const bool accepted = outcome.verdict == Verdict::accepted;
    const bool again =
        outcome.verdict == Verdict::retryable && ping.tries <= settings_.retries.size();
    const auto waiting = waiting_.find(subject);
    Ping* const newer = waiting == waiting_.end() ? nullptr : &waiting->second;
    if (newer != nullptr && newer->report && ping.report && !accepted) {
        newer->report->events += ping.report->events;
    }
    if (again) {
        const Mono due = now + settings_.retries[ping.tries - 1];
        if (newer == nullptr) {
            ping.due = due;
            waiting_.emplace(subject, std::move(ping));
            return;
        }
        newer->tries = ping.tries;
        if (subject) newer->due = std::max(newer->due, due);
        return;
    }
    pinged_[subject] = now;
    if (subject && newer != nullptr) newer->due = std::max(newer->due, now + settings_.apart);
    {
        const std::lock_guard lock(shared_->mutex);
        PingCounts& counts = shared_->counts;
        ++(subject    ? accepted ? counts.schedules_accepted : counts.schedules_failed
           : accepted ? counts.engine_accepted
                      : counts.engine_failed);
    }
    if (accepted) return;
    base::LogLine line{
        .level = base::LogLevel::warn,
        .event_name = "ping.failed",
        .message = "a ping was not accepted: the monitoring service may raise an alarm",
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
        for (const auto& [id, completion] : completed) {
            const auto newer = shared_->completed.find(id);
            if (newer != shared_->completed.end()) {
                newer->second.events += completion.events;
            } else if (shared_->completed.size() < max_completed) {
                shared_->completed.emplace(id, completion);
            }
        }
        return;
    }
    for (const Schedule& schedule : schedules) {
        const Shared::Completion& completion = completed.at(schedule.id);
        report_later(schedule,
                     {.schedule = schedule.id,
                      .external_id = schedule.external_id,
                      .event_type = schedule.event_type,
                      .latest = completion.latest,
                      .at = completion.at,
                      .events = completion.events},
                     now);
    }
}

void Pings::report_later(const Schedule& schedule, Report report, Mono now) {
    const auto last = pinged_.find(schedule.id);
    const Mono due = last == pinged_.end() ? now : std::max(now, last->second + settings_.apart);
    const auto [found, is_only] = waiting_.try_emplace(schedule.id, Ping{.url = {}, .due = due});
    Ping& ping = found->second;
    // A service that refuses pings gets no more requests than one that accepts them.
    if (!is_only) report.events += ping.report->events;
    ping.url = *schedule.ping_url;
    ping.report = std::move(report);
}

void Pings::ping_engine(Mono now) {
    if (settings_.url.empty() || now < next_engine_ping_) return;
    if (!ports_.engine_works()) {
        next_engine_ping_ = now + until_works;
        return;
    }
    next_engine_ping_ = now + settings_.every;
    Ping& ping = waiting_.try_emplace(Subject{}, Ping{.url = settings_.url}).first->second;
    ping.due = now;
}

void Pings::send_due(Mono now) {
    std::vector<std::pair<Mono, Subject>> due;
    for (const auto& [subject, ping] : waiting_) {
        if (ping.due > now || under_way_.contains(subject)) continue;
        due.emplace_back(subject ? ping.due : Mono::min(), subject);
    }
    // The engine's first, then the oldest, so that schedules whose service hangs delay the pings of
    // other schedules but never replace them.
    std::ranges::sort(due);
    due.resize(std::min(due.size(), max_under_way - under_way_.size()));
    for (const Subject& subject : due | std::views::values) {
        Ping ping = std::move(waiting_.extract(subject).mapped());
        if (!subject && !ports_.engine_works()) continue;  // a repetition that is no longer true
        send(subject, std::move(ping));
    }
}

std::string Pings::payload_of(const Ping& ping) {
    if (!ping.report) return "{}";
    const Report& report = *ping.report;
    base::JsonWriter json;
    json.begin_object().member("scheduleId", to_string(report.schedule));
    json.member("externalId", report.external_id);
    json.member("eventType", std::string_view{report.event_type});
    json.member("eventId", to_string(report.latest));
    json.member("completedAt", format_instant_millis(report.at));
    json.member("completed", report.events);
    return std::move(json.end_object()).text();
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
    DeliveryRequest request{.event = ping_event(ports_.ids, payload_of(ping), ping.tries, now),
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
