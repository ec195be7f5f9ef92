#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "sundial/result.hpp"
#include "sundial/single_flight.hpp"
#include "sundial/timing.hpp"

#pragma GCC visibility push(default)

/// A cache for values that are expensive to load and may be slightly out of date.
///
///     sundial::Cache<std::string, Report> reports{
///         {.ttl = 60s, .stale_while_revalidate = 30s, .stale_if_error = 10min},
///         [&](const std::string& key, std::stop_token) { return load_report(key); }};
///     const auto report = reports.get(tenant + "/" + month);
namespace sundial {

/// How long values are valid, and how many are kept.
struct CacheRules {
    std::chrono::microseconds ttl = std::chrono::seconds{60};  // how long a value is fresh
    /// The ttl of each value is drawn from ttl · (1 ± ttl_jitter), so that values loaded together
    /// do not expire together. In [0, 1).
    double ttl_jitter = 0.1;
    /// For this long after its ttl the old value is returned at once while one load fetches the new
    /// one.
    std::chrono::microseconds stale_while_revalidate{0};
    /// For this long after its ttl the old value is returned if loading fails.
    std::chrono::microseconds stale_if_error{0};
    /// How long the absence of a value is cached; 0: not at all.
    std::chrono::microseconds negative_ttl{0};
    /// β of the probabilistic early refresh: one reader reloads a value before its ttl ends if −β ·
    /// δ · ln(u) reaches the remaining ttl, where δ is the duration of the last load and u is drawn
    /// from (0, 1]. Greater is earlier; 0: never.
    double early_refresh = 1.0;
    /// Beyond this number of entries the least recently used one is evicted.
    std::size_t max_entries = 10'000;
    /// Maximum number of concurrent background refreshes. At the maximum, readers get the old
    /// values.
    std::size_t max_refreshes = 16;
};

/// Describes the first invalid rule; empty if all rules are valid.
[[nodiscard]] std::optional<std::string> defect_of(const CacheRules& rules);

/// Counters since the cache was constructed.
struct CacheCounts {
    std::uint64_t hits = 0;             // returned from the cache within the ttl
    std::uint64_t stale = 0;            // returned from the cache after the ttl
    std::uint64_t misses = 0;           // waited for a load
    std::uint64_t loads = 0;            // started
    std::uint64_t failures = 0;         // loads that returned an error
    std::uint64_t early_refreshes = 0;  // loads started before the ttl of a value ended
    std::uint64_t evictions = 0;        // values removed to keep within `max_entries`
};

namespace detail {

/// When a value loaded at `now` expires. `random` in [0, 1).
[[nodiscard]] Timing::Moment end_of_ttl(const CacheRules& rules, Timing::Moment now, double random);
/// Whether this reader reloads a value whose remaining ttl is `remaining`.
[[nodiscard]] bool refreshes_early(const CacheRules& rules, Timing::Moment::duration took,
                                   Timing::Moment::duration remaining, Timing& timing);

}  // namespace detail

/// Keeps loaded values, runs at most one load per key at a time (SingleFlight), and can return the
/// old value while a new one is loading. Errors are not cached. Keys are ordered by `<`. With
/// several tenants, the key must contain the tenant.
///
/// Thread-safe. The loader runs on callers' threads and on background threads, concurrently for
/// different keys. The loader, everything it uses, and `timing` must outlive the cache.
template <class Key, class Value>
class Cache {
public:
    /// Null if the value does not exist.
    using Shared = std::shared_ptr<const Value>;
    /// A value, or the reason why there is none.
    using Answer = embedding::Result<Shared>;
    /// The result of a load: a value, no value, or an error.
    using Loaded = embedding::Result<std::optional<Value>>;
    /// Loads the value of a key. The token requests a stop when no caller waits any more.
    using Loader = std::function<Loaded(const Key&, const std::stop_token&)>;

    /// Refreshes run where `launch` runs them.
    Cache(const CacheRules& rules, Loader loader, Timing& timing = real_timing(),
          Launch launch = launch_thread)
        : rules_{rules}, loader_{std::move(loader)}, timing_{timing}, flights_{std::move(launch)} {}

    /// Errors: those of SingleFlight::run, if there is no value that could stand in;
    /// VALIDATION_FAILED for rules with a defect, and then nothing is loaded.
    Answer get(const Key& key, const std::stop_token& stop = {},
               Timing::Moment deadline = Timing::Moment::max());
    /// The value has changed: later calls of `get` load it again, and the result of a load in
    /// flight is not kept.
    void invalidate(const Key& key);

    /// Number of values kept, expired ones included.
    [[nodiscard]] std::size_t size() const;
    /// Counters since the cache was constructed.
    [[nodiscard]] CacheCounts counts() const;

private:
    using Latest = std::list<Key>;  // most recently used first
    struct Entry {
        Shared value;
        Timing::Moment good_until;
        Timing::Moment::duration took;  // duration of the load
        typename Latest::iterator place;
    };

