#include "application/worker.hpp"

#include <algorithm>
#include <string>

#include "application/judge_outcome.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr Mono extend_every = 10s;  // a third of the lease: two may fail
/// The end of a lease is not ours to use: clocks differ, replies take time (reliability 3).
constexpr Mono margin = 5s;
constexpr unsigned extensions_failed_for_doubt = 2;

constexpr std::size_t settle_batch = 100;
constexpr Mono settle_wait = 20ms;
constexpr Mono settle_wait_when_idle = 2ms;
/// Outcomes that wait to be settled before claiming stops: ten batches.
constexpr std::size_t most_unsettled = 1000;
constexpr std::size_t largest_write = 500;

constexpr std::chrono::microseconds own_try_wait = 1s;
const KeepBack stopping{0us, "STOPPING the instance stops"};
constexpr int gone = 410;

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
      rota_(settings.shards, home_shard(settings.instance, settings.shards), settings.tick,
            settings.clock_stands_still),
      claiming_{.by = settings.instance},
      plan_limit_(largest_write),
      settle_limit_(largest_write),
      backlog_counted_(!settings.count_backlog) {
    base::check(settings.slots > 0 && settings.claim_batch > 0 && settings.lease > margin);
}

// What to do next, most urgent first.

Command Worker::next(Mono now) {
    if (stopping_ && (all_done() || now >= drain_until_)) return Finished{};
    if (const HeldClaim* claim = held_.take_overdue(now)) return Abandon{claim->event};
    if (auto command = next_extension(now)) return *std::move(command);
    if (!to_disable_.empty() && disable_backoff_.over(now)) {
        return DisableEndpoint{to_disable_.front()};
    }
    if (auto command = next_send(now)) return *std::move(command);
    if (auto command = next_write(now)) return *std::move(command);
    if (auto command = next_plan(now)) return *std::move(command);
    if (auto command = next_read(now)) return *std::move(command);
    return WaitUntil{next_moment(now)};
}

std::optional<Command> Worker::next_extension(Mono now) {
    if (now < extend_at_ || !extend_backoff_.over(now)) return std::nullopt;
    Extend extend{held_.leases(), settings_.lease};
    if (extend.held.empty()) return std::nullopt;
    issued_at_ = now;
    return extend;
}

std::optional<Command> Worker::next_send(Mono now) {
    if (in_doubt()) return std::nullopt;
    while (!ready_.empty()) {
        HeldClaim* claim = held_.find(ready_.front(), Stage::ready);
        ready_.pop_front();
        if (claim == nullptr) continue;
        if (now + claim->destination.timeout > claim->deadline) {
            keep_back(*claim, {0us, "LEASE_SHORT its lease would end before its time-out"});
            continue;
        }
        held_.move_to(*claim, Stage::sending);
        claim->started_at = std::max(claim->claimed_at, rota_.database_now(now));
        return Send{claim->event, claim->destination, claim->started_at};
    }
    return std::nullopt;
}

