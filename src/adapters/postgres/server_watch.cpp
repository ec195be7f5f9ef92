#include "adapters/postgres/server_watch.hpp"

#include <algorithm>
#include <utility>

namespace sundial::postgres {
namespace {

/// Time until a server that could not be identified is asked again.
constexpr std::chrono::seconds pause_after_failure{10};

void say(base::Log& log, base::LogLevel level, std::string message) {
    log.write({.level = level,
               .event_name = {},
               .message = std::move(message),
               .correlation_id = {},
               .fields = {}});
}

}  // namespace

Server ServerWatch::latest() const {
    const std::lock_guard lock{mutex_};
    return latest_;
}

void ServerWatch::meet(const Server& server) {
    {
        const std::lock_guard lock{mutex_};
        if (server.started == latest_.started) return;
        const bool first = latest_.started == 0;
        latest_ = server;
        if (first) return;
        changed_at_ = std::chrono::steady_clock::now();
    }
    say(log_, base::LogLevel::warn,
        "another PostgreSQL server answers, or the server was restarted (timeline " +
            std::to_string(server.timeline) +
            "): claims of other instances are respected for one lease");
}

std::optional<std::int64_t> ServerWatch::trusted(std::chrono::microseconds lease) const {
    const std::lock_guard lock{mutex_};
    if (latest_.started == 0) return std::nullopt;
    if (changed_at_ && std::chrono::steady_clock::now() < *changed_at_ + lease) return std::nullopt;
    return latest_.started;
}

void ServerWatch::meet_holder(std::uint32_t shard, std::int64_t started) {
    const std::lock_guard lock{mutex_};
    Holder& holder = holders_[shard];
    if (holder.started == started) return;
    const Holder before = std::exchange(holder, {started, {}});
    const auto [at, unknown] = machines_.try_emplace(started);
    if (before.started == 0) return;
    holder.changed_at = std::chrono::steady_clock::now();
    const Machine& other = machines_.at(before.started);
    if (unknown) {
        at->second.took_shards = true;
        at->second.before = other.identity;
        at->second.newest = other.newest;
    }
    const bool has_more = std::ranges::any_of(
        holders_, [&before](const auto& each) { return each.second.started == before.started; });
    if (!has_more) machines_.erase(before.started);
}

bool ServerWatch::should_identify(std::int64_t started) {
    const std::lock_guard lock{mutex_};
    const auto found = machines_.find(started);
    if (found == machines_.end()) return false;
    Machine& machine = found->second;
    const Moment now = std::chrono::steady_clock::now();
    if (machine.identity || (machine.ask_again && now < *machine.ask_again)) return false;
    machine.ask_again = now + pause_after_failure;
    return true;
}

void ServerWatch::identify(std::int64_t started, const std::optional<HolderIdentity>& identity) {
    bool changed = false, old = false;
    std::int64_t newest = 0;
    {
        const std::lock_guard lock{mutex_};
        const auto found = machines_.find(started);
        if (found == machines_.end() || found->second.identity) return;
        Machine& machine = found->second;
        machine.identity = identity;
        if (identity) {
            const bool same_cluster = machine.before && machine.before->system != 0 &&
                                      machine.before->system == identity->system;
            machine.newest = std::max(same_cluster ? machine.newest : 0, identity->timeline);
        }
        changed = machine.took_shards && !std::exchange(machine.reported, true);
        old = machine.is_old();
        newest = machine.newest;
    }
    const std::string who =
        identity ? identity->address + " (timeline " + std::to_string(identity->timeline) + ")"
                 : "a server";
    if (changed) {
        say(log_, base::LogLevel::warn,
            who +
                " has shards that another server had, or was restarted: claims of other "
                "instances in them are respected for one lease");
    }
    if (old) {
        say(log_, base::LogLevel::error,
            who + " has shards whose server was on timeline " + std::to_string(newest) +
                ": it was replaced, or restored from an older copy. Nothing is claimed there until "
                "the other server is back");
    }
}

bool ServerWatch::trusts_holder(std::uint32_t shard, std::chrono::microseconds lease) const {
    const std::lock_guard lock{mutex_};
    const auto found = holders_.find(shard);
    if (found == holders_.end()) return true;
    const auto& changed_at = found->second.changed_at;
    return !changed_at || std::chrono::steady_clock::now() >= *changed_at + lease;
}

std::optional<std::string> ServerWatch::refusal_of(std::uint32_t shard) const {
    const std::lock_guard lock{mutex_};
    const auto found = holders_.find(shard);
    if (found == holders_.end()) return std::nullopt;
    const Machine& machine = machines_.at(found->second.started);
    if (!machine.is_old()) return std::nullopt;
    return machine.identity->address + " has shard " + std::to_string(shard) +
           " and was replaced: it is on timeline " + std::to_string(machine.identity->timeline) +
           ", and " + std::to_string(machine.newest) + " has been seen";
}

}  // namespace sundial::postgres
