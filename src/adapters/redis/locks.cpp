#include "adapters/redis/locks.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "adapters/redis/scripts.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/ports/failures.hpp"

namespace sundial::redis {
namespace {

constexpr std::string_view lock_prefix = "sundial:lock:";
constexpr std::string_view fence_prefix = "sundial:fence:";
constexpr std::string_view names_key = "sundial:locks";

/// Maximum grants per request, if the token turns out not to be the greatest. Each time another
/// server, or an older state of this one, must have granted in between.
constexpr int max_grants = 3;

std::string hex(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += digits[value >> 4U];
        text += digits[value & 0xfU];
    }
    return text;
}

std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw Corrupt{"the lock server has a lock that Sundial did not write"};
    }
    return value;
}

Instant instant(std::string_view text) {
    return Instant{std::chrono::microseconds{static_cast<std::int64_t>(number(text))}};
}

/// Parses the value of a lock's key; scripts.hpp has the format.
Lock lock_in(const std::string& name, std::string_view value) {
    const auto next = [&] {
        const std::size_t bar = value.find('|');
        if (bar == std::string_view::npos) {
            throw Corrupt{"the lock server has a lock that Sundial did not write"};
        }
        const std::string_view part = value.substr(0, bar);
        value.remove_prefix(bar + 1);
        return part;
    };
    Lock lock{.name = name};
    lock.token_hash = next();
    lock.fencing_token = FencingToken{number(next())};
    lock.acquired_at = instant(next());
    lock.expires_at = instant(next());
    lock.holder = value;
    return lock;
}

std::string milliseconds(std::chrono::microseconds ttl) {
    return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(ttl).count());
}

}  // namespace

Reply RedisLocks::run(std::string_view script, const std::string& name,
                      const std::vector<std::string>& arguments) {
    const std::string lock = std::string{lock_prefix} + name;
    const std::string fence = std::string{fence_prefix} + name;
    std::vector<std::string_view> command{"EVAL", script, "3", lock, fence, names_key, name};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return server_.run(command);
}

std::optional<Lock> RedisLocks::find(const std::string& name) {
    const Reply value = server_.run({"GET", std::string{lock_prefix} + name});
    if (value.nil) return std::nullopt;
    return lock_in(name, value.text);
}

Result<RedisLocks::Granted, LockHeld> RedisLocks::ask(const LockRequest& request,
                                                      FencingToken floor) {
    const Reply answer = run(scripts::acquire, request.name,
                             {hex(request.token_hash), request.holder, milliseconds(request.ttl),
                              std::to_string(floor.value)});
    Lock lock = lock_in(request.name, answer.parts.at(1).text);
    if (answer.parts.at(0).number == 0) return held(lock);
    return Granted{std::move(lock), answer.parts.at(0).number == 2};
}

Result<LockGrant, LockHeld> RedisLocks::acquire(const LockRequest& request) {
    // A request for a held lock does not use the database.
    const auto seen = find(request.name);
    if (seen && seen->token_hash != hex(request.token_hash)) return held(*seen);
    for (int grants = 0; grants < max_grants; ++grants) {
        const FencingToken floor = std::max(request.floor, greatest_seen(store_, request.name));
        const auto granted = ask(request, floor);
        if (!granted) return granted.error();
        const Lock& lock = granted->lock;
        if (is_greatest(lock, granted->again)) return grant_of(lock);
        (void)release(request.name, request.token_hash);
    }
    throw Unavailable{
        "the lock server returned a fencing token that it has granted before; has it lost data?"};
}

bool RedisLocks::is_greatest(const Lock& lock, bool granted_before) {
    try {
        return in_transaction(store_,
                              [&](Transaction& tx) {
                                  return granted_before
                                             ? pass_fence(tx, lock.name, lock.fencing_token)
                                             : raise_fence(tx, lock.name, lock.fencing_token);
                              })
            .has_value();
    } catch (...) {
        // The caller gets an error and never releases a lock that it does not know about.
        give_up(lock);
        throw;
    }
}

void RedisLocks::give_up(const Lock& lock) {
    try {
        (void)run(scripts::release, lock.name, {lock.token_hash});
    } catch (const Unavailable&) {
        return;  // the lock ends with its lease
    }
}

Result<LockGrant, LockNotHeld, LockLeaseLost> RedisLocks::renew(const std::string& name,
                                                                const std::string& token_hash,
                                                                std::chrono::microseconds ttl) {
    const Reply answer = run(scripts::renew, name, {hex(token_hash), milliseconds(ttl)});
    const std::string& text = answer.parts.at(1).text;
    switch (answer.parts.at(0).number) {
        case 1:
            return grant_of(lock_in(name, text));
        case 2:
            return LockLeaseLost{name, FencingToken{number(text)}};
        default:
            return LockNotHeld{name};
    }
}

Result<void, LockNotHeld> RedisLocks::release(const std::string& name,
                                              const std::string& token_hash) {
    const Reply answer = run(scripts::release, name, {hex(token_hash)});
    if (answer.number == 0) return LockNotHeld{name};
    return {};
}

Page<Lock> RedisLocks::list(const LockQuery& query) {
    const Reply all = server_.run({"EVAL", scripts::names, "1", names_key});
    std::vector<std::string> names;
    for (const Reply& name : all.parts) {
        if (query.prefix && !name.text.starts_with(*query.prefix)) continue;
        if (query.after && name.text <= *query.after) continue;
        names.push_back(name.text);
    }
    std::ranges::sort(names);
    Page<Lock> page;
    for (const std::string& name : names) {
        const auto lock = find(name);
        if (!lock) continue;  // released meanwhile
        page.has_more = page.items.size() == query.limit;
        if (page.has_more) break;
        page.items.push_back(*lock);
    }
    return page;
}

Result<void, LockLeaseLost> RedisLocks::guard(Transaction& tx, const std::string& name,
                                              FencingToken token) {
    return pass_fence(tx, name, token);
}

}  // namespace sundial::redis
