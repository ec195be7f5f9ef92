#include "domain/lock.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "application/locks/lock_guard.hpp"
#include "base/text.hpp"
#include "embedded/answers.hpp"
#include "embedded/call_checks.hpp"
#include "embedded/engine_parts.hpp"
#include "embedded/parts.hpp"
#include "sundial/cache.hpp"

namespace sundial::embedding {

Lock::Lock(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Lock::Lock(Lock&&) noexcept = default;
Lock& Lock::operator=(Lock&& other) noexcept {
    if (this == &other) return *this;
    destroy_unless_forked(std::exchange(parts_, std::move(other.parts_)));
    return *this;
}
Lock::~Lock() { destroy_unless_forked(std::move(parts_)); }

std::uint64_t Lock::fencing_token() const { return parts_->guard.lock().fencing_token.value; }
std::stop_token Lock::lost() const {
    return parts_->process.forked() ? lost_by_fork() : parts_->guard.lost();
}

Result<Lock> Engine::acquire_lock(const std::string& name, const LockOptions& options) {
    const LockTerms requested{
        .name = name,
        .holder = options.holder.empty() ? "engine " + to_string(parts_->instance) : options.holder,
        .ttl = options.ttl};
    const LockGuard::Terms terms{.wait = options.wait, .max_hold = options.max_hold};
    return Parts::run<Lock>(parts_, [&](Parts& parts) -> sundial::Result<Lock> {
        if (auto error = refuse_own_lock(name)) return ValidationFailed{{std::move(*error)}};
        auto guard = LockGuard::acquire(parts.locks.locks, parts.monotonic, requested, terms);
        if (!guard) return guard.error();
        return Lock{std::make_unique<Lock::Parts>(std::move(*guard))};
    });
}

Result<std::vector<Lock>> Engine::acquire_locks(const std::vector<std::string>& names,
                                                const LockOptions& options) {
    constexpr std::size_t most = 100;
    const std::map<std::string, std::size_t> sorted = [&] {
        std::map<std::string, std::size_t> places;
        for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
        return places;
    }();
    if (names.size() > most || sorted.size() != names.size()) {
        return error_of(invalid("/names", "not_allowed", "must be at most 100, each once"));
    }
    std::vector<std::optional<Lock>> held(names.size());
    for (const auto& [name, place] : sorted) {
        auto lock = acquire_lock(name, options);
        if (!lock) return std::move(lock).error();
        held[place].emplace(*std::move(lock));
    }
    std::vector<Lock> all;
    all.reserve(held.size());
    for (auto& lock : held) all.push_back(*std::move(lock));
    return all;
}

namespace {

/// Leases of an engine's locks, for loads that one process does for all.
class EngineLeases final : public LoadLeases {
public:
    EngineLeases(const OwnProcess& process, const Digest& digest, Locks& locks, std::string holder)
        : process_(process), digest_(digest), leases_(locks, std::move(holder)) {}
    std::optional<std::string> try_acquire(const std::string& name,
                                           std::chrono::microseconds ttl) override {
        if (process_.forked()) return std::nullopt;
        return leases_.try_acquire(lock_of(name),
                                   std::clamp(ttl, shortest_lock_ttl, longest_lock_ttl));
    }
    void release(const std::string& name, const std::string& token) override {
        if (!process_.forked()) leases_.release(lock_of(name), token);
    }

private:
    /// Keys of values can be longer than names of locks, and have other characters.
    [[nodiscard]] std::string lock_of(const std::string& name) const {
        return "load." + base::to_hex(digest_.sha256(name));
    }
    const OwnProcess& process_;
    const Digest& digest_;
    LockLeases leases_;
};

}  // namespace

std::unique_ptr<LoadLeases> Engine::load_leases() {
    return std::make_unique<EngineLeases>(parts_->process, parts_->digest, parts_->locks.locks,
                                          "engine " + to_string(parts_->instance));
}

Result<std::optional<HeldLock>> Engine::find_lock(const std::string& name) {
    return Parts::run<std::optional<HeldLock>>(
        parts_, [&](Parts& parts) -> std::optional<HeldLock> {
            const auto lock = parts.locks.locks.find(name);
            if (!lock) return std::nullopt;
            return HeldLock{lock->name, lock->holder, lock->expires_at};
        });
}

}  // namespace sundial::embedding