std::optional<Command> Worker::next_write(Mono now) {
    if (!to_give_back_.empty() && give_back_backoff_.over(now)) {
        giving_back_ = take(to_give_back_, largest_write);
        GiveBack give_back;
        for (const PendingReturn& one : giving_back_) {
            give_back.batch.push_back(one.given_back);
            if (one.parked) give_back.parked.push_back(*one.parked);
        }
        return give_back;
    }
    if (!to_settle_.empty() && now >= settle_at(now)) {
        settling_ = take(to_settle_, settle_limit_);
        Settle settle;
        for (const PendingSettlement& one : settling_) settle.batch.push_back(one.settlement);
        return settle;
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

std::optional<Command> Worker::next_read(Mono now) {
    if (stopping_ || !read_backoff_.over(now)) return std::nullopt;
    if (!rota_.has_looked()) return Look{};
    if (!backlog_counted_) return CountBacklog{};
    if (may_claim()) {
        std::size_t most = std::min(free_slots(), settings_.claim_batch);
        if (pass_ && pass_->left) most = std::min<std::size_t>(most, *pass_->left);
        if (const auto turn = rota_.next_claim(static_cast<std::uint32_t>(most), now)) {
            issued_at_ = now;
            claiming_ = {settings_.instance, turn->shard, turn->shares, settings_.lease};
            return Claim{claiming_};
        }
        if (rota_.must_look(now)) return Look{};
    }
    close_pass_if_done(now);
    return std::nullopt;
}

void Worker::close_pass_if_done(Mono now) {
    if (!pass_ || pass_->closed) return;
    const bool used_up = pass_->left == 0U;
    // With its slots taken it cannot claim yet what is due.
    const bool nothing_due = may_claim() && rota_.hopeless(now);
    pass_->closed = used_up || nothing_due;
}

Mono Worker::next_moment(Mono now) const {
    Mono moment = now + settings_.tick;  // at the latest, so that others see that we are alive
    const auto at = [&](Mono when) { moment = std::min(moment, when); };
    if (held_.has_leases()) at(std::max(extend_at_, extend_backoff_.until()));
    if (held_.sending() > 0) at(held_.first_deadline());
    if (!to_disable_.empty()) at(disable_backoff_.until());
    if (!to_give_back_.empty()) at(give_back_backoff_.until());
    if (!to_settle_.empty()) at(settle_at(now));
    if (!to_plan_.empty()) at(plan_backoff_.until());
    if (stopping_) {
        at(drain_until_);
    } else if (read_backoff_.failing()) {
        at(read_backoff_.until());
    } else if (may_claim()) {
        at(rota_.next_change(now));
    }
    return std::max(moment, now);
}

Mono Worker::settle_at(Mono now) const {
    if (to_settle_.empty()) return Mono::max();
    const bool more_to_send = held_.taken_slots() > held_.sending();
    const bool more_due = !stopping_ && rota_.anything_due(now);
    const bool more_to_come = held_.sending() > 0 || more_to_send || (more_due && may_claim());
    if (to_settle_.size() >= settle_batch || stopping_ || !more_to_come) {
        return settle_backoff_.until();
    }
    const bool idle = !more_to_send && !more_due;
    return std::max(to_settle_.front().since + (idle ? settle_wait_when_idle : settle_wait),
                    settle_backoff_.until());
}

bool Worker::may_claim() const {
    const bool passing = !pass_ || (!pass_->closed && pass_->left != 0U);
    return passing && !stopping_ && !in_doubt() && !settle_backoff_.failing() &&
           to_settle_.size() < most_unsettled && free_slots() * 2 >= settings_.slots;
}

bool Worker::in_doubt() const {
    return extensions_failed_ >= extensions_failed_for_doubt && held_.has_leases();
}

std::size_t Worker::free_slots() const { return settings_.slots - held_.taken_slots(); }

bool Worker::all_done() const {
    return held_.empty() && to_give_back_.empty() && to_disable_.empty();
}

// Answers.

void Worker::backlog_counted() {
    backlog_counted_ = true;
    read_backoff_.succeed();
}

void Worker::horizon(const Horizon& horizon, Mono now) {
    rota_.looked(horizon, now);
    read_backoff_.succeed();
}

void Worker::claimed(const Claimed& claimed, Mono now) {
    read_backoff_.succeed();
    rota_.claimed(claiming_.shard, claiming_.shares, claimed, now);
    if (pass_ && pass_->left) {
        *pass_->left -= std::min<std::uint64_t>(*pass_->left, claimed.events.size());
    }
    if (!held_.has_leases()) {
        extend_at_ = issued_at_ + extend_every;
        extend_backoff_.succeed();
        extensions_failed_ = 0;
    }
    for (const ClaimedEvent& one : claimed.events) accept(one, claimed.now);
}

void Worker::accept(const ClaimedEvent& claimed, Instant claimed_at) {
    const Event& event = claimed.event;
    if (const HeldClaim* known = held_.find(event.id)) {
        // Our own lease was over before we knew. A claim that was not sent is void; one that is
        // under way must not overlap with a second try, and what it brings will be told as LATE.
        if (known->stage != Stage::claimed && known->stage != Stage::ready) {
            to_give_back_.push_back(
                {{event.id, event.version, event.attempt, settings_.instance, own_try_wait,
                  "LEASE_LOST an earlier try of this instance is not over"},
                 std::nullopt});
            return;
        }
        held_.forget(event.id);
    }
    HeldClaim& claim = held_.add({.event = event,
                                  .claimed_at = claimed_at,
                                  .deadline = issued_at_ + settings_.lease - margin,
                                  .rescued = claimed.rescued});
    if (stopping_) {
        keep_back(claim, stopping);
    } else {
        to_plan_.push_back(event.id);
    }
}

void Worker::planned(std::vector<Decision> decisions, Instant earliest_successor, Mono now) {
    plan_backoff_.succeed();
    plan_limit_ = largest_write;
    base::check(decisions.size() == planning_.size());
    planning_.clear();
    if (earliest_successor != never) rota_.hint(earliest_successor);
    for (Decision& decision : decisions) {
        HeldClaim* claim = held_.find(decision.id, Stage::claimed);
        if (claim == nullptr) continue;
        if (std::holds_alternative<Ended>(decision.what)) {
            held_.forget(decision.id);
        } else if (const auto* why = std::get_if<KeepBack>(&decision.what)) {
            keep_back(*claim, *why);
        } else if (const auto* accepted = std::get_if<AcceptedBefore>(&decision.what)) {
            finish(*claim, accepted_before(claim->event, accepted->attempt, settings_.instance),
                   now);
        } else {
            claim->destination = std::move(std::get<Destination>(decision.what));
            // Else the policy has become shorter: the try that was promised is the last.
            if (claim->rescued && tries_used_up(claim->event, claim->destination.retry_policy)) {
                finish(*claim, lost_for_good(claim->event, settings_.instance), now);
            } else {
                held_.move_to(*claim, Stage::ready);
                ready_.push_back(decision.id);
            }
        }
    }
}

void Worker::endpoint_disabled() {
    disable_backoff_.succeed();
    for (HeldClaim* claim : held_.unsent()) {
        const Endpoint* endpoint = claim->destination.endpoint.get();
        if (endpoint == nullptr || endpoint->id != to_disable_.front()) continue;
        keep_back(*claim, {std::nullopt, "ENDPOINT_DISABLED its endpoint is disabled"});
    }
    to_disable_.pop_front();
}

std::vector<Settled> Worker::settled(std::span<const Result<void>> results, Mono now) {
    base::check(results.size() == settling_.size());
    settle_backoff_.succeed();
    settle_limit_ = largest_write;
    std::vector<Settled> all;
    for (std::size_t i = 0; i < settling_.size(); ++i) {
        Settlement& settlement = settling_[i].settlement;
        HeldClaim& claim = held_.at(settlement.id, Stage::settling);
        const bool late = !results[i].has_value();
        if (const auto* retry = std::get_if<RetryIn>(&settlement.result); retry && !late) {
            rota_.expect(shard_of(settlement.id, settings_.shards),
                         rota_.database_now(now) + retry->delay);
        }
        all.push_back({std::move(claim.event), std::move(settlement), late});
        held_.forget(all.back().event.id);
    }
    settling_.clear();
    return all;
}

void Worker::given_back(std::size_t released, Mono now) {
    give_back_backoff_.succeed();
    for (const PendingReturn& one : giving_back_) {
        const GivenBack& given_back = one.given_back;
        const HeldClaim* claim = held_.find(given_back.id, Stage::giving_back);
        if (claim != nullptr && claim->event.version == given_back.held) {
            held_.forget(given_back.id);
        }
        if (given_back.delay) {
            rota_.expect(shard_of(given_back.id, settings_.shards),
                         rota_.database_now(now) + *given_back.delay);
        }
    }
    giving_back_.clear();
    if (released > 0) rota_.hint(rota_.database_now(now));
}

std::vector<Event> Worker::extended(std::span<const EventId> lost) {
    extend_backoff_.succeed();
    extensions_failed_ = 0;
    extend_at_ = issued_at_ + extend_every;
    held_.set_deadlines(issued_at_ + settings_.lease - margin);
    std::vector<Event> events;
    for (const EventId id : lost) {
        HeldClaim* claim = held_.find(id);
        if (claim == nullptr) continue;
        events.push_back(claim->event);
        claim->lost = true;
        if (claim->stage == Stage::claimed || claim->stage == Stage::ready) held_.forget(id);
    }
    return events;
}

// What happens by itself.

Worker::Try Worker::delivered(EventId id, Outcome outcome, double random, Mono now) {
    HeldClaim& claim = held_.at(id, Stage::sending);
    const Endpoint* endpoint = claim.destination.endpoint.get();
    outcome = judged(std::move(outcome), claim.event, endpoint);
    if (endpoint != nullptr && outcome.status_code == gone &&
        std::ranges::find(to_disable_, endpoint->id) == to_disable_.end()) {
        to_disable_.push_back(endpoint->id);
    }
    finish(claim,
           settlement_of(claim.event, claim.destination, outcome, settings_.instance,
                         claim.started_at, random),
           now);
    return {claim.event, claim.destination, claim.started_at, std::move(outcome)};
}

void Worker::wake(Instant due) { rota_.hint(due); }

void Worker::stop(Mono now) {
    if (stopping_) return;
    stopping_ = true;
    drain_until_ = now + settings_.drain;
    for (HeldClaim* claim : held_.unsent()) keep_back(*claim, stopping);
}

void Worker::begin_pass(std::optional<std::uint64_t> limit) {
    pass_ = Pass{limit, false};
    rota_.forget();
}

bool Worker::pass_over() const { return pass_ && pass_->closed && all_done(); }

void Worker::end_pass() { pass_.reset(); }

bool Worker::caught_up_to(Instant then) const {
    return rota_.past(then) && !held_.any_due_by(then);
}

Instant Worker::database_now(Mono now) const { return rota_.database_now(now); }

void Worker::keep_back(HeldClaim& claim, const KeepBack& why) {
    held_.move_to(claim, Stage::giving_back);
    const Event& event = claim.event;
    to_give_back_.push_back(
        {{event.id, event.version, event.attempt, settings_.instance, why.delay, why.reason},
         why.delay ? std::nullopt : std::optional{event}});
}

void Worker::finish(HeldClaim& claim, Settlement settlement, Mono now) {
    held_.move_to(claim, Stage::settling);
    to_settle_.push_back({std::move(settlement), now});
}

}  // namespace sundial
