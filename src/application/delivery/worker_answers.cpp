#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "application/delivery/judge_outcome.hpp"
#include "application/delivery/worker.hpp"
#include "base/check.hpp"

namespace sundial {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds own_try_wait = 1s;
const Deferral stopping{0us, "STOPPING the instance is stopping"};
const Deferral was_silent{0us,
                          "HEARTBEAT_LOST the database did not renew the instance's heartbeat"};
constexpr const char* no_thread = "NO_THREAD the system refused a thread for its handler";
constexpr const char* snoozed = "SNOOZED its handler asked for a later time";
constexpr int gone = 410;
const std::string gone_reason = "the receiver answered 410 Gone";

/// Time from a claim or an extension to the next extension. Two of every three extensions may fail
/// (reliability 3).
Mono until_extension(std::chrono::microseconds lease) { return std::min<Mono>(10s, lease / 3); }

Deferral circuit_open(std::chrono::microseconds wait) {
    return {wait, "CIRCUIT_OPEN its endpoint is failing; requests are paused", Obstacle::circuit};
}

/// It returns to its place in line, before later events.
Deferral not_allowed(const HeldClaim& claim) {
    const Event& event = claim.event;
    const Instant since = event.retry_count == 0 ? target_of(event) : claim.claimed_at;
    return {std::min<std::chrono::microseconds>(since - claim.claimed_at, 0us),
            "LIMIT_REACHED its endpoint has as many requests as its limits allow", Obstacle::limit};
}

}  // namespace

// Answers.

void Worker::backlog_counted() {
    backlog_counted_ = true;
    read_backoff_.succeed();
}

void Worker::peeked(const QueuePeek& peeked, Mono now) {
    base::check(peeked.next.size() == peeked.lanes.size() * settings_.shards);
    lanes_ = peeked.lanes;
    pool_rooms_.clear();
    scheduler_.note_peek(peeked, issued_at_, now);
    lines_.note_peek(peeked, settings_.clock_stands_still ? never : peeked.now + settings_.tick);
    receivers_.forget_idle([this](EndpointId id) { return held_.bound_for(id) > 0; }, now);
    read_backoff_.succeed();
}

void Worker::limit(std::vector<HandlerPool> pools) {
    pools_ = std::move(pools);
    pool_rooms_.clear();
}

void Worker::update_rooms(Mono now) {
    pool_rooms_.resize(pools_.size());
    for (std::size_t i = 0; i < pools_.size(); ++i) {
        const HandlerPool& pool = pools_[i];
        std::size_t held = 0;
        for (const Lane& lane : pool.lanes) held += held_.taken_slots_of(lane);
        const std::size_t limit = pool.limit + (pool.ahead ? ahead_.events(now) : 0);
        const std::size_t left = limit - std::min(limit, held);
        // Claims only when half is free, because a claim for few events costs as much as one for
        // many. The same holds for all slots together.
        const auto room = static_cast<std::uint32_t>(2 * left >= limit ? left : 0);
        if (std::exchange(pool_rooms_[i], room) == room) continue;  // nearly always
        for (std::size_t place = 0; place < lanes_.size(); ++place) {
            if (std::ranges::find(pool.lanes, lanes_[place]) == pool.lanes.end()) continue;
            for (std::uint32_t shard = 0; shard < settings_.shards; ++shard) {
                scheduler_.set_room(static_cast<std::uint32_t>(place) * settings_.shards + shard,
                                    room);
            }
        }
    }
}

void Worker::claimed(std::vector<Claimed> claims, Mono answered) {
    const auto [turns, issued_at] = std::exchange(claiming_, std::nullopt).value();
    read_backoff_.succeed();
    expect_extension(issued_at);
    base::check(claims.size() == turns.size());
    scheduler_.claimed(turns, claims, issued_at, answered);
    for (Claimed& claimed : claims) {
        for (const LineHead& head : claimed.lined_up) lines_.joined(head);
        if (pass_ && pass_->left) {
            *pass_->left -= std::min<std::uint64_t>(*pass_->left, claimed.events.size());
        }
        for (ClaimedEvent& one : claimed.events) accept(std::move(one), claimed.now, issued_at);
    }
}

