#include "simulation/checker.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "domain/liveness.hpp"
#include "domain/time/text.hpp"

namespace sundial::simulation {
namespace {

using namespace std::chrono_literals;

/// Reliability 11: recovered within lease + 2 ticks + 5 s. The lease is added where there is one.
constexpr auto back_within = 7s;
/// Tolerance for steps that belong to one moment, because calls take time.
constexpr auto soon = 50ms;
constexpr auto signed_within = 5s;

bool accepts(int status) { return status >= 200 && status < 300; }

/// The faults by time and process.
class Faults {
public:
    explicit Faults(const std::vector<Fault>& faults) {
        for (const Fault& fault : faults) of_[fault.source].push_back(fault);
        for (auto& [source, list] : of_) std::ranges::sort(list, {}, &Fault::begin);
    }
    /// The kind of a fault that hit `source`, or all processes, within that time.
    [[nodiscard]] std::optional<std::string> during(std::uint32_t source, Time begin,
                                                    Time end) const {
        if (auto kind = among(source, begin, end)) return kind;
        return among(all, begin, end);
    }
    /// Whether a fault of that kind hit `source`, or all processes, within that time.
    [[nodiscard]] bool has(std::string_view kind, std::uint32_t source, Time begin,
                           Time end) const {
        const auto hits = [&](std::uint32_t whom) {
            const auto found = of_.find(whom);
            return found != of_.end() &&
                   std::ranges::any_of(found->second, [&](const Fault& fault) {
                       return fault.kind == kind && fault.begin <= end && fault.end >= begin;
                   });
        };
        return hits(source) || hits(all);
    }
    [[nodiscard]] bool anywhere(Time begin, Time end) const {
        return std::ranges::any_of(
            of_, [&](const auto& entry) { return among(entry.first, begin, end).has_value(); });
    }

private:
    static constexpr std::uint32_t all = 0;
    /// No fault lasts longer, except a time in which no process runs, which concerns all processes.
    static constexpr Time longest = std::chrono::hours{100};

    [[nodiscard]] std::optional<std::string> among(std::uint32_t source, Time begin,
                                                   Time end) const {
        const auto found = of_.find(source);
        if (found == of_.end()) return std::nullopt;
        const auto& list = found->second;
        auto at = std::ranges::lower_bound(list, begin - longest, {}, &Fault::begin);
        for (; at != list.end() && at->begin <= end; ++at) {
            if (at->end >= begin) return at->kind;
        }
        return std::nullopt;
    }
    std::map<std::uint32_t, std::vector<Fault>> of_;
};

/// The state of one event at a point of its history.
struct Life {
    struct Request {
        const Step* step;
        Time end = Time::max();  // still in progress
    };
    struct Holder {
        std::uint32_t source;
        std::uint64_t version;
        Instant until;
        Instant claimed_at;
        Time since;
    };
    std::optional<Holder> holder;
    std::optional<UserId> user;  // its user at the time of the claim
    std::uint64_t version = 0;
    std::uint32_t attempt = 0;  // of the latest claim
    std::uint32_t highest_sent = 0;
    std::set<std::uint32_t> sent;
    std::set<std::uint64_t> settled;  // versions of claims whose settlement took effect
    std::vector<Request> requests;
    // The first response of an accepting receiver, even if it was lost.
    const Step* accepted = nullptr;
    const Step* ended = nullptr;        // the step that made it final
    std::optional<Instant> not_before;  // its next attempt
    /// Set by the receiver's response to that claim; applies once the sender has settled the claim.
    std::optional<std::pair<std::uint64_t, Instant>> asked_to_wait;
    bool edited = false;
};

class Checker {
public:
    explicit Checker(const History& history) : history_(history), faults_(history.faults) {}

