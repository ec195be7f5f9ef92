#include "adapters/redis/locks.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "adapters/redis/open.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/ports/failures.hpp"
#include "base/text.hpp"

/// All scripts that run on a Redis server, complete. A held lock is the key `sundial:lock:NAME`
/// with the value "HASH|TOKEN|ACQUIRED|EXPIRES|HOLDER", instants in microseconds since 1970. The
/// Redis hash `sundial:fence:NAME` exists forever: `token` is the greatest granted token, `last`
/// the hash of its holder. `sundial:locks` has the names of held locks ordered by their end, for
/// lists.
namespace sundial::redis::scripts {

/// KEYS lock, fence, names; ARGV name, token's hash, holder, ttl in ms, floor. Returns {1, value}
/// if granted; {2, value} if the same request was granted already; {0, value} if another holder has
/// the lock.
inline constexpr std::string_view acquire = R"lua(
    local held = redis.call('GET', KEYS[1])
    if held then
        return {string.sub(held, 1, #ARGV[2] + 1) == ARGV[2] .. '|' and 2 or 0, held}
    end
    local time = redis.call('TIME')
    local now = time[1] * 1000000 + time[2]
    local ends = now + ARGV[4] * 1000
    local token = math.max(tonumber(redis.call('HGET', KEYS[2], 'token') or '0'), tonumber(ARGV[5])) + 1
    local text = string.format('%.0f', token)
    local value = table.concat(
        {ARGV[2], text, string.format('%.0f', now), string.format('%.0f', ends), ARGV[3]}, '|')
    redis.call('SET', KEYS[1], value, 'NX', 'PX', ARGV[4])
    redis.call('HSET', KEYS[2], 'token', text, 'last', ARGV[2])
    redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
    redis.call('ZADD', KEYS[3], ends, ARGV[1])
    return {1, value})lua";

/// KEYS as above; ARGV name, token's hash, ttl in ms. Returns {1, value} if renewed; {2, token} if
/// it was the caller's but has expired; {0, ''} if it is not the caller's.
inline constexpr std::string_view renew = R"lua(
    local value = redis.call('GET', KEYS[1])
    if not value then
        if redis.call('HGET', KEYS[2], 'last') == ARGV[2] then
            return {2, redis.call('HGET', KEYS[2], 'token')}
        end
        return {0, ''}
    end
    local hash, token, acquired, ends, holder = string.match(value, '^(%x+)|(%d+)|(%d+)|(%d+)|(.*)$')
    if hash ~= ARGV[2] then
        return {0, ''}
    end
    local time = redis.call('TIME')
    local longer = time[1] * 1000000 + time[2] + ARGV[3] * 1000
    if longer > tonumber(ends) then
        value = table.concat({hash, token, acquired, string.format('%.0f', longer), holder}, '|')
        redis.call('SET', KEYS[1], value, 'XX', 'PX', ARGV[3])
        redis.call('ZADD', KEYS[3], longer, ARGV[1])
    end
    return {1, value})lua";

/// KEYS as above; ARGV name, token's hash. Returns 1 if released, 0 if it is not the caller's.
inline constexpr std::string_view release = R"lua(
    local value = redis.call('GET', KEYS[1])
    if not value or string.sub(value, 1, #ARGV[2] + 1) ~= ARGV[2] .. '|' then
        return 0
    end
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[2], 'last', '')
    redis.call('ZREM', KEYS[3], ARGV[1])
    return 1)lua";

/// KEYS names. Returns the names of locks that have not expired.
inline constexpr std::string_view names = R"lua(
    local time = redis.call('TIME')
    local now = string.format('(%.0f', time[1] * 1000000 + time[2])
    return redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf'))lua";

}  // namespace sundial::redis::scripts

namespace sundial::redis {
namespace {

constexpr std::string_view lock_prefix = "sundial:lock:";
constexpr std::string_view fence_prefix = "sundial:fence:";
constexpr std::string_view names_key = "sundial:locks";

/// Maximum grants per request, if the token turns out not to be the greatest. Each time another
/// server, or an older state of this one, must have granted in between.
constexpr int max_grants = 3;

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

/// Parses the value of a lock's key; see `scripts` for the format.
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
                             {base::to_hex(request.token_hash), request.holder,
                              milliseconds(request.ttl), std::to_string(floor.value)});
    Lock lock = lock_in(request.name, answer.parts.at(1).text);
    if (answer.parts.at(0).number == 0) return held(lock);
    return Granted{std::move(lock), answer.parts.at(0).number == 2};
}

Result<LockGrant, LockHeld> RedisLocks::acquire(const LockRequest& request) {
    // A request for a held lock does not use the database.
    const auto seen = find(request.name);
    if (seen && seen->token_hash != base::to_hex(request.token_hash)) return held(*seen);
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
    const Reply answer = run(scripts::renew, name, {base::to_hex(token_hash), milliseconds(ttl)});
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
    const Reply answer = run(scripts::release, name, {base::to_hex(token_hash)});
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

std::unique_ptr<LockStore> open_locks(const std::string& url, Store& store,
                                      std::string_view setting) {
    return std::make_unique<RedisLocks>(parse_url(url, setting), store);
}

void check_url(const std::string& url, std::string_view setting) { (void)parse_url(url, setting); }

}  // namespace sundial::redis