void Worker::expect_extension(Mono issued_at) {
    if (!held_.has_leases()) {
        extend_at_ = Mono::max();
        extend_backoff_.succeed();
        extensions_failed_ = 0;
    }
    extend_at_ = std::min(extend_at_, issued_at + until_extension(settings_.lease));
}

void Worker::lines_claimed(std::vector<LineAnswer> answers, Mono now) {
    admit_backoff_.succeed();
    expect_extension(issued_at_);
    for (LineAnswer& answer : answers) {
        scheduler_.read_time(answer.now, issued_at_, now);
        receivers_.admitted(answer, issued_at_);
        Instant ask_at = answer.retry.value_or(answer.now);
        // An operator may close its circuit or change its limits before that.
        if (!settings_.clock_stands_still) ask_at = std::min(ask_at, answer.now + settings_.tick);
        lines_.answered(answer, ask_at);
        if (pass_ && pass_->left) {
            *pass_->left -= std::min<std::uint64_t>(*pass_->left, answer.events.size());
        }
        take_from_line(std::move(answer), now);
    }
}

void Worker::take_from_line(LineAnswer answer, Mono now) {
    const Instant today = scheduler_.database_now(now);
    for (std::size_t i = 0; i < answer.events.size(); ++i) {
        const auto until_start = std::max<std::chrono::microseconds>(0us, answer.starts[i] - today);
        accept(std::move(answer.events[i]), answer.now, issued_at_, now + until_start);
    }
}

void Worker::accept(ClaimedEvent claimed, Instant claimed_at, Mono sent_at,
                    std::optional<Mono> starts) {
    const Event& event = claimed.event;
    const EventId id = event.id;
    if (const HeldClaim* known = held_.find(id)) {
        // Our own lease expired before we knew. An unsent claim is void. An attempt under way must
        // not overlap with a second one, and its outcome will be recorded as LATE.
        if (!is_unsent(known->stage)) {
            ReleasedClaim released{
                id,
                event.version,
                event.attempt,
                settings_.instance,
                own_try_wait,
                "LEASE_LOST an earlier attempt of this instance is still running"};
            PendingReturn back{std::move(released)};
            back.lane = lane_of(event);
            to_release_.push_back(std::move(back));
            return;
        }
        held_.forget(id);
    }
    HeldClaim& claim = held_.add({.event = std::move(claimed.event),
                                  .claimed_at = claimed_at,
                                  .sent_at = sent_at,
                                  .deadline = deadline_of(sent_at),
                                  .previous_lost = claimed.previous_lost,
                                  .admitted = starts.has_value(),
                                  .not_before = starts.value_or(Mono{})});
    if (stopping_) {
        defer(claim, stopping);
    } else if (silent_ || sent_at < alive_.since) {
        defer(claim, was_silent);
    } else {
        to_plan_.push_back(id);
    }
}

void Worker::planned(std::vector<Decision> decisions, Instant earliest_successor, Mono now) {
    plan_backoff_.succeed();
    plan_limit_ = largest_write;
    base::check(decisions.size() == planning_.size());
    planning_.clear();
    if (earliest_successor != never) scheduler_.hint(earliest_successor);
    for (Decision& decision : decisions) {
        HeldClaim* claim = held_.find(decision.id, Stage::claimed);
        if (claim == nullptr) continue;
        if (std::holds_alternative<Ended>(decision.what)) {
            held_.forget(decision.id);
        } else if (const auto* why = std::get_if<Deferral>(&decision.what)) {
            defer(*claim, *why);
        } else if (const auto* accepted = std::get_if<AcceptedBefore>(&decision.what)) {
            finish(*claim, accepted_before(claim->event, accepted->attempt, settings_.instance),
                   now);
        } else {
            claim->destination = std::move(std::get<Destination>(decision.what));
            // If no attempt was lost, the attempts are used up only because the policy became
            // shorter. The promised attempt is sent and is the last.
            if (claim->previous_lost &&
                attempts_used_up(claim->event, claim->destination.retry_policy)) {
                finish(*claim, lost_for_good(claim->event, settings_.instance), now);
            } else {
                let_through(*claim, now);
            }
        }
    }
}

