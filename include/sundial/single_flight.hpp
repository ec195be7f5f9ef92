#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "sundial/result.hpp"
#include "sundial/timing.hpp"

#pragma GCC visibility push(default)

/// If many callers request the same value at once, one of them loads it for all.
///
///     sundial::SingleFlight<std::string, Report> reports;
///     const auto report = reports.run(tenant + "/" + month, [&](std::stop_token) {
///         return compute(tenant, month);
///     });
namespace sundial {

/// Runs work outside the caller's thread. It may run late, but it must run.
using Launch = std::function<void(std::function<void()> work)>;
/// Runs work on a new thread.
void launch_thread(std::function<void()> work);

namespace detail {

/// The keys that this thread is loading, as a list from the innermost load outwards.
struct LoadInProgress {
    const void* flights;
    const void* key;
    const LoadInProgress* outer;
};
inline thread_local const LoadInProgress* innermost_load = nullptr;

class LoadScope {
public:
    LoadScope(const void* flights, const void* key) : load_{flights, key, innermost_load} {
        innermost_load = &load_;
    }
    ~LoadScope() { innermost_load = load_.outer; }
    LoadScope(const LoadScope&) = delete;
    LoadScope& operator=(const LoadScope&) = delete;

private:
    LoadInProgress load_;
};

/// The error for an exception that is not a std::exception.
inline embedding::Error unknown_exception() {
    return {"INTERNAL_ERROR", "an exception of unknown type was thrown"};
}

}  // namespace detail

/// At most one load of a key is in flight; all callers that ask meanwhile get its result. Results
/// are not kept: that is the task of Cache. Keys are ordered by `<`. With several tenants, the key
/// must contain the tenant.
///
/// Thread-safe. The first caller runs the loader itself. If that caller has a deadline or a stop
/// token, and so may leave early, the loader runs on its own thread.
template <class Key, class Value>
class SingleFlight {
public:
    /// All callers share one value.
    using Shared = std::shared_ptr<const Value>;
    /// A value, or why there is none.
    using Answer = embedding::Result<Shared>;
    /// Computes the value. The token requests a stop when no caller waits any more.
    using Loader = std::function<embedding::Result<Value>(const std::stop_token&)>;

    /// `launch` runs each load, by default on a thread of its own.
    explicit SingleFlight(Launch launch = launch_thread) : launch_{std::move(launch)} {}
    /// Requests a stop of the loads in flight and waits for them. No thread may be inside `run` any
    /// more.
    ~SingleFlight();
    SingleFlight(const SingleFlight&) = delete;
    SingleFlight& operator=(const SingleFlight&) = delete;

    /// Returns the result of the load in flight, or else of `loader`. Errors: the loader's;
    /// INTERNAL_ERROR if it throws; STOPPED if `stop` is requested first; REQUEST_TIMEOUT if the
    /// deadline passes; VALIDATION_FAILED if the key's own loader asks for the key. After STOPPED
    /// and REQUEST_TIMEOUT the load continues for the other callers; when the last one has left, it
    /// is requested to stop. Loaders that may ask for each other's keys need deadlines.
    Answer run(const Key& key, Loader loader, const std::stop_token& stop = {},
               Timing::Moment deadline = Timing::Moment::max());
    /// Starts a load in the background unless one is in flight. Returns whether it did.
    bool start(const Key& key, Loader loader);

    /// Later calls load the key again. Callers that already wait get the result of the load in
    /// flight.
    void forget(const Key& key);
    /// Number of callers that wait for the key; a `start` counts as one.
    [[nodiscard]] std::size_t waiting(const Key& key) const;

private:
    struct Flight {
        explicit Flight(const Key& its_key) : key{its_key} {}
        const Key key;
        std::stop_source stop;
        std::size_t waiting = 1;
        bool has_landed = false;
        Answer answer = embedding::Error{};  // valid once `has_landed`
        std::condition_variable_any landed;
    };
    using Flights = std::map<Key, std::shared_ptr<Flight>>;

    [[nodiscard]] bool is_loading_here(const Key& key) const;
    /// The flight to wait for, and whether the caller must run it.
    [[nodiscard]] std::pair<std::shared_ptr<Flight>, bool> join(const Key& key);
    void launch(const std::shared_ptr<Flight>& flight, Loader loader);
    void run_flight(const std::shared_ptr<Flight>& flight, Loader loader);
    [[nodiscard]] static Answer answer_of(const Loader& loader, const std::stop_token& stop);
    void complete_flight(const std::shared_ptr<Flight>& flight, Answer answer);
    void leave(const std::shared_ptr<Flight>& flight, std::unique_lock<std::mutex> lock);
    void forget_flight(const std::shared_ptr<Flight>& flight);

