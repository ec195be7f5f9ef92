#include "application/locks/locks.hpp"

#include <algorithm>
#include <variant>

#include "application/ports/failures.hpp"
#include "base/saturate.hpp"
#include "domain/names.hpp"

namespace sundial {

/// One wait; its destructor removes it.
struct LockWaits::Entry {
    Entry(LockWaits& its_waits, std::string its_name, Number its_number)
        : waits{its_waits}, name{std::move(its_name)}, number{its_number} {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { waits.remove(name, number); }

    LockWaits& waits;
    const std::string name;
    const Number number;
};

std::shared_ptr<void> LockWaits::wait(const std::string& name, Wake wake) {
    std::unique_lock lock{mutex_};
    const Number number = ++last_number_;
    auto entry = std::make_shared<Entry>(*this, name, number);
    if (stopping_) {
        lock.unlock();
        wake();
        return entry;
    }
    waiting_[name].emplace(number, std::move(wake));
    changed_.notify_all();
    return entry;
}

void LockWaits::remove(const std::string& name, Number number) {
    const std::lock_guard lock{mutex_};
    const auto found = waiting_.find(name);
    if (found == waiting_.end()) return;
    found->second.erase(number);
    if (found->second.empty()) waiting_.erase(found);
}

LockWaits::Wake LockWaits::take_first(const std::string& name) {
    const auto found = waiting_.find(name);
    if (found == waiting_.end()) return {};
    Wake first = std::move(found->second.begin()->second);
    found->second.erase(found->second.begin());
    if (found->second.empty()) waiting_.erase(found);
    return first;
}

void LockWaits::released(const std::string& name) {
    Wake first;
    {
        const std::lock_guard lock{mutex_};
        first = take_first(name);
    }
    if (first) first();
}

void LockWaits::run() {
    std::unique_lock lock{mutex_};
    while (!stopping_) {
        changed_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
        if (changed_.wait_for(lock, poll_interval_, [&] { return stopping_; })) return;
        std::vector<std::string> names;
        for (const auto& [name, waiting] : waiting_) names.push_back(name);
        std::vector<Wake> first_ones;
        for (const std::string& name : names) first_ones.push_back(take_first(name));
        lock.unlock();
        for (const Wake& wake : first_ones) wake();
        lock.lock();
    }
}

void LockWaits::stop() {
    std::map<std::string, std::map<Number, Wake>> all;
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        all.swap(waiting_);
        changed_.notify_all();
    }
    for (const auto& [name, waiting] : all) {
        for (const auto& [number, wake] : waiting) wake();
    }
}

bool LockWaits::stopped() const {
    const std::lock_guard lock{mutex_};
    return stopping_;
}

namespace {

using namespace std::chrono_literals;

/// The first and the longest pause between two requests. They bound the load of a waiting caller on
/// the store, and the delay until it notices a lock released by another instance.
constexpr std::chrono::microseconds first_pause = 10ms, longest_pause = 500ms;

constexpr std::size_t longest_name = 128;

std::optional<FieldError> refuse_ttl(std::chrono::microseconds ttl) {
    if (ttl >= shortest_lock_ttl && ttl <= longest_lock_ttl) return std::nullopt;
    return FieldError{"/ttl", "out_of_range", "a lock is leased for 100 ms to 24 hours"};
}

std::vector<FieldError> defects(const LockTerms& requested) {
    std::vector<FieldError> found;
    const auto note = [&](std::optional<FieldError> error) {
        if (error) found.push_back(std::move(*error));
    };
    note(refuse_text("/name", requested.name, longest_name));
    note(refuse_text("/holder", requested.holder, longest_name));
    note(refuse_ttl(requested.ttl));
    return found;
}

/// A one-time signal for one waiting caller.
class Signal {
public:
    void happen() {
        const std::lock_guard lock{mutex_};
        happened_ = true;
        changed_.notify_all();
    }
    void wait(std::chrono::microseconds at_most, const std::stop_token& stop) {
        std::unique_lock lock{mutex_};
        changed_.wait_for(lock, stop, at_most, [&] { return happened_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable_any changed_;
    bool happened_ = false;
};

}  // namespace

std::optional<FieldError> refuse_own_lock(std::string_view name) {
    if (!name.starts_with(own_locks)) return std::nullopt;
    return FieldError{"/name", "not_allowed",
                      "locks whose names begin with 'sundial.' are Sundial's own"};
}

Result<AcquiredLock, ValidationFailed, LockHeld> Locks::acquire(const LockTerms& requested) {
    if (auto found = defects(requested); !found.empty()) return ValidationFailed{std::move(found)};
    auto fresh = ports_.tokens.make();
    const Mono asked = ports_.monotonic.now();
    const auto granted = ports_.store.acquire({.name = requested.name,
                                               .holder = requested.holder,
                                               .token_hash = std::move(fresh.hash),
                                               .ttl = requested.ttl});
    if (!granted) return granted.error();
    return AcquiredLock{.name = requested.name,
                        .holder = requested.holder,
                        .lock_token = std::move(fresh.token),
                        .fencing_token = granted->fencing_token,
                        .expires_at = granted->expires_at,
                        .asked = asked,
                        .answered = ports_.monotonic.now()};
}

Result<AcquiredLock, ValidationFailed, LockHeld> Locks::acquire(const LockTerms& requested,
                                                                std::chrono::microseconds wait,
                                                                const std::stop_token& stop) {
    const auto give_up = base::later(ports_.monotonic.now(), wait);
    for (int tries = 1;; ++tries) {
        // Listens before the request, so that no release in between is missed.
        const auto signal = std::make_shared<Signal>();
        const auto listening = ports_.waits.wait(requested.name, [signal] { signal->happen(); });
        auto answer = acquire(requested);
        if (answer || !std::holds_alternative<LockHeld>(answer.error())) return answer;
        const auto left = give_up - ports_.monotonic.now();
        if (left <= 0us || stop.stop_requested() || ports_.waits.stopped()) return answer;
        signal->wait(std::min(left, pause_after(tries)), stop);
        if (stop.stop_requested()) return answer;
    }
}

std::chrono::microseconds Locks::pause_after(int tries) {
    const auto whole = std::min(longest_pause, first_pause * (1 << std::min(tries - 1, 10)));
    return std::chrono::duration_cast<std::chrono::microseconds>(
        whole * (0.5 + 0.5 * ports_.random.unit()));
}

Result<std::vector<AcquiredLock>, ValidationFailed, LockHeld> Locks::acquire_all(
    std::vector<LockTerms> requested, std::chrono::microseconds wait, const std::stop_token& stop) {
    std::ranges::sort(requested, {}, &LockTerms::name);
    if (std::ranges::adjacent_find(requested, {}, &LockTerms::name) != requested.end()) {
        return invalid("/name", "not_allowed",
                       "a lock name is given twice; locks are not reentrant");
    }
    const auto give_up = base::later(ports_.monotonic.now(), wait);
    std::vector<AcquiredLock> acquired;
    for (const LockTerms& one : requested) {
        auto answer = acquire(one, give_up - ports_.monotonic.now(), stop);
        if (!answer) {
            for (const AcquiredLock& had : acquired) (void)release(had.name, had.lock_token);
            return answer.error();
        }
        acquired.push_back(std::move(*answer));
    }
    return acquired;
}

Result<LockGrant, ValidationFailed, LockNotHeld, LockLeaseLost> Locks::renew(
    const std::string& name, std::string_view lock_token, std::chrono::microseconds ttl) {
    if (auto error = refuse_ttl(ttl)) return ValidationFailed{{std::move(*error)}};
    return ports_.store.renew(name, ports_.tokens.hash(lock_token), ttl);
}

Result<void, LockNotHeld> Locks::release(const std::string& name, std::string_view lock_token) {
    auto released = ports_.store.release(name, ports_.tokens.hash(lock_token));
    if (released) ports_.waits.released(name);
    return released;
}

std::optional<std::string> LockLeases::try_acquire(const std::string& name,
                                                   std::chrono::microseconds ttl) {
    try {
        const auto lock = locks_.acquire({.name = name, .holder = holder_, .ttl = ttl});
        if (lock) return lock->lock_token;
    } catch (const Unavailable&) {  // the caller asks again
    }
    return std::nullopt;
}

void LockLeases::release(const std::string& name, const std::string& token) {
    try {
        // Refused if the lease has expired, because another process may hold the lock.
        (void)locks_.release(name, token);
    } catch (const Unavailable&) {  // its lease expires anyway
    }
}

}  // namespace sundial