void Worker::let_through(HeldClaim& claim, Mono now) {
    const EventId id = claim.event->id;
    const Endpoint* endpoint = claim.destination.endpoint.get();
    if (endpoint != nullptr) {
        receivers_.meet(claim.destination, now);
        if (claim.admitted) {
            const bool probes = receivers_.probe_of(endpoint->id) == id;
            if (claim.destination.circuit_closed || probes) return make_ready(claim, now);
            held_.withdraw_permit(claim);  // the circuit has opened since
        }
        if (receivers_.room_for(endpoint->id, held_.bound_for(endpoint->id),
                                scheduler_.anything_due(now), now) == 0) {
            return defer(claim, not_allowed(claim));
        }
        if (!receivers_.admits(endpoint->id, held_.in_flight(endpoint->id),
                               claim.destination.timeout, now)) {
            held_.move_to(claim, Stage::planned);
            to_admit_.insert(id);
            return;
        }
    }
    make_ready(claim, now);
}

void Worker::make_ready(HeldClaim& claim, Mono now) {
    held_.move_to(claim, Stage::ready);
    if (claim.not_before > now) {
        to_start_.emplace(claim.not_before, claim.event->id);
    } else {
        ready_.push_back(claim.event->id);
    }
}

void Worker::admitted(std::span<const Admission> admissions) {
    base::check(admissions.size() == asking_.size());
    admit_backoff_.succeed();
    for (std::size_t i = 0; i < admissions.size(); ++i) {
        const Admission& admission = admissions[i];
        const std::vector<EventId>& waiting = asking_[i];
        receivers_.admitted(
            admission, admission.probe ? std::optional{waiting.front()} : std::nullopt, issued_at_);
        for (std::size_t place = 0; place < waiting.size(); ++place) {
            HeldClaim& claim = held_.at(waiting[place], Stage::planned);
            if (place < admission.admitted) {
                held_.move_to(claim, Stage::ready);
                ready_.push_back(waiting[place]);
            } else {
                defer(claim, admission.obstacle == Obstacle::circuit
                                 ? circuit_open(admission.waits[place - admission.admitted])
                                 : not_allowed(claim));
            }
        }
    }
    asking_.clear();
}

void Worker::results_reported(std::span<const ReceiverChange> changes) {
    report_backoff_.succeed();
    reporting_.clear();
    for (const ReceiverChange& change : changes) {
        if (change.given_up) disable(change.endpoint, *change.given_up);
        if (change.before == CircuitState::closed && change.after != CircuitState::closed) {
            request_admission_again(change.endpoint);
        }
    }
}

void Worker::request_admission_again(EndpointId endpoint) {
    receivers_.opened(endpoint);
    for (HeldClaim* claim : held_.unsent()) {
        const Endpoint* bound_for = claim->destination.endpoint.get();
        if (claim->stage != Stage::ready || bound_for == nullptr || bound_for->id != endpoint) {
            continue;
        }
        held_.withdraw_permit(*claim);
        held_.move_to(*claim, Stage::planned);
        to_admit_.insert(claim->event->id);
    }
}

void Worker::disable(EndpointId endpoint, std::string reason) {
    if (std::ranges::find(to_disable_, endpoint, &DisableEndpoint::endpoint) != to_disable_.end()) {
        return;
    }
    to_disable_.push_back({endpoint, std::move(reason)});
}

