#include "contract/random_operations.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>

#include "contract/settlements.hpp"
#include "support/describe.hpp"

namespace sundial {
namespace {

/// Runs `work` in a transaction that commits.
RandomOperation committed(std::string name, std::function<std::string(Transaction&)> work) {
    return {std::move(name), [work = std::move(work)](Storage& storage) {
                std::string answer;
                storage.store().transact([&](Transaction& tx) {
                    answer = work(tx);
                    return true;
                });
                return answer;
            }};
}

std::vector<Event> all_events(Storage& storage, const EventQuery& query) {
    return in_read(storage.store(), [&](Transaction& tx) { return tx.events().list(query).items; });
}

std::string describe_sorted(std::vector<Event> events) {
    std::sort(events.begin(), events.end(),
              [](const Event& a, const Event& b) { return a.id < b.id; });
    return describe_all(events);
}

EventQuery everything() {
    EventQuery query;
    query.page.limit = 500;
    return query;
}

}  // namespace

RandomOperations::RandomOperations(Storage& model, unsigned seed)
    : model_{model},
      random_{seed},
      first_number_{0x60'0000'0000'0000 | std::uint64_t{seed} << 24U} {
    for (int i = 0; i < 3; ++i) {
        users_.push_back(fresh<UserId>());
        endpoints_.push_back(fresh<EndpointId>());
        schedules_.push_back(fresh<ScheduleId>());
        instances_.push_back(fresh<InstanceId>());
    }
}

RandomOperation RandomOperations::next() {
    if (!std::exchange(begun_, true)) return add_endpoints();
    if (repetition_) return *std::exchange(repetition_, std::nullopt);
    using Make = RandomOperation (RandomOperations::*)();
    static const std::vector<std::pair<unsigned, Make>> weights{
        {10, &RandomOperations::add},
        {10, &RandomOperations::add_many},
        {20, &RandomOperations::claim},
        {14, &RandomOperations::claim_to_pull},
        {24, &RandomOperations::settle},
        {6, &RandomOperations::release_claims},
        {5, &RandomOperations::extend},
        {12, &RandomOperations::advance},
        {6, &RandomOperations::peek},
        {8, &RandomOperations::edit},
        {4, &RandomOperations::exchange_key},
        {4, &RandomOperations::cancel_one},
        {5, &RandomOperations::retry},
        {3, &RandomOperations::dismiss_one},
        {1, &RandomOperations::forget_or_erase},
        {3, &RandomOperations::unpark},
        {8, &RandomOperations::list},
        {4, &RandomOperations::lock_many},
        {3, &RandomOperations::roll_back}};
    unsigned total = 0;
    for (const auto& [weight, make] : weights) total += weight;
    auto drawn = below(total);
    for (const auto& [weight, make] : weights) {
        if (drawn < weight) return (this->*make)();
        drawn -= weight;
    }
    return peek();
}

std::chrono::microseconds RandomOperations::up_to(std::chrono::microseconds max) {
    return std::chrono::microseconds{below(static_cast<std::uint64_t>(max.count()))};
}

IdempotencyKey RandomOperations::a_key() {
    if (!keys_.empty() && chance(15)) return one_of(keys_);
    keys_.push_back(IdempotencyKey{"model-" + std::to_string(++count_)});
    return keys_.back();
}

Event RandomOperations::a_new_event() {
    const Instant now = model_.clock().now();
    Event event = an_event().with_id(fresh<EventId>()).due(now - 20s + up_to(60s)).created(now);
    event.key = a_key();
    event.priority = static_cast<Priority>(below(4));
    event.user = perhaps_one_of(users_);
    event.endpoint = perhaps_one_of(endpoints_);
    event.type = chance(50) ? "BIRTHDAY" : "REMINDER";
    if (chance(50)) {
        event.occurrence =
            Occurrence{one_of(schedules_), Version{1 + below(3)},
                       std::chrono::year{2027} / 1 / static_cast<int>(1 + below(28))};
    }
    if (chance(10)) event.claimable_at = never;
    if (chance(30)) {
        event.trace = TraceContext{.trace_id = "0af7651916cd43dd8448eb211c80319c",
                                   .span_id = "b7ad6b7169203331",
                                   .sampled = chance(50)};
    }
    return event;
}

std::optional<Event> RandomOperations::an_event_in(std::vector<EventStatus> statuses) {
    EventQuery query = everything();
    query.statuses = std::move(statuses);
    const auto events = all_events(model_, query);
    return events.empty() ? std::nullopt : std::optional{one_of(events)};
}

std::optional<Event> RandomOperations::a_free_event() {
    const auto event = an_event_in({EventStatus::pending, EventStatus::processing});
    return event && !is_claimed(*event) ? event : std::nullopt;
}

std::vector<Event> RandomOperations::some_claims() {
    std::map<EventId, Event> some;
    for (auto left = 1 + below(6); left > 0 && !claims_.empty(); --left) {
        // Prefers the oldest claims, whose leases expire first.
        const auto place = chance(40) ? 0 : below(claims_.size());
        const auto at = claims_.begin() + static_cast<std::ptrdiff_t>(place);
        if (some.emplace(at->id, *at).second) claims_.erase(at);
    }
    std::vector<Event> claimed;
    for (auto& [id, event] : some) claimed.push_back(std::move(event));
    return claimed;
}

Settlement RandomOperations::a_settlement(const Event& claimed) {
    const Instant started_at = model_.clock().now() - up_to(5s);
    switch (below(8)) {
        case 0:
        case 1:
        case 2:
            return accepted(claimed, started_at);
        case 3:
            return refused(claimed, started_at);
        case 4:
            return used_up(claimed, started_at);
        case 5:
            return lost_for_good(claimed);
        default:
            return retry_in(claimed, started_at, up_to(20s));
    }
}

RandomOperation RandomOperations::add() {
    return committed("add", [event = a_new_event()](Transaction& tx) {
        return describe(event) + " -> " + describe(tx.events().add(event));
    });
}

RandomOperation RandomOperations::add_many() {
    std::vector<Event> events;
    for (auto count = below(12); count > 0; --count) events.push_back(a_new_event());
    return committed("add_new", [events](Transaction& tx) {
        return std::to_string(tx.events().add_new(events)) + " new of\n" + describe_all(events);
    });
}

RandomOperation RandomOperations::add_endpoints() {
    return committed("add endpoints", [ids = endpoints_](Transaction& tx) {
        std::string answer;
        for (std::size_t i = 1; i < ids.size(); ++i) {
            answer += describe(tx.endpoints().add(an_endpoint().with_id(ids[i]).pull()));
        }
        return answer;
    });
}

std::array<std::uint32_t, 4> RandomOperations::shares_of(const Ready& ready) {
    std::array<std::uint32_t, 4> shares{};
    for (std::size_t priority = 0; priority < 4; ++priority) {
        // The port does not define the order of lost claims among the others: claim all or none.
        if (std::ranges::any_of(ready[priority], is_claimed)) {
            shares[priority] = static_cast<std::uint32_t>(chance(70) ? ready[priority].size() : 0);
            continue;
        }
        std::vector<Instant> instants;
        for (const Event& event : ready[priority]) instants.push_back(event.claimable_at);
        std::sort(instants.begin(), instants.end());
        auto share = below(5);
        while (share > 0 && share < instants.size() && instants[share - 1] == instants[share]) {
            ++share;
        }
        shares[priority] = static_cast<std::uint32_t>(share);
    }
    return shares;
}

std::string RandomOperations::describe_claimed(const Storage& storage, Claimed claimed) {
    std::sort(claimed.events.begin(), claimed.events.end(),
              [](const ClaimedEvent& a, const ClaimedEvent& b) { return a.event.id < b.event.id; });
    std::string text = describe(claimed.now) + '\n';
    for (const auto& [event, previous_lost] : claimed.events) {
        text += (previous_lost ? "rescued " : "") + describe(event) + '\n';
        if (&storage == &model_) claims_.push_back(event);
    }
    return text;
}

RandomOperation RandomOperations::claim() {
    const auto shards = model_.queue().shards();
    const Instant now = model_.clock().now();
    std::map<Lane, std::vector<Ready>> ready;
    for (const Lane& lane : all_lanes) ready[lane].resize(shards);
    for (const Event& event : all_events(model_, everything())) {
        if (!claimable(event, now) || is_pull(event)) continue;
        ready
            .at(lane_of(
                event))[shard_of(event.id, shards)][static_cast<std::size_t>(event.priority)]
            .push_back(event);
    }
    const InstanceId by = one_of(instances_);
    const auto lease = 1s + up_to(12s);
    std::vector<ClaimRequest> requests;
    for (const auto& [lane, in_shards] : ready) {
        for (std::uint32_t shard = 0; shard < shards; ++shard) {
            requests.push_back({.by = by,
                                .shard = shard,
                                .shares = shares_of(in_shards[shard]),
                                .lease = lease,
                                .lane = lane,
                                .with_next = true});
        }
    }
    return {"claim", [this, requests](Storage& storage) {
                std::string answer;
                std::vector<std::optional<Instant>> next;
                for (const auto& request : requests) {
                    Claimed claimed = storage.queue().claim_ready(request);
                    next.push_back(claimed.next);
                    answer += describe_claimed(storage, std::move(claimed));
                }
                // A storage need not report them, but if it does, then what a peek finds.
                const auto peeked = storage.queue().peek(all_lanes).next;
                const auto shard_count = storage.queue().shards();
                for (std::size_t i = 0; i < requests.size(); ++i) {
                    const auto lane = std::ranges::find(all_lanes, requests[i].lane);
                    const auto part =
                        static_cast<std::size_t>(lane - all_lanes.begin()) * shard_count +
                        requests[i].shard;
                    if (next[i].value_or(peeked.at(part)) != peeked.at(part)) {
                        answer += "claimed until " + describe(*next[i]) + ", not " +
                                  describe(peeked.at(part)) + '\n';
                    }
                }
                return answer;
            }};
}

RandomOperation RandomOperations::claim_to_pull() {
    const auto shards = model_.queue().shards();
    const Instant now = model_.clock().now();
    const EndpointId endpoint = one_of(endpoints_);
    std::vector<Ready> ready(shards);
    for (const Event& event : all_events(model_, everything())) {
        if (!claimable(event, now) || !is_pull(event) || event.endpoint != endpoint) continue;
        ready[shard_of(event.id, shards)][static_cast<std::size_t>(event.priority)].push_back(
            event);
    }
    const Claimant by{one_of(instances_), "w-" + std::to_string(below(3))};
    const auto lease = 1s + up_to(12s);
    std::vector<PullRequest> requests;
    for (std::uint32_t shard = 0; shard < shards; ++shard) {
        requests.push_back({.endpoint = endpoint,
                            .by = by,
                            .shard = shard,
                            .shares = shares_of(ready[shard]),
                            .lease = lease});
    }
    return {"claim to pull", [this, requests](Storage& storage) {
                std::string answer;
                for (const auto& request : requests) {
                    answer += describe_claimed(storage, storage.pull_queue().claim(request));
                }
                return answer;
            }};
}

RandomOperation RandomOperations::settle() {
    std::vector<Settlement> settlements;
    for (const Event& claimed : some_claims()) settlements.push_back(a_settlement(claimed));
    const RandomOperation operation{"settle", [settlements](Storage& storage) {
                                        std::string answer;
                                        const auto answers = storage.queue().settle(settlements);
                                        for (std::size_t i = 0; i < answers.size(); ++i) {
                                            answer += to_string(settlements[i].id) + ' ' +
                                                      describe(answers[i]) + '\n';
                                        }
                                        return answer;
                                    }};
    if (chance(25)) repetition_ = operation;
    return operation;
}

RandomOperation RandomOperations::release_claims() {
    std::vector<ReleasedClaim> all;
    for (const Event& claimed : some_claims()) {
        all.push_back(release_of(claimed, chance(50)
                                              ? std::optional<std::chrono::microseconds>{up_to(20s)}
                                              : std::nullopt));
    }
    const RandomOperation operation{"give_back", [all](Storage& storage) {
                                        return describe_all(storage.queue().release_claims(all));
                                    }};
    if (chance(25)) repetition_ = operation;
    return operation;
}

RandomOperation RandomOperations::extend() {
    std::map<EventId, Version> some;  // at most one claim per event
    for (const Event& claimed : claims_) {
        if (chance(30)) some.insert_or_assign(claimed.id, claimed.version);
    }
    std::vector<Held> held;
    for (const auto& [id, version] : some) held.push_back({id, version});
    return {"extend", [held, by = 5s + up_to(30s)](Storage& storage) {
                auto lost = storage.queue().extend(held, by);
                std::sort(lost.begin(), lost.end());
                std::string answer;
                for (const EventId& id : lost) answer += to_string(id) + '\n';
                return answer;
            }};
}

RandomOperation RandomOperations::advance() {
    return {"advance", [to = model_.clock().now() + up_to(chance(20) ? 60s : 5s)](
                           Storage& storage) { return describe(storage.clock().set(to)); }};
}

RandomOperation RandomOperations::peek() {
    return {"look", [endpoints = endpoints_](Storage& storage) {
                std::ostringstream answer;
                const auto peeked = storage.queue().peek(all_lanes);
                answer << describe(peeked.now) << '\n' << describe_all(peeked.next);
                auto [now, heads] = storage.pull_queue().peek(endpoints);
                answer << describe(now) << '\n';
                std::ranges::sort(heads, {}, [](const PullHead& head) {
                    return std::tuple{head.endpoint, head.shard, head.priority};
                });
                for (const PullHead& head : heads) {
                    answer << to_string(head.endpoint) << ' ' << head.shard << ' '
                           << to_string(head.priority) << ' ' << describe(head.next) << '\n';
                }
                const auto backlog = storage.queue().backlog(all_lanes);
                answer << "missed " << backlog.missed;
                if (backlog.missed > 0) {
                    answer << ' ' << describe(backlog.oldest) << ' ' << describe(backlog.newest);
                }
                const Instant from = now - 1h;
                answer << ", first "
                       << describe(storage.queue().first_missed(from, now, all_lanes));
                const auto depth = storage.queue().depth();
                for (const auto stored : depth.stored) answer << ", " << stored;
                answer << ", due " << depth.due << " for " << depth.oldest_due_age.count()
                       << "us, waiting " << depth.waiting_for_retry << ' '
                       << depth.waiting_for_endpoint << ' ' << depth.without_endpoint << ' '
                       << depth.waiting_for_schedule << ", dead " << depth.dead_letters;
                return answer.str();
            }};
}

RandomOperation RandomOperations::edit() {
    const auto event = an_event_in({EventStatus::pending});
    if (!event) return peek();
    const Instant now = model_.clock().now();
    const Instant due = now - 10s + up_to(60s);
    Event changed = chance(20)   ? park(*event, now).value()
                    : chance(30) ? resume(*event, event->intent, due, now).value()
                                 : retarget(*event, event->intent, due, now).value();
    changed.payload = "{\"edited\":" + std::to_string(++count_) + "}";
    changed.endpoint = perhaps_one_of(endpoints_);
    changed.priority = static_cast<Priority>(below(4));
    return committed("edit", [changed](Transaction& tx) {
        const auto before = tx.events().lock(changed.id);
        tx.events().update(changed);
        return describe(before) + " -> " + describe(tx.events().find(changed.id));
    });
}

RandomOperation RandomOperations::exchange_key() {
    const auto event = an_event_in({EventStatus::pending});
    if (!event) return peek();
    Event changed =
        retarget(*event, event->intent, event->due + up_to(10s), model_.clock().now()).value();
    changed.key = a_key();
    if (changed.key == event->key) return peek();
    return committed("update_key", [event, changed](Transaction& tx) {
        (void)tx.events().lock(changed.id);
        const auto answer = tx.events().update_key(changed, event->key);
        return describe(answer) + ' ' + describe(tx.events().find(changed.id));
    });
}

RandomOperation RandomOperations::cancel_one() {
    const auto event = a_free_event();
    if (!event) return peek();
    const Event over = cancel(*event, model_.clock().now(), "by hand").value();
    return committed("cancel", [over](Transaction& tx) {
        const auto before = tx.events().lock(over.id);
        tx.events().finish(over);
        return describe(before) + " -> " + describe(tx.events().find(over.id));
    });
}

RandomOperation RandomOperations::retry() {
    const auto event = an_event_in({EventStatus::failed});
    if (!event) return peek();
    const Event again = retried(*event, fresh<EventId>(), model_.clock().now()).value();
    return committed("retry", [again](Transaction& tx) {
        return describe(tx.events().add_retry(again)) + ' ' + describe(tx.events().find(again.id));
    });
}

RandomOperation RandomOperations::dismiss_one() {
    const auto event = an_event_in({EventStatus::failed});
    if (!event) return peek();
    const Event changed = dismiss(*event, chance(70), model_.clock().now()).value();
    const Version held = chance(80) ? event->version : Version{event->version.value + 7};
    return committed("dismiss", [changed, held](Transaction& tx) {
        return describe(tx.events().update_dismissed(changed, held)) + ' ' +
               describe(tx.events().find(changed.id));
    });
}

RandomOperation RandomOperations::forget_or_erase() {
    const UserId user = one_of(users_);
    if (chance(50)) {
        return committed("forget", [user](Transaction& tx) {
            tx.events().forget_user(user);
            return std::string{};
        });
    }
    return committed("erase", [user](Transaction& tx) {
        tx.events().erase_of_user(user);
        return std::string{};
    });
}

RandomOperation RandomOperations::unpark() {
    return committed("unpark", [endpoint = perhaps_one_of(endpoints_)](Transaction& tx) {
        return std::to_string(tx.events().unpark(endpoint, 10'000));
    });
}

EventQuery RandomOperations::a_query() {
    const Instant now = model_.clock().now();
    EventQuery query;
    if (chance(30)) query.statuses = {static_cast<EventStatus>(below(5)), EventStatus::pending};
    if (chance(20)) query.priorities = {static_cast<Priority>(below(4))};
    if (chance(20)) query.types = {"BIRTHDAY"};
    if (chance(20)) query.user = one_of(users_);
    if (chance(20)) query.endpoint = one_of(endpoints_);
    if (chance(20)) query.schedule = one_of(schedules_);
    if (chance(20)) query.target_from = now - up_to(100s);
    if (chance(20)) query.target_to = now + up_to(100s);
    if (chance(20)) query.executed_from = now - up_to(100s);
    if (chance(20)) query.executed_to = now - up_to(50s);
    if (chance(20)) query.late_execution = chance(50);
    if (chance(20)) query.dismissed = chance(50);
    if (chance(10) && !keys_.empty()) query.key = one_of(keys_);
    if (chance(10)) query.prefix = "model-1";
    query.sort = static_cast<EventQuery::Sort>(below(4));
    query.page.limit = 1 + below(20);
    query.page.descending = chance(50);
    return query;
}

RandomOperation RandomOperations::list() {
    return committed("list", [query = a_query()](Transaction& tx) {
        const auto page = tx.events().list(query);
        return describe_all(page.items) + (page.has_more ? "and more" : "that is all");
    });
}

RandomOperation RandomOperations::lock_many() {
    if (chance(50)) {
        return committed("lock_of_user", [user = one_of(users_)](Transaction& tx) {
            return describe_sorted(tx.events().lock_of_user(user));
        });
    }
    const auto after = chance(50) ? an_event_in({}) : std::nullopt;
    return committed("lock_behind", [schedule = one_of(schedules_), version = Version{1 + below(4)},
                                     after = after ? std::optional{after->id} : std::nullopt,
                                     limit = 1 + below(5)](Transaction& tx) {
        return describe_all(tx.events().lock_behind(schedule, version, after, limit));
    });
}

RandomOperation RandomOperations::roll_back() {
    const auto doomed = a_free_event();
    return {"roll back", [event = a_new_event(), doomed, user = one_of(users_),
                          endpoint = one_of(endpoints_)](Storage& storage) {
                std::string answer;
                storage.store().transact([&](Transaction& tx) {
                    answer = describe(tx.events().add(event));
                    if (doomed && tx.events().lock(doomed->id)) {
                        tx.events().finish(cancel(*doomed, tx.now(), "never happens").value());
                    }
                    answer += std::to_string(tx.events().unpark(endpoint, 10'000));
                    tx.events().erase_of_user(user);
                    return false;
                });
                return answer;
            }};
}

}  // namespace sundial