    Verdict run() {
        for (const Step& step : history_.steps) follow(step);
        judge_keys();
        judge_effects();
        for (const FinalEvent& one : history_.events) judge(one);
        judge_acknowledged();
        for (const FinalChain& chain : history_.chains) {
            if (!chain.alive) {
                const std::string whom = chain.user ? " for " + to_string(*chain.user) : "";
                breach("I1", "nothing follows: " + chain.schedule + whom, std::nullopt);
            }
        }
        return std::move(verdict_);
    }

private:
    void breach(std::string invariant, std::string text, std::optional<EventId> event) {
        verdict_.breaches.push_back({std::move(invariant), std::move(text), event});
    }
    void breach(std::string invariant, std::string text, const Step& step) {
        breach(std::move(invariant), std::move(text) + ": " + describe(step), step.id);
    }
    /// Reports a breach unless one of these faults explains it.
    void breach_unless_fault(const char* invariant, const std::string& text, const Step& step,
                             std::initializer_list<std::uint32_t> sources, Time begin) {
        for (const std::uint32_t source : sources) {
            if (const auto kind = faults_.during(source, begin, step.mono)) {
                ++verdict_.excused[std::string{invariant} + " " + *kind];
                return;
            }
        }
        breach(invariant, text, step);
    }

    void follow(const Step& step) {
        if (step.op == Op::erase && step.how != How::refused) erased_.insert(step.user.value());
        if (step.op == Op::create) return follow_create(step);
        if (step.op == Op::stop) stopped_[step.source] = step.mono;
        if (step.op == Op::beat) return follow_beat(step);
        if (step.op == Op::gone) gone_.insert(step.source);
        if (!step.id) return;
        Life& life = lives_[*step.id];
        switch (step.op) {
            case Op::claim:
                return follow_claim(step, life);
            case Op::extend:
                return follow_extend(step, life);
            case Op::settle:
            case Op::release:
                return follow_write(step, life);
            case Op::request:
                return follow_request(step, life);
            case Op::answer:
            case Op::close:
                return follow_end(step, life);
            case Op::cancel:
                if (step.how == How::ok && life.ended == nullptr) life.ended = &step;
                return;
            case Op::edit:
                life.edited = true;
                return;
            case Op::retry:
                return follow_retry(step, life);
            case Op::create:
            case Op::erase:
            case Op::manage:
            case Op::stop:
            case Op::beat:
            case Op::gone:
                return;
        }
    }

    /// The sender's knowledge of the others, by the rule of the domain.
    void follow_beat(const Step& step) {
        const auto before = heartbeats_.find(step.source);
        const Heartbeat own = renewed(
            before == heartbeats_.end() ? std::nullopt : std::optional{before->second}, step.at);
        heartbeats_[step.source] = own;
        std::erase_if(heartbeats_, [&](const auto& entry) {
            return entry.second.renewed_at < step.at - remembered_for;
        });
        for (const auto& [source, heartbeat] : heartbeats_) {
            if (source == step.source || found_dead_at(own, heartbeat) > step.at) continue;
            found_dead_[{step.source, source}] = step.at;
        }
    }

    /// Whether the holder's process had ended, which another one on its machine sees, or the sender
    /// of `step` had found it dead after it made that claim.
    [[nodiscard]] bool may_take_over(const Step& step, std::uint32_t holder,
                                     Instant claimed_at) const {
        if (gone_.contains(holder)) return true;
        const auto found = found_dead_.find({step.source, holder});
        return found != found_dead_.end() && found->second >= claimed_at;
    }

    void follow_create(const Step& step) {
        if (!step.sound) breach("I11", "not the moment that was asked for", step);
        if (step.how == How::ok && step.id) acknowledged_.push_back(&step);
    }

    /// Of an event that waited for its next attempt: it waits no longer.
    static void follow_retry(const Step& step, Life& life) {
        if (life.version == 0 || step.how == How::refused) return;
        life.edited = true;
        life.not_before.reset();
        life.asked_to_wait.reset();
    }

