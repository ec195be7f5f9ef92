#include "application/ports/retention.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/postgres/database.hpp"
#include "adapters/postgres/history_summaries.hpp"
#include "adapters/postgres/migration_sql.hpp"
#include "adapters/postgres/ports.hpp"
#include "adapters/postgres/retention_sql.hpp"
#include "application/ports/failures.hpp"

namespace sundial::postgres {
namespace {

/// Makes those of the coming months, as at startup, and drops old ones.
void change_partitions(Session& session, std::string_view kind, Instant before) {
    session.run(sql::make_history_partitions);
    session.run(sql::drop_history_partitions, kind, before);
}

std::size_t forget_events(Session& session, std::string_view kind, Instant before,
                          std::int64_t limit) {
    change_partitions(session, kind, before);
    return static_cast<std::size_t>(
        session.run(sql::forget_history_rest, kind, before, limit).get<std::int64_t>(0, 0));
}

/// Returns how many it found.
std::size_t forget_attempts(Session& session, Instant before, std::int64_t limit) {
    struct Old {
        std::vector<EventId> events;
        std::vector<std::int32_t> numbers;
    };
    const Answer found = session.run(sql::find_old_attempts, before, limit);
    std::map<std::int16_t, Old> parts;
    for (std::size_t row = 0; row < found.size(); ++row) {
        Old& part = parts[found.get<std::int16_t>(row, 0)];
        part.events.push_back(found.get<EventId>(row, 1));
        part.numbers.push_back(found.get<std::int32_t>(row, 2));
    }
    std::vector<Call> calls;
    calls.reserve(parts.size());
    for (const auto& [shard, old] : parts) {
        calls.emplace_back(sql::forget_attempts, shard, old.events, old.numbers);
    }
    if (!calls.empty()) (void)session.run(calls);
    return found.size();
}

struct OldKey {
    std::int16_t shard;
    std::string key;
    EventId event;
};

/// Removes the keys whose event is live in another shard, and adds these events to `live`.
void keep_live(Session& session, std::vector<OldKey>& keys, std::vector<EventId>& live) {
    std::vector<EventId> elsewhere;
    std::vector<Call> calls;
    for (const OldKey& each : keys) {
        const std::int16_t shard = session.shard_of(each.event);
        if (shard == each.shard) continue;
        elsewhere.push_back(each.event);
        calls.emplace_back(sql::is_live, shard, each.event);
    }
    if (calls.empty()) return;
    const auto answers = session.run(calls);
    for (std::size_t i = 0; i < elsewhere.size(); ++i) {
        if (answers[i].empty()) continue;
        live.push_back(elsewhere[i]);
        std::erase_if(keys, [&](const OldKey& each) { return each.event == elsewhere[i]; });
    }
}

void forget_each(Session& session, const std::vector<OldKey>& keys, Instant before) {
    struct Old {
        std::vector<std::string> keys;
        std::vector<EventId> events;
    };
    std::map<std::int16_t, Old> parts;
    for (const OldKey& each : keys) {
        parts[each.shard].keys.push_back(each.key);
        parts[each.shard].events.push_back(each.event);
    }
    std::vector<Call> calls;
    calls.reserve(parts.size());
    for (const auto& [shard, old] : parts) {
        calls.emplace_back(sql::forget_keys, shard, old.keys, old.events, before);
    }
    if (!calls.empty()) (void)session.run(calls);
}

/// Returns how many it found that are not of live events.
std::size_t forget_keys(Session& session, Instant before, std::size_t limit) {
    std::size_t forgotten = 0;
    std::vector<EventId> live;  // in another shard than their key; never found again
    for (bool more = true; more && forgotten < limit;) {
        const auto wanted = static_cast<std::int64_t>(limit - forgotten);
        const Answer found = session.run(sql::find_old_keys, before, wanted, live);
        more = found.size() == limit - forgotten;
        std::vector<OldKey> keys;
        keys.reserve(found.size());
        for (std::size_t row = 0; row < found.size(); ++row) {
            keys.push_back({found.get<std::int16_t>(row, 0), found.get<std::string>(row, 1),
                            found.get<EventId>(row, 2)});
        }
        keep_live(session, keys, live);
        std::ranges::sort(keys, {}, &OldKey::key);  // the order of locks within a shard
        forget_each(session, keys, before);
        forgotten += keys.size();
    }
    return forgotten;
}

std::size_t forget_in(Session& session, Kept what, std::chrono::microseconds age,
                      std::int64_t limit) {
    const Instant before = session.now() - age;
    switch (what) {
        case Kept::completed:
            return forget_events(session, "done", before, limit);
        case Kept::failed:
            return forget_events(session, "failed", before, limit);
        case Kept::attempts:
            return forget_attempts(session, before, limit);
        case Kept::keys:
            return forget_keys(session, before + key_kept_for, static_cast<std::size_t>(limit));
        case Kept::skips:
            break;
    }
    return session.run(sql::forget_skips, before, limit).changed();
}

/// Retention on a distributed database: each shard in a transaction of its own (ADR 0060). The
/// settings of queue statements, which exclude bitmap scans, stay on the coordinator.
class RetentionByShard {
public:
    RetentionByShard(Database& database, Instant before, std::size_t limit)
        : database_{database},
          before_{before},
          // Of each shard, so that all together are about the limit.
          limit_{static_cast<std::int64_t>(limit / database.shards() + 1)} {}

