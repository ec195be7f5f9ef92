#include "application/delivery/worker.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

/// The end of a lease is unsafe to use: clocks differ and replies take time (reliability 3).
constexpr Mono margin = 5s;
constexpr unsigned extensions_failed_for_doubt = 2;

constexpr std::size_t settle_batch = 100;
constexpr Mono settle_wait = 20ms;
constexpr Mono settle_wait_when_idle = 2ms;
/// Bounds the outcomes that wait to be settled before claiming stops: four of the largest writes.
constexpr std::size_t max_unsettled = 2000;
constexpr std::size_t max_reported = 100;  // receivers in one report
constexpr std::ptrdiff_t max_lines = 16;   // endpoints in one claim from lines: a few milliseconds
/// Permits are reserved this far ahead. A claim and its planning take a tenth of that time, so
/// events are ready when their permits begin.
constexpr std::chrono::microseconds permits_ahead = 100ms;
/// Delay before an endpoint that has its share of this instance's slots is considered again.
constexpr std::chrono::microseconds room_again = 250ms;
/// Longer than the usual pauses of a receiver or a network.
constexpr Mono stuck_after = 1s;
const Deferral stuck{
    0us, "TRIES_SLOW attempts of this instance take longer than when it claimed the event"};

std::uint32_t home_shard(const InstanceId& instance, std::uint32_t shards) {
    return instance.value.bytes.back() % shards;
}

/// Takes at most `limit` from the front.
template <class T>
std::vector<T> take(std::deque<T>& queue, std::size_t limit) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(limit, queue.size()));
    std::vector<T> taken{std::make_move_iterator(queue.begin()),
                         std::make_move_iterator(queue.begin() + count)};
    queue.erase(queue.begin(), queue.begin() + count);
    return taken;
}

}  // namespace

Worker::Worker(WorkerSettings settings)
    : settings_(settings),
      scheduler_(settings.shards, home_shard(settings.instance, settings.shards), settings.tick,
                 settings.clock_stands_still, settings.claims_at_once),
      receivers_({.slots = settings.slots, .lease = settings.lease, .margin = margin}),
      plan_limit_(largest_write),
      settle_limit_(largest_write),
      backlog_counted_(!settings.count_backlog) {
    base::check(settings.slots > 0 && settings.claim_batch > 0 && settings.lease > margin);
}

// The next command, most urgent first.

Command Worker::next(Mono now) {
    if (stopping_ && (all_done() || now >= drain_until_)) return Finished{};
    if (now >= alive_.until) fall_silent(now);
    update_rooms(now);
    if (const HeldClaim* claim = held_.take_overdue(now)) return Abandon{claim->event};
    if (auto command = next_extension(now)) return *std::move(command);
    if (!to_disable_.empty() && disable_backoff_.over(now)) {
        return to_disable_.front();
    }
    if (auto command = next_admission(now)) return *std::move(command);
    if (auto command = next_send(now)) return *std::move(command);
    if (auto command = next_lines(now)) return *std::move(command);
    if (auto command = next_claim(now)) return *std::move(command);
    if (auto command = next_report(now)) return *std::move(command);
    if (auto command = next_write(now)) return *std::move(command);
    if (auto command = next_plan(now)) return *std::move(command);
    if (auto command = next_read(now)) return *std::move(command);
    return WaitUntil{next_moment(now)};
}

std::optional<Command> Worker::next_extension(Mono now) {
    if (now < extend_at_ || !extend_backoff_.over(now)) return std::nullopt;
    if (!settling_.empty()) return std::nullopt;  // an extension would report those as lost
    Extend extend{held_.leases(), settings_.lease};
    if (extend.held.empty()) return std::nullopt;
    issued_at_ = now;
    return extend;
}