void Worker::endpoint_disabled() {
    disable_backoff_.succeed();
    for (HeldClaim* claim : held_.unsent()) {
        const Endpoint* endpoint = claim->destination.endpoint.get();
        if (endpoint == nullptr || endpoint->id != to_disable_.front().endpoint) continue;
        defer(*claim, {std::nullopt, "ENDPOINT_DISABLED its endpoint is disabled"});
    }
    to_disable_.pop_front();
}

std::vector<Settled> Worker::settled(const ClaimResults& answer, double random, Mono now) {
    base::check(answer.results.size() == settling_.size());
    settle_backoff_.succeed();
    std::vector<Settled> all;
    all.reserve(settling_.size());
    const std::size_t apart_before = apart_.size();
    for (std::size_t i = 0; i < settling_.size(); ++i) {
        if (answer.has(i)) {
            all.push_back(settled_one(i, !answer.results[i].has_value(), now));
        } else {
            apart_.push_back({std::move(settling_[i]), settling_since_[i]});
        }
    }
    if (apart_.size() > apart_before) {
        apart_backoff_.fail(random, now);
    } else {
        if (apart_.empty()) apart_backoff_.succeed();
        settle_limit_ = largest_write;
    }
    settling_.clear();
    settling_since_.clear();
    return all;
}

Settled Worker::settled_one(std::size_t place, bool late, Mono now) {
    Settlement& settlement = settling_[place];
    SharedEvent event = held_.take(settlement.id, Stage::settling);
    if (const auto* retry = std::get_if<RetryIn>(&settlement.result); retry && !late) {
        expect(settlement.id, lane_of(event), retry->delay, now);
    }
    return {std::move(event), std::move(settlement), late};
}

void Worker::claims_released(const ClaimResults& answer, std::size_t freed, double random,
                             Mono now) {
    std::vector<PendingReturn> left;
    for (std::size_t i = 0; i < releasing_.size(); ++i) {
        if (answer.has(i)) {
            released_one(releasing_[i], now);
        } else {
            left.push_back(std::move(releasing_[i]));
        }
    }
    if (left.empty()) {
        release_backoff_.succeed();
    } else {
        release_backoff_.fail(random, now);
    }
    releasing_.clear();
    to_release_.insert(to_release_.begin(), std::make_move_iterator(left.begin()),
                       std::make_move_iterator(left.end()));
    if (freed > 0) scheduler_.hint(scheduler_.reached(now));
}

void Worker::released_one(const PendingReturn& one, Mono now) {
    const ReleasedClaim& released = one.released;
    const HeldClaim* claim = held_.find(released.id, Stage::releasing);
    if (claim != nullptr && claim->event->version == released.held) held_.forget(released.id);
    if (one.joins) {
        lines_.joined(*one.joins);
    } else if (released.delay) {
        expect(released.id, one.lane, *released.delay, now);
    }
}

void Worker::expect(EventId id, const Lane& lane, std::chrono::microseconds delay, Mono now) {
    const auto found = std::ranges::find(lanes_, lane);
    if (found == lanes_.end()) return;  // no longer claimed here
    const auto place = static_cast<std::uint32_t>(found - lanes_.begin());
    scheduler_.expect(place * settings_.shards + shard_of(id, settings_.shards),
                      scheduler_.reached(now) + delay);
}

std::vector<SharedEvent> Worker::extended(const ExtendAnswer& answer, double random, Mono now) {
    extensions_failed_ = 0;
    if (answer.only) {
        extend_backoff_.fail(random, now);
        extend_at_ = now;
        for (const EventId id : *answer.only) held_.set_deadline(id, deadline_of(issued_at_));
    } else {
        extend_backoff_.succeed();
        extend_at_ = issued_at_ + until_extension(settings_.lease);
        held_.set_deadlines(deadline_of(issued_at_));
    }
    return lost_of(answer.lost);
}

std::vector<SharedEvent> Worker::lost_of(std::span<const EventId> lost) {
    std::vector<SharedEvent> events;
    for (const EventId id : lost) {
        HeldClaim* claim = held_.find(id);
        if (claim == nullptr) continue;
        events.push_back(claim->event);
        claim->lost = true;
        if (is_unsent(claim->stage)) held_.forget(id);
    }
    return events;
}