    bool forget_attempts() {
        return forget_rows([&](std::int16_t shard) {
            return Call{sql::forget_attempts_in_shard, shard, before_, limit_};
        });
    }

    bool forget_history_rest(bool failed) {
        return forget_rows([&](std::int16_t shard) {
            return Call{sql::forget_history_rest_in_shard, shard, before_, limit_, failed};
        });
    }

    bool forget_keys() {
        bool more = false;
        std::vector<EventId> live;  // in another shard than their key; never found again
        for (auto shards = all_shards(); !shards.empty();) {
            const auto found = run(Database::Effect::none, shards, [&](std::int16_t shard) {
                return Call{sql::find_old_keys_in_shard, shard, before_, limit_, live};
            });
            std::vector<OldKey> keys;
            std::vector<std::int16_t> full;
            for (const auto& [shard, rows] : found) {
                for (std::size_t row = 0; row < rows.size(); ++row) {
                    keys.push_back(
                        {shard, rows.get<std::string>(row, 0), rows.get<EventId>(row, 1)});
                }
                if (is_full(rows.size())) full.push_back(shard);
            }
            std::map<std::int16_t, std::size_t> kept;
            for (const OldKey& each : keys) ++kept[each.shard];
            keep_live(keys, live);
            for (const OldKey& each : keys) --kept[each.shard];
            const auto forgotten = forget(keys);
            // A page of live events only must not end the search.
            shards.clear();
            for (const std::int16_t shard : full) {
                if (kept.at(shard) > 0) {
                    shards.push_back(shard);
                } else {
                    more = more || forgotten.contains(shard);
                }
            }
        }
        return more;
    }

private:
    using Answers = std::map<std::int16_t, Answer>;

    [[nodiscard]] std::vector<std::int16_t> all_shards() const {
        std::vector<std::int16_t> all(database_.shards());
        std::iota(all.begin(), all.end(), std::int16_t{0});
        return all;
    }
    [[nodiscard]] bool is_full(std::size_t rows) const {
        return rows >= static_cast<std::size_t>(limit_);
    }

    /// The answers of the shards whose machines answer. Others keep their rows until the next time.
    template <class Make>
    Answers run(Database::Effect effect, const std::vector<std::int16_t>& shards, Make call_in) {
        std::vector<std::vector<Call>> parts;
        parts.reserve(shards.size());
        for (const std::int16_t shard : shards) parts.push_back({call_in(shard)});
        auto ran = database_.run_in_parts("retention", effect, parts);
        if (!shards.empty() && ran.failed() == shards.size()) throw Unavailable{ran.why};
        Answers answers;
        for (std::size_t i = 0; i < shards.size(); ++i) {
            if (!ran.answered[i]) continue;
            answers.emplace(shards[i], std::move(ran.answered[i]->answers.front()));
        }
        return answers;
    }