std::optional<Command> Worker::next_admission(Mono now) {
    if (!admit_backoff_.over(now)) return std::nullopt;
    std::map<EndpointId, std::vector<const HeldClaim*>> waiting;
    for (const EventId id : to_admit_) {
        const HeldClaim* claim = held_.find(id, Stage::planned);
        if (claim != nullptr) waiting[claim->destination.endpoint->id].push_back(claim);
    }
    to_admit_.clear();
    if (draining() || receivers_.may_renew(now)) {
        const auto in_flight = [this](EndpointId endpoint) { return held_.in_flight(endpoint); };
        for (const EndpointId endpoint : receivers_.to_renew(in_flight, draining(), now)) {
            waiting.try_emplace(endpoint);
        }
    }
    if (waiting.empty()) return std::nullopt;
    RequestAdmission ask;
    asking_.clear();
    for (auto& [endpoint, claims] : waiting) {
        // The most urgent event goes first, and a probe is the oldest of all.
        std::ranges::sort(claims, {}, [](const HeldClaim* claim) {
            return std::pair{claim->event->priority, target_of(claim->event)};
        });
        AdmissionRequest asked = receivers_.question(endpoint, held_.in_flight(endpoint),
                                                     static_cast<std::uint32_t>(claims.size()));
        asked.may_probe = may_probe(endpoint);
        ask.asked.push_back(asked);
        std::vector<EventId>& events = asking_.emplace_back();
        for (const HeldClaim* claim : claims) events.push_back(claim->event->id);
    }
    issued_at_ = now;
    return ask;
}

bool Worker::may_probe(EndpointId endpoint) {
    const auto probe = receivers_.probe_of(endpoint);
    const HeldClaim* probing = probe ? held_.find(*probe) : nullptr;
    const bool under_way =
        probing != nullptr && (probing->stage == Stage::ready || probing->stage == Stage::sending ||
                               (probing->stage == Stage::claimed && probing->admitted));
    return !under_way && !receivers_.has_probe_to_report(endpoint);
}

std::optional<Command> Worker::next_report(Mono now) {
    if (!report_backoff_.over(now)) return std::nullopt;
    const bool all =
        held_.empty() && (stopping_ || (draining() && !receivers_.has_reported(false)));
    if (!all && !receivers_.may_report(now)) return std::nullopt;
    reporting_ = receivers_.to_report(all, max_reported, now);
    if (reporting_.empty()) return std::nullopt;
    return ReportResults{reporting_};
}

std::optional<Command> Worker::next_send(Mono now) {
    if (in_doubt() || silent_) return std::nullopt;
    for (auto first = to_start_.begin(); first != to_start_.end() && first->first <= now;
         first = to_start_.erase(first)) {
        ready_.push_back(first->second);
    }
    while (!ready_.empty() && held_.sending() < settings_.slots) {
        HeldClaim* claim = held_.find(ready_.front(), Stage::ready);
        ready_.pop_front();
        if (claim == nullptr) continue;
        if (now + claim->destination.timeout > claim->deadline) {
            defer(*claim, too_short_for(claim->destination.timeout));
            continue;
        }
        const Endpoint* endpoint = claim->destination.endpoint.get();
        if (endpoint != nullptr &&
            !receivers_.usable(endpoint->id, claim->destination.timeout, now)) {
            held_.withdraw_permit(*claim);
            held_.move_to(*claim, Stage::planned);
            to_admit_.insert(claim->event->id);
            continue;
        }
        held_.move_to(*claim, Stage::sending);
        claim->started_at = std::max(claim->claimed_at, scheduler_.database_now(now));
        return Send{claim->event, claim->destination.endpoint,
                    std::move(claim->destination.target_time), claim->started_at, claim->sent_at};
    }
    return std::nullopt;
}

std::optional<Command> Worker::next_write(Mono now) {
    release_if_stuck(now);
    if (!to_release_.empty() && release_backoff_.over(now)) {
        releasing_ = take(to_release_, largest_write);
        ReleaseClaims release_claims;
        for (const PendingReturn& one : releasing_) {
            release_claims.batch.push_back(one.released);
            if (one.parked) release_claims.parked.push_back(*one.parked);
            if (one.blocked) release_claims.blocked.push_back(*one.blocked);
        }
        return release_claims;
    }
    if (!apart_.empty() && apart_backoff_.over(now)) {
        std::ranges::move(apart_, std::back_inserter(to_settle_));
        apart_.clear();
    }
    if (settling_.empty() && !to_settle_.empty() && now >= settle_at(now)) {
        const std::size_t count = std::min(to_settle_.size(), settle_limit_);
        settling_.reserve(count);
        for (; settling_.size() < count; to_settle_.pop_front()) {
            settling_.push_back(std::move(to_settle_.front().settlement));
            settling_since_.push_back(to_settle_.front().since);
        }
        return Settle{settling_};
    }
    return std::nullopt;
}