    void follow_claim(const Step& step, Life& life) {
        if (life.holder && step.at < life.holder->until &&
            !may_take_over(step, life.holder->source, life.holder->claimed_at)) {
            breach("I6", "claimed while another has it", step);
        }
        if (step.version <= life.version) breach("I6", "its version did not grow", step);
        // The first claim of a retry goes on from the attempts of the event that it retries.
        const bool goes_on = step.is_retry && life.attempt == 0;
        if (!goes_on && step.attempt != life.attempt + 1) {
            breach("I6", "its number is not the next", step);
        }
        if (life.ended != nullptr) {
            breach(life.ended->op == Op::cancel ? "I13" : "I4", "claimed though it is over", step);
        }
        if (step.at < step.target) breach("I10", "claimed early", step);
        if (!step.sound) breach("I11", "its instant is not its local time", step);
        if (life.not_before && step.at < *life.not_before) {
            breach("I13", "its next try was promised for later", step);
        }
        judge_lateness(step, life);
        if (life.holder) judge_left(step, *life.holder);
        life.holder = {step.source, step.version, step.until, step.at, step.mono};
        if (step.user) life.user = step.user;
        life.version = step.version;
        life.attempt = step.attempt;
        life.not_before.reset();
    }

    void judge_lateness(const Step& step, const Life& life) {
        if (!history_.roomy) return;
        Instant ready = std::max(step.target, step.created_at);
        if (life.holder) ready = std::max(ready, ends_at(*life.holder));
        if (life.not_before) ready = std::max(ready, *life.not_before);
        // Paused, edited or parked in between: the time since which it could be claimed is unknown.
        const bool unclear = life.edited || (life.holder && life.not_before) ||
                             (!life.holder && !life.not_before && step.version != 2);
        if (unclear || step.at - ready <= back_within) return;
        if (step.from_line) {  // for a limit, or for a circuit that may be open for minutes
            ++verdict_.excused["I12 in a line"];
            return;
        }
        const Time ready_since = step.mono - (step.at - ready);
        if (faults_.anywhere(ready_since - 2s, step.mono)) {
            ++verdict_.excused["I12 a fault"];
            return;
        }
        breach("I12", "not taken up in time", step);
    }

    /// The end of its lease, or when other instances can find the holder dead. One that stops
    /// deletes its heartbeat, also if it does not know of a claim because the answer was lost: no
    /// other instance finds it dead.
    [[nodiscard]] Instant ends_at(const Life::Holder& holder) const {
        const auto heartbeat = heartbeats_.find(holder.source);
        if (heartbeat == heartbeats_.end() || stopped_.contains(holder.source)) return holder.until;
        return std::min(holder.until, heartbeat->second.renewed_at + dead_after);
    }

    /// An instance that stops releases all its claims, except those whose response was lost.
    void judge_left(const Step& step, const Life::Holder& holder) {
        const auto stopped = stopped_.find(holder.source);
        if (stopped == stopped_.end()) return;
        if (const auto kind = faults_.during(holder.source, holder.since, stopped->second)) {
            ++verdict_.excused["I12 " + *kind];
            return;
        }
        breach("I12", "its holder has stopped, and did not give it back", step);
    }

    void follow_extend(const Step& step, Life& life) {
        if (step.how != How::ok) return;
        if (!life.holder || life.holder->version != step.version) {
            return breach("I6", "extended by who does not have it", step);
        }
        life.holder->until = step.until;
    }

    void follow_write(const Step& step, Life& life) {
        if (step.how != How::ok) return;
        if (life.settled.contains(step.version)) return;  // repeated, because its response was lost
        if (!life.holder || life.holder->version != step.version ||
            life.holder->source != step.source) {
            return breach("I6", "written by who does not have it", step);
        }
        if (life.ended != nullptr) breach("I4", "written though it is over", step);
        life.settled.insert(step.version);
        life.holder.reset();
        life.version = step.version + 1;
        life.not_before.reset();
        if (step.op == Op::release) {
            // The claim was undone: its number is free again.
            if (step.what == "limit") life.attempt = step.attempt - 1;
            return;
        }
        if (step.what == "retry") {
            life.not_before = step.until;
            if (life.asked_to_wait && life.asked_to_wait->first == step.version &&
                step.until < life.asked_to_wait->second) {
                breach("I13", "the receiver asked for more time", step);
            }
            return;
        }
        life.ended = &step;
        if (step.what == "completed" && life.accepted == nullptr) {
            breach("I5", "COMPLETED, and no receiver has accepted it", step);
        }
    }