    /// The value to return without waiting, if any; starts a refresh if one is due.
    [[nodiscard]] std::optional<Shared> kept(const Key& key);
    [[nodiscard]] std::optional<Shared> good(const Key& key) const;
    [[nodiscard]] std::optional<Shared> kept_for(std::chrono::microseconds after_its_end,
                                                 const Key& key);
    [[nodiscard]] bool take_turn_to_refresh(const Key& key);
    void refresh(const Key& key);
    [[nodiscard]] embedding::Result<Shared> load(const Key& key, const std::stop_token& stop);
    [[nodiscard]] Loaded call_loader(const Key& key, const std::stop_token& stop) const;
    void keep(const Key& key, Shared value, Timing::Moment begun);
    void forget_entry(const Key& key);

    const CacheRules rules_;
    const std::optional<std::string> defect_ = defect_of(rules_);
    const Loader loader_;
    Timing& timing_;
    mutable std::mutex mutex_;  // guards all below except `flights_`
    std::map<Key, Entry> entries_;
    Latest latest_;
    std::map<Key, std::uint64_t> loading_;  // number of the load whose value will be kept
    std::set<Key> refreshing_;
    CacheCounts counts_;
    SingleFlight<Key, Shared> flights_;  // last: destroying it waits for loads, which use the rest
};

template <class Key, class Value>
auto Cache<Key, Value>::get(const Key& key, const std::stop_token& stop, Timing::Moment deadline)
    -> Answer {
    if (defect_) return embedding::Error{"VALIDATION_FAILED", *defect_};
    if (auto value = kept(key)) return *std::move(value);
    const auto loaded = flights_.run(
        key,
        [this, key](const std::stop_token& given_up) -> embedding::Result<Shared> {
            // Another load may have finished since this reader found nothing.
            if (auto value = good(key)) return *std::move(value);
            return load(key, given_up);
        },
        stop, deadline);
    if (loaded) return **loaded;
    if (auto value = kept_for(rules_.stale_if_error, key)) return *std::move(value);
    return loaded.error();
}

template <class Key, class Value>
auto Cache<Key, Value>::kept(const Key& key) -> std::optional<Shared> {
    std::unique_lock lock{mutex_};
    const auto found = entries_.find(key);
    const auto now = timing_.now();
    if (found == entries_.end() ||
        now >= detail::later(found->second.good_until, found->second.value
                                                           ? rules_.stale_while_revalidate
                                                           : std::chrono::microseconds{0})) {
        ++counts_.misses;
        return std::nullopt;
    }
    const Entry& entry = found->second;
    latest_.splice(latest_.begin(), latest_, entry.place);
    const bool good = now < entry.good_until;
    ++(good ? counts_.hits : counts_.stale);
    Shared value = entry.value;
    const bool early = good && value &&
                       detail::refreshes_early(rules_, entry.took, entry.good_until - now, timing_);
    if ((!good || early) && take_turn_to_refresh(key)) {
        if (early) ++counts_.early_refreshes;
        lock.unlock();
        refresh(key);
    }
    return value;
}

/// The value if it is within its ttl; does not count.
template <class Key, class Value>
auto Cache<Key, Value>::good(const Key& key) const -> std::optional<Shared> {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(key);
    if (found == entries_.end() || timing_.now() >= found->second.good_until) return std::nullopt;
    return found->second.value;
}

template <class Key, class Value>
auto Cache<Key, Value>::kept_for(std::chrono::microseconds after_its_end, const Key& key)
    -> std::optional<Shared> {
    const std::lock_guard lock{mutex_};
    const auto found = entries_.find(key);
    if (found == entries_.end() || !found->second.value) return std::nullopt;
    if (timing_.now() >= detail::later(found->second.good_until, after_its_end)) {
        return std::nullopt;
    }
    ++counts_.stale;
    return found->second.value;
}

template <class Key, class Value>
bool Cache<Key, Value>::take_turn_to_refresh(const Key& key) {
    return refreshing_.size() < rules_.max_refreshes && refreshing_.insert(key).second;
}

template <class Key, class Value>
void Cache<Key, Value>::refresh(const Key& key) {
    // Freed with the last copy of the loader, whether it has run or could not be started.
    std::shared_ptr<void> turn{nullptr, [this, key](void*) {
                                   const std::lock_guard lock{mutex_};
                                   refreshing_.erase(key);
                               }};
    flights_.start(key, [this, key, turn = std::move(turn)](const std::stop_token& stop) {
        return load(key, stop);
    });
}

template <class Key, class Value>
auto Cache<Key, Value>::load(const Key& key, const std::stop_token& stop)
    -> embedding::Result<Shared> {
    const auto begun = timing_.now();
    const auto number = [&] {
        const std::lock_guard lock{mutex_};
        return loading_[key] = ++counts_.loads;
    }();
    Loaded loaded = call_loader(key, stop);
    Shared value;
    if (loaded && *loaded) value = std::make_shared<const Value>(std::move(**loaded));

    const std::lock_guard lock{mutex_};
    const auto current = loading_.find(key);
    const bool is_latest = current != loading_.end() && current->second == number;
    if (is_latest) loading_.erase(current);
    if (!loaded) {
        ++counts_.failures;
        return loaded.error();
    }
    if (is_latest) keep(key, value, begun);
    return value;
}

template <class Key, class Value>
auto Cache<Key, Value>::call_loader(const Key& key, const std::stop_token& stop) const -> Loaded {
    try {
        return loader_(key, stop);
    } catch (const std::exception& failure) {
        return embedding::Error{"INTERNAL_ERROR", failure.what()};
    } catch (...) {
        return detail::unknown_exception();
    }
}

template <class Key, class Value>
void Cache<Key, Value>::keep(const Key& key, Shared value, Timing::Moment begun) {
    forget_entry(key);
    const auto now = timing_.now();
    const auto good_until = value ? detail::end_of_ttl(rules_, now, timing_.unit())
                                  : detail::later(now, rules_.negative_ttl);
    if (good_until == now) return;
    latest_.push_front(key);
    entries_.emplace(key, Entry{std::move(value), good_until, now - begun, latest_.begin()});
    while (entries_.size() > rules_.max_entries) {
        ++counts_.evictions;
        forget_entry(latest_.back());
    }
}

template <class Key, class Value>
void Cache<Key, Value>::forget_entry(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    const auto place = found->second.place;  // `key` may refer to this element
    entries_.erase(found);
    latest_.erase(place);
}

template <class Key, class Value>
void Cache<Key, Value>::invalidate(const Key& key) {
    {
        const std::lock_guard lock{mutex_};
        forget_entry(key);
        loading_.erase(key);
    }
    flights_.forget(key);
}

template <class Key, class Value>
std::size_t Cache<Key, Value>::size() const {
    const std::lock_guard lock{mutex_};
    return entries_.size();
}

template <class Key, class Value>
CacheCounts Cache<Key, Value>::counts() const {
    const std::lock_guard lock{mutex_};
    return counts_;
}

/// Leases shared among processes, such as those of a lock server. Thread-safe.
class LoadLeases {
public:
    virtual ~LoadLeases() = default;
    /// Acquires a lease on `name`, which expires by itself after `ttl`. Returns the token that
    /// releases it; nothing if another process holds the lease or the lock server does not respond.
    virtual std::optional<std::string> try_acquire(const std::string& name,
                                                   std::chrono::microseconds ttl) = 0;
    /// Ends the lease on `name` if `token` has it. Does not throw.
    virtual void release(const std::string& name, const std::string& token) = 0;
};

/// The storage that all processes share, and the leases that decide which process loads.
template <class Key, class Value>
struct AcrossProcesses {
    LoadLeases& leases;                           // must outlive it
    std::function<std::string(const Key&)> name;  // of the lease
    std::function<embedding::Result<std::optional<Value>>(const Key&)>
        find;  // the value in the shared storage; nothing: it has none
    std::function<void(const Key&, const Value&)> keep;              // stores a value there
    std::chrono::microseconds lease = std::chrono::seconds{5};       // longer than a load takes
    std::chrono::microseconds poll = std::chrono::milliseconds{20};  // 1 ms at least
};

/// A loader for Cache with which one process loads for all. It returns the value from the shared
/// storage if it is there; otherwise it loads under a short lease and stores the value there. The
/// other processes poll until the value is there or the lease has expired, so a crashed process
/// delays them by at most one lease. `timing` and the objects that `shared` refers to must outlive
/// the loader. Errors: those of `find` and `loader`; STOPPED.
template <class Key, class Value>
typename Cache<Key, Value>::Loader once_across_processes(AcrossProcesses<Key, Value> shared,
                                                         typename Cache<Key, Value>::Loader loader,
                                                         Timing& timing = real_timing()) {
    return [shared = std::move(shared), loader = std::move(loader), &timing](
               const Key& key, const std::stop_token& stop) -> typename Cache<Key, Value>::Loaded {
        const std::string name = shared.name(key);
        while (!stop.stop_requested()) {
            auto found = shared.find(key);
            if (!found || *found) return found;
            if (const auto token = shared.leases.try_acquire(name, shared.lease)) {
                found = shared.find(key);  // another process may have stored it in between
                if (found && !*found) {
                    found = loader(key, stop);
                    if (found && *found) shared.keep(key, **found);
                }
                shared.leases.release(name, *token);
                return found;
            }
            const auto pause =
                std::max<std::chrono::microseconds>(shared.poll, std::chrono::milliseconds{1});
            timing.sleep_until(detail::later(timing.now(), pause), stop);
        }
        return embedding::Error{"STOPPED", "a stop was requested before the value was loaded"};
    };
}

}  // namespace sundial

#pragma GCC visibility pop