std::optional<Command> Worker::next_plan(Mono now) {
    if (to_plan_.empty() || !plan_backoff_.over(now)) return std::nullopt;
    Plan plan;
    for (const EventId id : take(to_plan_, plan_limit_)) {
        const HeldClaim* claim = held_.find(id, Stage::claimed);
        if (claim == nullptr) continue;
        planning_.push_back(id);
        plan.events.push_back(claim->event);
    }
    if (plan.events.empty()) return std::nullopt;
    return plan;
}

std::optional<Command> Worker::next_lines(Mono now) {
    if (!may_read(now) || !scheduler_.has_peeked() || !backlog_counted_ || !may_claim(now) ||
        !admit_backoff_.over(now)) {
        return std::nullopt;
    }
    std::vector<EndpointId> endpoints = lines_.to_ask(scheduler_.reached(now));
    if (endpoints.empty()) return std::nullopt;
    if (std::ssize(endpoints) > max_lines) {
        endpoints.erase(endpoints.begin() + max_lines, endpoints.end());
    }
    std::size_t left = room(now);
    if (pass_ && pass_->left) left = std::min<std::size_t>(left, *pass_->left);
    const std::size_t each = std::max<std::size_t>(1, left / endpoints.size());
    ClaimLines claim{{}, settings_.clock_stands_still ? 0us : permits_ahead};
    const bool others_wait = scheduler_.anything_due(now) || endpoints.size() > 1;
    for (const EndpointId endpoint : endpoints) {
        if (left == 0) break;
        const std::size_t its =
            receivers_.room_for(endpoint, held_.bound_for(endpoint), others_wait, now);
        if (its == 0) {
            lines_.put_off(endpoint, scheduler_.reached(now) + room_again);
            continue;
        }
        const std::size_t requested = std::min({each, left, its});
        left -= requested;
        claim.asked.push_back({.endpoint = endpoint,
                               .places = lines_.places(endpoint),
                               .in_flight = held_.in_flight(endpoint),
                               .requested = static_cast<std::uint32_t>(requested),
                               .may_probe = may_probe(endpoint)});
    }
    if (claim.asked.empty()) return std::nullopt;
    issued_at_ = now;
    return claim;
}

/// Precedes the planning of earlier claims, because a claim runs beside it.
std::optional<Command> Worker::next_claim(Mono now) {
    if (!may_read(now) || !scheduler_.has_peeked() || !backlog_counted_ || !may_claim(now)) {
        return std::nullopt;
    }
    std::size_t max_claims = std::min(room(now), settings_.claim_batch);
    if (pass_ && pass_->left) max_claims = std::min<std::size_t>(max_claims, *pass_->left);
    auto turns = scheduler_.next_claims(static_cast<std::uint32_t>(max_claims), now);
    if (turns.empty()) return std::nullopt;
    if (scheduler_.peek_overdue(now)) return peek(now);
    Claim claim;
    claim.requests.reserve(turns.size());
    for (const auto& [part, shares, with_next] : turns) {
        claim.requests.push_back({settings_.instance, part % settings_.shards, shares,
                                  settings_.lease, lines_.limited(),
                                  lanes_.at(part / settings_.shards), alive_.dead, with_next});
    }
    claiming_ = {std::move(turns), now};
    return claim;
}

std::optional<Command> Worker::next_read(Mono now) {
    if (!may_read(now)) return std::nullopt;
    if (!scheduler_.has_peeked()) return peek(now);
    if (!backlog_counted_) return CountBacklog{};
    if (may_claim(now) && scheduler_.must_peek(now)) return peek(now);
    close_pass_if_done(now);
    return std::nullopt;
}

Peek Worker::peek(Mono now) {
    issued_at_ = now;
    return {alive_.dead};
}

void Worker::close_pass_if_done(Mono now) {
    if (!pass_ || pass_->closed) return;
    const bool used_up = pass_->left == 0U;
    // While all slots are taken, due events cannot be claimed yet.
    const bool permits_come = lines_.any_full() && held_.sending() > 0;
    const bool nothing_due = may_claim(now) && scheduler_.nothing_claimable(now) && !permits_come &&
                             lines_.next_ask() > scheduler_.reached(now);
    pass_->closed = used_up || nothing_due;
}