    void follow_request(const Step& step, Life& life) {
        if (step.attempt > life.attempt) breach("I15", "a number that nobody has claimed", step);
        if (!life.sent.insert(step.attempt).second) breach("I8", "a number sent twice", step);
        if (step.at < step.target) breach("I10", "sent early", step);
        const Time recently = step.mono - 10min;
        if (step.attempt < life.highest_sent) {
            breach_unless_fault("I8", "numbers do not grow", step, {step.source}, recently);
        }
        life.highest_sent = std::max(life.highest_sent, step.attempt);
        if (!life.requests.empty()) {
            const Step& first = *life.requests.front().step;
            if (first.key != step.key) breach("I8", "another key than before", step);
            if (first.what != step.what && !step.what.empty()) {
                breach("I8", "another body than before", step);
            }
        }
        for (const Life::Request& other : life.requests) {
            if (other.end <= step.mono) continue;
            judge_overlap(step, *other.step);
        }
        if (life.ended != nullptr) {
            breach_unless_fault(life.ended->op == Op::cancel ? "I13" : "I4",
                                "sent though it is over", step, {step.source}, recently);
        }
        if (step.until != Instant{} && std::chrono::abs(step.at - step.until) > signed_within) {
            breach_unless_fault("I14", "its timestamp is wrong", step, {step.source}, recently);
        }
        judge_duplicate(step, life);
        life.requests.push_back({&step});
    }

    /// An instance that awaits an answer of the database aborts its requests in time. One that is
    /// frozen cannot, and a step of the clock shortens the time.
    void judge_overlap(const Step& step, const Step& other) {
        for (const std::uint32_t source : {step.source, other.source}) {
            for (const char* kind : {"freeze", "clock step"}) {
                if (!faults_.has(kind, source, other.mono - 2min, step.mono)) continue;
                ++verdict_.excused[std::string{"I7 "} + kind];
                return;
            }
        }
        breach("I7", "two requests at once", step);
    }

    /// A request after an accepted one needs a cause in the history.
    void judge_duplicate(const Step& step, const Life& life) {
        if (life.accepted == nullptr) return;
        if (life.accepted->how == How::unknown || life.accepted->op == Op::close) {
            ++verdict_.excused["I9 its answer did not arrive"];
            return;
        }
        breach_unless_fault("I9", "sent again though it was accepted", step,
                            {life.accepted->source, step.source}, life.accepted->mono - 2min);
    }

    void follow_end(const Step& step, Life& life) {
        for (Life::Request& request : life.requests) {
            if (request.step->attempt == step.attempt && request.end == Time::max()) {
                request.end = step.mono;
            }
        }
        if (accepts(step.status) && life.accepted == nullptr) life.accepted = &step;
        if (step.op == Op::answer && step.how == How::ok && step.retry_after) {
            life.asked_to_wait = {step.version, step.at + *step.retry_after};
        }
    }

    // The final state.

    void judge_keys() {
        std::map<std::string_view, int> taken;
        for (const FinalEvent& one : history_.events) {
            const EventStatus status = status_of(one.event);
            if (status == EventStatus::failed || status == EventStatus::cancelled) continue;
            if (++taken[one.event.key.value] == 2) {
                breach("I4", "two live or COMPLETED events with the key " + one.event.key.value,
                       one.event.id);
            }
        }
    }

    /// Each request has a payload of its own; an edit replaces it by another unique one.
    void judge_effects() {
        std::set<std::string_view> payloads;
        for (const FinalEvent& one : history_.events) {
            const Event& event = one.event;
            if (event.occurrence || event.retry_of) continue;
            if (!payloads.insert(event.payload).second) {
                breach("I3", "two events of one request", event.id);
            }
        }
    }

