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

/// Many want the same thing at the same moment: one gets it for all.
///
///     sundial::SingleFlight<std::string, Report> reports;
///     const auto report = reports.run(tenant + "/" + month, [&](std::stop_token) {
///         return compute(tenant, month);
///     });
namespace sundial {

/// Runs work somewhere else than on the caller's thread, soon or late but in any case.
using Launch = std::function<void(std::function<void()> work)>;
/// On a thread of its own.
void launch_thread(std::function<void()> work);

namespace detail {

/// What this thread is loading: a list from the innermost outwards.
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

/// Of what is thrown and is no std::exception.
inline embedding::Error unknown_exception() {
    return {"INTERNAL_ERROR", "something unknown was thrown"};
}

}  // namespace detail

/// At most one load of a key is in flight; all who ask meanwhile get its result. Nothing is kept
/// afterwards: that is Cache's task. Keys are ordered by `<`, and carry the tenant where there are
/// tenants.
///
/// Thread-safe. The first caller runs the loader, unless it may leave before the end (it has a
/// deadline or may be stopped): then the loader runs on a thread of its own.
template <class Key, class Value>
class SingleFlight {
public:
    using Shared = std::shared_ptr<const Value>;
    using Answer = embedding::Result<Shared>;
    using Loader = std::function<embedding::Result<Value>(const std::stop_token&)>;

    explicit SingleFlight(Launch launch = launch_thread) : launch_{std::move(launch)} {}
    /// Asks the loads in flight to stop and waits for them. Nobody may be in `run` any more.
    ~SingleFlight();
    SingleFlight(const SingleFlight&) = delete;
    SingleFlight& operator=(const SingleFlight&) = delete;

    /// What the loader in flight, or `loader`, answers. Errors: the loader's; INTERNAL_ERROR if it
    /// throws; STOPPED if `stop` is requested first and REQUEST_TIMEOUT if the deadline passes:
    /// the load goes on for the others, and is asked to stop when the last one has left;
    /// VALIDATION_FAILED if the key's own loader asks for it. Loaders that may ask for each other's
    /// keys need deadlines.
    Answer run(const Key& key, Loader loader, const std::stop_token& stop = {},
               Timing::Moment deadline = Timing::Moment::max());
    /// Begins a load that nobody has to wait for, elsewhere; not if one is in flight. Says whether.
    bool start(const Key& key, Loader loader);

    /// Whoever asks from now on has it loaded anew. Those who wait get what is on its way.
    void forget(const Key& key);
    /// How many wait for it now, and a `start` counts as one.
    [[nodiscard]] std::size_t waiting(const Key& key) const;

private:
    struct Flight {
        explicit Flight(const Key& its_key) : key{its_key} {}
        const Key key;
        std::stop_source stop;
        std::size_t waiting = 1;
        bool has_landed = false;
        Answer answer = embedding::Error{};  // once it has landed
        std::condition_variable_any landed;
    };
    using Flights = std::map<Key, std::shared_ptr<Flight>>;

    [[nodiscard]] bool is_loading_here(const Key& key) const;
    /// The flight to wait for, and whether it is the caller's to run.
    [[nodiscard]] std::pair<std::shared_ptr<Flight>, bool> join(const Key& key);
    void launch(const std::shared_ptr<Flight>& flight, Loader loader);
    void fly(const std::shared_ptr<Flight>& flight, Loader loader);
    [[nodiscard]] static Answer answer_of(const Loader& loader, const std::stop_token& stop);
    void land(const std::shared_ptr<Flight>& flight, Answer answer);
    void leave(const std::shared_ptr<Flight>& flight, std::unique_lock<std::mutex> lock);
    void forget_flight(const std::shared_ptr<Flight>& flight);

    const Launch launch_;
    mutable std::mutex mutex_;  // all below, and the flights but for their stop
    Flights flights_;
    std::map<const Flight*, std::stop_source> running_;  // forgotten ones too
    std::condition_variable idle_;
};

template <class Key, class Value>
SingleFlight<Key, Value>::~SingleFlight() {
    std::unique_lock lock{mutex_};
    const auto running = running_;
    lock.unlock();  // whoever is told to stop may come back at once
    for (const auto& [flight, stop] : running) std::stop_source{stop}.request_stop();
    lock.lock();
    idle_.wait(lock, [this] { return running_.empty(); });
}

template <class Key, class Value>
auto SingleFlight<Key, Value>::run(const Key& key, Loader loader, const std::stop_token& stop,
                                   Timing::Moment deadline) -> Answer {
    using embedding::Error;
    if (is_loading_here(key)) {
        return Error{"VALIDATION_FAILED", "a loader asks for the very key that it loads"};
    }
    if (stop.stop_requested()) return Error{"STOPPED", "a stop was requested"};
    const bool has_deadline = deadline != Timing::Moment::max();
    const auto [flight, first] = join(key);
    if (first && (has_deadline || stop.stop_possible())) {
        launch(flight, std::move(loader));
    } else if (first) {
        fly(flight, std::move(loader));
    }
    std::unique_lock lock{mutex_};
    const auto landed = [waited = flight.get()] { return waited->has_landed; };
    if (has_deadline ? flight->landed.wait_until(lock, stop, deadline, landed)
                     : flight->landed.wait(lock, stop, landed)) {
        --flight->waiting;
        return flight->answer;
    }
    leave(flight, std::move(lock));
    if (stop.stop_requested()) return Error{"STOPPED", "a stop was requested before it was there"};
    return Error{"REQUEST_TIMEOUT", "it was not there by the deadline"};
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
            fly(flight, std::exchange(loader, nullptr));
        });
    } catch (const std::exception& failure) {  // no thread is to be had
        land(flight, embedding::Error{"INTERNAL_ERROR", failure.what()});
    } catch (...) {
        land(flight, detail::unknown_exception());
    }
}

template <class Key, class Value>
void SingleFlight<Key, Value>::fly(const std::shared_ptr<Flight>& flight, Loader loader) {
    const detail::LoadScope scope{this, &flight->key};
    Answer answer = answer_of(loader, flight->stop.get_token());
    loader = nullptr;  // what it holds may go before its caller does
    land(flight, std::move(answer));
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
void SingleFlight<Key, Value>::land(const std::shared_ptr<Flight>& flight, Answer answer) {
    const std::lock_guard lock{mutex_};
    forget_flight(flight);
    flight->answer = std::move(answer);
    flight->has_landed = true;
    flight->landed.notify_all();
    running_.erase(flight.get());
    idle_.notify_all();  // under the lock: the destructor goes on as soon as it is free
}

/// The last one to leave lets nobody join, and tells the loader.
template <class Key, class Value>
void SingleFlight<Key, Value>::leave(const std::shared_ptr<Flight>& flight,
                                     std::unique_lock<std::mutex> lock) {
    if (--flight->waiting > 0) return;
    forget_flight(flight);
    lock.unlock();
    flight->stop.request_stop();
}

/// Unless another one has taken its place.
template <class Key, class Value>
void SingleFlight<Key, Value>::forget_flight(const std::shared_ptr<Flight>& flight) {
    const auto found = flights_.find(flight->key);
    if (found != flights_.end() && found->second == flight) flights_.erase(found);
}

}  // namespace sundial