Mono Worker::next_moment(Mono now) const {
    Mono moment = now + settings_.tick;  // at the latest: health checks watch the loop
    const auto at = [&](Mono when) { moment = std::min(moment, when); };
    const bool settling = !settling_.empty();  // its answer will wake the loop
    if (held_.has_leases() && !settling) at(std::max(extend_at_, extend_backoff_.until()));
    if (held_.sending() > 0) at(held_.first_deadline());
    if (!silent_) at(alive_.until);
    if (!to_disable_.empty()) at(disable_backoff_.until());
    if (!to_release_.empty()) at(release_backoff_.until());
    if (!to_settle_.empty() && !settling) at(settle_at(now));
    if (!apart_.empty()) at(apart_backoff_.until());
    if (!to_plan_.empty()) at(plan_backoff_.until());
    if (!to_admit_.empty()) at(admit_backoff_.until());
    if (!to_start_.empty()) at(to_start_.begin()->first);
    if (too_many_since_) at(*too_many_since_ + stuck_after);
    at(std::max({receivers_.next_moment(), admit_backoff_.until(), report_backoff_.until()}));
    if (stopping_) {
        at(drain_until_);
    } else if (!read_backoff_.over(now)) {
        at(read_backoff_.until());
    } else if (!claiming_ && may_claim(now)) {
        at(scheduler_.next_change(now));
        at(std::max(scheduler_.mono_of(lines_.next_ask(), now), admit_backoff_.until()));
    }
    return std::max(moment, now);
}

Mono Worker::settle_at(Mono now) const {
    if (to_settle_.empty()) return Mono::max();
    const bool more_to_send = held_.taken_slots() > held_.sending();
    const bool more_due = !stopping_ && scheduler_.anything_due(now);
    const bool more_to_come =
        held_.sending() > 0 || more_to_send || claiming_ || (more_due && may_claim(now));
    const std::size_t enough = std::clamp(ahead_.events(now), settle_batch, largest_write);
    if (to_settle_.size() >= enough || stopping_ || !more_to_come) {
        return settle_backoff_.until();
    }
    const bool idle = !more_to_send && !more_due;
    return std::max(to_settle_.front().since + (idle ? settle_wait_when_idle : settle_wait),
                    settle_backoff_.until());
}

/// A read during a claim would not reflect what the claim takes.
bool Worker::may_read(Mono now) const {
    return !stopping_ && !claiming_ && read_backoff_.over(now);
}

bool Worker::may_claim(Mono now) const {
    const bool passing = !pass_ || (!pass_->closed && pass_->left != 0U);
    return passing && !stopping_ && !silent_ && !in_doubt() && !settle_backoff_.failing() &&
           to_settle_.size() + settling_.size() + apart_.size() < max_unsettled &&
           room(now) * 2 >= capacity(now);
}

/// A new claim can send it, unless the endpoint's time-out exceeds every lease under these
/// settings.
Deferral Worker::too_short_for(std::chrono::microseconds timeout) const {
    if (timeout + margin < settings_.lease)
        return {0us, "LEASE_SHORT its lease would expire before its timeout"};
    return {1min,
            "LEASE_SHORT the timeout of its endpoint is too long for scheduler.lease: lower the "
            "timeout or raise the lease"};
}

Mono Worker::deadline_of(Mono issued_at) const { return issued_at + settings_.lease - margin; }

bool Worker::in_doubt() const {
    return extensions_failed_ >= extensions_failed_for_doubt && held_.has_leases();
}

std::size_t Worker::capacity(Mono now) const {
    // Prefetched events of one endpoint must not delay another endpoint's events.
    return settings_.slots + (receivers_.has_rivals(now) ? 0 : ahead_.events(now));
}

std::size_t Worker::room(Mono now) const {
    const std::size_t all = capacity(now);
    return all - std::min(all, held_.taken_slots());
}

void Worker::release_if_stuck(Mono now) {
    const std::size_t taken = held_.taken_slots();
    if (held_.sending() < settings_.slots || taken <= capacity(now)) {
        too_many_since_.reset();
        return;
    }
    if (!too_many_since_) too_many_since_ = now;
    if (now < *too_many_since_ + stuck_after) return;
    for (std::size_t left = taken - capacity(now); left > 0 && !ready_.empty(); ready_.pop_back()) {
        HeldClaim* claim = held_.find(ready_.back(), Stage::ready);
        if (claim == nullptr) continue;
        defer(*claim, stuck);
        --left;
    }
}

bool Worker::all_done() const {
    return held_.empty() && !claiming_ && to_release_.empty() && to_disable_.empty() &&
           receivers_.has_reported(stopping_) && !receivers_.has_slots();
}

bool Worker::draining() const { return stopping_ || (pass_ && pass_->closed); }

}  // namespace sundial