    /// Whether a shard may have more.
    template <class Make>
    bool forget_rows(Make call_in) {
        const auto answers = run(Database::Effect::repeatable, all_shards(), call_in);
        return std::ranges::any_of(
            answers, [&](const auto& each) { return is_full(each.second.changed()); });
    }

    /// Removes the keys whose event is live in another shard, or may be, and adds these events to
    /// `live`.
    void keep_live(std::vector<OldKey>& keys, std::vector<EventId>& live) {
        std::map<std::int16_t, std::vector<EventId>> elsewhere;
        for (const OldKey& each : keys) {
            const auto shard = static_cast<std::int16_t>(shard_of(each.event, database_.shards()));
            if (shard != each.shard) elsewhere[shard].push_back(each.event);
        }
        if (elsewhere.empty()) return;
        std::vector<std::vector<Call>> parts;
        for (const auto& [shard, events] : elsewhere) {
            std::vector<Call>& calls = parts.emplace_back();
            for (const EventId event : events) calls.emplace_back(sql::is_live, shard, event);
        }
        const auto ran = database_.run_in_parts("retention", Database::Effect::none, parts);
        std::set<EventId> kept;
        auto part = ran.answered.begin();
        for (const auto& [shard, events] : elsewhere) {
            const auto& answered = *part++;
            for (std::size_t i = 0; i < events.size(); ++i) {
                if (!answered || !answered->answers[i].empty()) kept.insert(events[i]);
            }
        }
        std::ranges::copy(kept, std::back_inserter(live));
        std::erase_if(keys, [&](const OldKey& each) { return kept.contains(each.event); });
    }

    /// Returns the shards whose machines answered.
    std::set<std::int16_t> forget(std::vector<OldKey>& keys) {
        std::ranges::sort(keys, {}, &OldKey::key);  // the order of locks within a shard
        std::map<std::int16_t, std::pair<std::vector<std::string>, std::vector<EventId>>> old;
        for (OldKey& each : keys) {
            old[each.shard].first.push_back(std::move(each.key));
            old[each.shard].second.push_back(each.event);
        }
        std::vector<std::vector<Call>> parts;
        parts.reserve(old.size());
        for (const auto& [shard, each] : old) {
            parts.push_back({Call{sql::forget_keys, shard, each.first, each.second, before_}});
        }
        const auto ran = database_.run_in_parts("retention", Database::Effect::repeatable, parts);
        std::set<std::int16_t> done;
        auto part = ran.answered.begin();
        for (const auto& [shard, each] : old) {
            if (*part++) done.insert(shard);
        }
        return done;
    }

    Database& database_;
    const Instant before_;
    const std::int64_t limit_;
};

class PostgresRetention final : public Retention {
public:
    explicit PostgresRetention(Database& database) : database_{database}, summaries_{database} {}

    bool forget(Kept what, std::chrono::microseconds age, std::size_t limit) override {
        if (database_.distributed() && what != Kept::skips) return by_shard(what, age, limit);
        std::size_t rows = 0;
        database_.write("retention", [&](Session& session) {
            rows = forget_in(session, what, age, static_cast<std::int64_t>(limit));
            return true;
        });
        return rows == limit;
    }

    bool summarise(std::size_t limit) override { return summaries_.run(limit); }

private:
    bool by_shard(Kept what, std::chrono::microseconds age, std::size_t limit) {
        const Instant before = database_.run("retention", Database::Effect::none, {}).now - age;
        switch (what) {
            case Kept::completed:
            case Kept::failed: {
                const bool failed = what == Kept::failed;
                database_.write("retention", [&](Session& session) {
                    change_partitions(session, failed ? "failed" : "done", before);
                    return true;
                });
                return RetentionByShard{database_, before, limit}.forget_history_rest(failed);
            }
            case Kept::attempts:
                return RetentionByShard{database_, before, limit}.forget_attempts();
            case Kept::keys:
                return RetentionByShard{database_, before + key_kept_for, limit}.forget_keys();
            case Kept::skips:  // on the coordinator
                break;
        }
        return false;
    }

    Database& database_;
    HistorySummaries summaries_;
};

}  // namespace

std::unique_ptr<Retention> make_retention(Database& database) {
    return std::make_unique<PostgresRetention>(database);
}

}  // namespace sundial::postgres