    void judge_acknowledged() {
        std::set<EventId> there;
        for (const FinalEvent& one : history_.events) there.insert(one.event.id);
        for (const Step* step : acknowledged_) {
            if (!there.contains(*step->id)) breach("I1", "reported as stored, but missing", *step);
        }
        for (const auto& [id, life] : lives_) {
            const bool erased = life.user && erased_.contains(*life.user);
            if (life.requests.empty() || there.contains(id) || erased) continue;
            breach("I2", "a request without an event", *life.requests.front().step);
        }
    }

    void judge(const FinalEvent& one) {
        const Event& event = one.event;
        const auto found = lives_.find(event.id);
        const Life* life = found == lives_.end() ? nullptr : &found->second;
        if (is_final(event)) {
            judge_end(event, life);
            judge_attempts(one);
        } else {
            judge_waiting(one, life);
        }
    }

    void judge_end(const Event& event, const Life* life) {
        const EventStatus status = status_of(event);
        const Step* ended = life == nullptr ? nullptr : life->ended;
        if (status == EventStatus::cancelled) return;  // by a client, or by a policy
        if (ended == nullptr) return breach("I4", "over, and nobody has settled it", event.id);
        const bool as_settled =
            ended->what == (status == EventStatus::completed ? "completed" : "failed");
        if (ended->op == Op::cancel || !as_settled) {
            breach("I4", "is " + std::string{to_string(status)} + " in the end", *ended);
        }
    }

    void judge_attempts(const FinalEvent& one) {
        const Event& event = one.event;
        std::uint32_t counted = 0, highest = 0;
        std::optional<AttemptOutcome> last;
        for (const AttemptRecord& attempt : one.attempts) {
            highest = std::max(highest, attempt.number.value);
            last = attempt.outcome;
            counted += attempt.outcome == AttemptOutcome::retryable ||
                       attempt.outcome == AttemptOutcome::lost ||
                       attempt.outcome == AttemptOutcome::late;
            if (status_of(event) == EventStatus::completed &&
                attempt.outcome == AttemptOutcome::permanent) {
                breach("I16", "COMPLETED after a refusal", event.id);
            }
        }
        if (highest > event.attempt.value) breach("I16", "a try after its last", event.id);
        if (counted != event.retry_count) breach("I16", "its tries do not add up", event.id);
        if (status_of(event) == EventStatus::failed &&
            (!last || *last == AttemptOutcome::succeeded || *last == AttemptOutcome::released)) {
            breach("I16", "FAILED, and no try says why", event.id);
        }
    }

    void judge_waiting(const FinalEvent& one, const Life* life) {
        const Event& event = one.event;
        const bool has_receiver = event.endpoint || one.may_go;  // no process has a handler
        if (event.claimable_at < history_.ended_at - back_within && has_receiver) {
            return breach("I17", "due, and nobody takes it", event.id);
        }
        if (is_claimed(event) && event.claimable_at > history_.ended_at + 32s) {
            return breach("I17", "its lease has no end", event.id);
        }
        const bool parked =
            event.claimable_at == never && status_of(event) == EventStatus::processing;
        if (parked && one.may_go) return breach("I17", "waits for nothing", event.id);
        if (life == nullptr) return;
        if (life->ended != nullptr) {
            breach(life->ended->op == Op::cancel ? "I13" : "I4", "not over any more", *life->ended);
        }
        if (life->not_before && !is_claimed(event) &&
            std::chrono::abs(event.claimable_at - *life->not_before) > soon) {
            breach("I17", "waits for longer than it was to", event.id);
        }
    }

    const History& history_;
    Faults faults_;
    Verdict verdict_;
    std::unordered_map<EventId, Life> lives_;
    std::vector<const Step*> acknowledged_;
    std::set<UserId> erased_;
    std::map<std::uint32_t, Time> stopped_;  // instances and their stop times
    std::set<std::uint32_t> gone_;
    std::map<std::uint32_t, Heartbeat> heartbeats_;
    // By observer and dead instance: when it was found dead most recently.
    std::map<std::pair<std::uint32_t, std::uint32_t>, Instant> found_dead_;
};

}  // namespace

Verdict check(const History& history) { return Checker{history}.run(); }

}  // namespace sundial::simulation