// Inputs that answer no command.

std::optional<Worker::EndedAttempt> Worker::delivered(EventId id, Outcome outcome, double random,
                                                      Mono now) {
    HeldClaim& claim = held_.at(id, Stage::sending);
    if (!outcome.begun) {
        if (outcome.again_at && !stopping_) {
            defer(claim,
                  {std::max(0us, *outcome.again_at - scheduler_.database_now(now)), no_thread});
        } else {
            defer(claim, stopping_ ? stopping : was_silent);
        }
        return std::nullopt;
    }
    ahead_.ended(now);
    if (outcome.again_at) {
        defer(claim, {std::max(0us, *outcome.again_at - scheduler_.database_now(now)), snoozed});
        return std::nullopt;
    }
    const Endpoint* endpoint = claim.destination.endpoint.get();
    outcome = judged(std::move(outcome), claim.event, endpoint);
    if (endpoint != nullptr) {
        receivers_.saw(endpoint->id, id, call_result(outcome), outcome.duration, now);
        lines_.ended(endpoint->id);
        if (outcome.status_code == gone) disable(endpoint->id, gone_reason);
    }
    finish(claim,
           settlement_of(claim.event, claim.destination, outcome, settings_.instance,
                         claim.started_at, random),
           now);
    return EndedAttempt{claim.event, claim.destination, claim.started_at, std::move(outcome)};
}

void Worker::wake(Instant due) { scheduler_.hint(due); }

void Worker::heartbeat(const Alive& alive, Mono now) {
    if (alive.since > alive_.since) fall_silent(now);
    const bool others_died = alive.dead.ids != alive_.dead.ids;
    alive_ = alive;
    silent_ = now >= alive_.until;
    if (others_died) scheduler_.forget();  // their claims may be claimable at once
}

void Worker::fall_silent(Mono now) {
    if (silent_) return;
    silent_ = true;
    for (HeldClaim* claim : held_.unsent()) defer(*claim, was_silent);
    held_.set_deadlines(now);  // attempts are aborted
}

void Worker::stop(Mono now) {
    if (stopping_) return;
    stopping_ = true;
    drain_until_ = now + settings_.drain;
    for (HeldClaim* claim : held_.unsent()) defer(*claim, stopping);
}

void Worker::begin_pass(std::optional<std::uint64_t> limit) {
    pass_ = Pass{limit, false};
    scheduler_.forget();
}

bool Worker::pass_over() const { return pass_ && pass_->closed && all_done(); }

void Worker::end_pass() { pass_.reset(); }

bool Worker::caught_up_to(Instant then) const {
    return scheduler_.past(then) && !held_.any_due_by(then) && !lines_.any_by(then);
}

Instant Worker::database_now(Mono now) const { return scheduler_.database_now(now); }

Instant Worker::reached(Mono now) const { return scheduler_.reached(now); }

void Worker::defer(HeldClaim& claim, const Deferral& why) {
    held_.move_to(claim, Stage::releasing);
    const Event& event = claim.event;
    PendingReturn back{{event.id, event.version, event.attempt, settings_.instance, why.delay,
                        why.reason, why.obstacle}};
    back.lane = lane_of(event);
    if (!why.delay) back.parked = claim.event;
    if (why.obstacle == Obstacle::circuit) {
        back.blocked = {event.id, event.version, claim.destination.endpoint->id};
    }
    if (why.obstacle == Obstacle::limit) {
        back.joins = {claim.destination.endpoint->id, shard_of(event.id, settings_.shards),
                      event.priority, claim.claimed_at + why.delay.value()};
    }
    to_release_.push_back(std::move(back));
}

void Worker::finish(HeldClaim& claim, Settlement settlement, Mono now) {
    held_.move_to(claim, Stage::settling);
    to_settle_.push_back({std::move(settlement), now});
}

}  // namespace sundial