    const Launch launch_;
    mutable std::mutex mutex_;  // guards all below, and the flights except their `stop`
    Flights flights_;
    std::map<const Flight*, std::stop_source> running_;  // includes forgotten flights
    std::condition_variable idle_;
};

template <class Key, class Value>
SingleFlight<Key, Value>::~SingleFlight() {
    std::unique_lock lock{mutex_};
    const auto running = running_;
    lock.unlock();  // a loader that is stopped may call back at once
    for (const auto& [flight, stop] : running) std::stop_source{stop}.request_stop();
    lock.lock();
    idle_.wait(lock, [this] { return running_.empty(); });
}

template <class Key, class Value>
auto SingleFlight<Key, Value>::run(const Key& key, Loader loader, const std::stop_token& stop,
                                   Timing::Moment deadline) -> Answer {
    using embedding::Error;
    if (is_loading_here(key)) {
        return Error{"VALIDATION_FAILED", "a loader requested the key that it is loading"};
    }
    if (stop.stop_requested()) return Error{"STOPPED", "a stop was requested"};
    const bool has_deadline = deadline != Timing::Moment::max();
    const auto [flight, first] = join(key);
    if (first && (has_deadline || stop.stop_possible())) {
        launch(flight, std::move(loader));
    } else if (first) {
        run_flight(flight, std::move(loader));
    }
    std::unique_lock lock{mutex_};
    const auto landed = [waited = flight.get()] { return waited->has_landed; };
    if (has_deadline ? flight->landed.wait_until(lock, stop, deadline, landed)
                     : flight->landed.wait(lock, stop, landed)) {
        --flight->waiting;
        return flight->answer;
    }
    leave(flight, std::move(lock));
    if (stop.stop_requested())
        return Error{"STOPPED", "a stop was requested before the value was loaded"};
    return Error{"REQUEST_TIMEOUT", "the value was not loaded by the deadline"};
}

template <class Key, class Value>
bool SingleFlight<Key, Value>::start(const Key& key, Loader loader) {
    const auto [flight, first] = join(key);
    if (first) {
        launch(flight, std::move(loader));
    } else {
        const std::lock_guard lock{mutex_};
        --flight->waiting;
    }
    return first;
}

template <class Key, class Value>
void SingleFlight<Key, Value>::forget(const Key& key) {
    const std::lock_guard lock{mutex_};
    flights_.erase(key);
}

template <class Key, class Value>
std::size_t SingleFlight<Key, Value>::waiting(const Key& key) const {
    const std::lock_guard lock{mutex_};
    const auto found = flights_.find(key);
    return found == flights_.end() ? 0 : found->second->waiting;
}

template <class Key, class Value>
bool SingleFlight<Key, Value>::is_loading_here(const Key& key) const {
    for (const auto* load = detail::innermost_load; load; load = load->outer) {
        if (load->flights == this && *static_cast<const Key*>(load->key) == key) return true;
    }
    return false;
}

template <class Key, class Value>
auto SingleFlight<Key, Value>::join(const Key& key) -> std::pair<std::shared_ptr<Flight>, bool> {
    const std::lock_guard lock{mutex_};
    std::shared_ptr<Flight>& flight = flights_[key];
    if (flight) {
        ++flight->waiting;
        return {flight, false};
    }
    flight = std::make_shared<Flight>(key);
    running_.emplace(flight.get(), flight->stop);
    return {flight, true};
}

template <class Key, class Value>
void SingleFlight<Key, Value>::launch(const std::shared_ptr<Flight>& flight, Loader loader) {
    try {
        launch_([this, flight, loader = std::move(loader)]() mutable {
            run_flight(flight, std::exchange(loader, nullptr));
        });
    } catch (const std::exception& failure) {  // no thread is available
        complete_flight(flight, embedding::Error{"INTERNAL_ERROR", failure.what()});
    } catch (...) {
        complete_flight(flight, detail::unknown_exception());
    }
}

template <class Key, class Value>
void SingleFlight<Key, Value>::run_flight(const std::shared_ptr<Flight>& flight, Loader loader) {
    const detail::LoadScope scope{this, &flight->key};
    Answer answer = answer_of(loader, flight->stop.get_token());
    loader = nullptr;  // its captures may be destroyed before their owner
    complete_flight(flight, std::move(answer));
}

template <class Key, class Value>
auto SingleFlight<Key, Value>::answer_of(const Loader& loader, const std::stop_token& stop)
    -> Answer {
    try {
        auto loaded = loader(stop);
        if (!loaded) return loaded.error();
        return Shared{std::make_shared<const Value>(*std::move(loaded))};
    } catch (const std::exception& failure) {
        return embedding::Error{"INTERNAL_ERROR", failure.what()};
    } catch (...) {
        return detail::unknown_exception();
    }
}

template <class Key, class Value>
void SingleFlight<Key, Value>::complete_flight(const std::shared_ptr<Flight>& flight,
                                               Answer answer) {
    const std::lock_guard lock{mutex_};
    forget_flight(flight);
    flight->answer = std::move(answer);
    flight->has_landed = true;
    flight->landed.notify_all();
    running_.erase(flight.get());
    idle_.notify_all();  // under the lock: the destructor resumes as soon as it is free
}

/// When the last caller leaves, no other can join, and the loader is requested to stop.
template <class Key, class Value>
void SingleFlight<Key, Value>::leave(const std::shared_ptr<Flight>& flight,
                                     std::unique_lock<std::mutex> lock) {
    if (--flight->waiting > 0) return;
    forget_flight(flight);
    lock.unlock();
    flight->stop.request_stop();
}

/// Does nothing if another flight has taken its place.
template <class Key, class Value>
void SingleFlight<Key, Value>::forget_flight(const std::shared_ptr<Flight>& flight) {
    const auto found = flights_.find(flight->key);
    if (found != flights_.end() && found->second == flight) flights_.erase(found);
}

}  // namespace sundial

#pragma GCC visibility pop
