#pragma once

#include <string_view>

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
