#include "adapters/redis/connection.hpp"

#include <hiredis/hiredis.h>
#include <poll.h>

#include <charconv>
#include <optional>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::redis {
namespace {

/// Why the text is not the URL of a lock server.
struct BadUrl {
    std::string why;
};
[[noreturn]] void refuse(const std::string& why) { throw BadUrl{why}; }

int number(std::string_view text, int max, const std::string& what) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > max) {
        refuse(what + " is a number up to " + std::to_string(max));
    }
    return value;
}

std::string decoded(std::string_view text) {
    std::string bytes;
    while (!text.empty()) {
        if (text.front() != '%') {
            bytes += text.front();
            text.remove_prefix(1);
            continue;
        }
        unsigned value = 0;
        const std::string_view digits = text.substr(1, 2);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
            refuse("a % stands before two hexadecimal digits");
        }
        bytes += static_cast<char>(value);
        text.remove_prefix(3);
    }
    return bytes;
}

/// Removes the text up to position `separator` from `text`. Returns it without the separator.
std::optional<std::string_view> cut(std::string_view& text, std::size_t separator) {
    if (separator == std::string_view::npos) return std::nullopt;
    const std::string_view before = text.substr(0, separator);
    text.remove_prefix(separator + 1);
    return before;
}

Address address_in(std::string_view url) {
    constexpr std::string_view scheme = "redis://";
    if (!url.starts_with(scheme)) refuse("not a redis:// URL (TLS is not supported)");
    std::string_view rest = url.substr(scheme.size());
    Address address;
    if (auto who = cut(rest, rest.rfind('@'))) {
        if (const auto user = cut(*who, who->find(':'))) address.user = decoded(*user);
        address.password = decoded(*who);
    }
    std::string_view place = rest;
    if (const auto before = cut(rest, rest.find('/'))) {
        place = *before;
        if (!rest.empty()) address.database = number(rest, 1'000'000, "the database");
    }
    const std::size_t bracket = place.find(']');
    const std::size_t colon =
        place.find(':', place.starts_with('[') && bracket != std::string_view::npos ? bracket : 0);
    if (colon != std::string_view::npos) {
        address.port = number(place.substr(colon + 1), 65'535, "the port");
        place = place.substr(0, colon);
    }
    if (place.starts_with('[') && place.ends_with(']')) place = place.substr(1, place.size() - 2);
    if (place.empty()) refuse("no host");
    address.host = place;
    return address;
}

}  // namespace

Address parse_url(std::string_view url, std::string_view setting) {
    try {
        return address_in(url);
    } catch (const BadUrl& bad) {
        throw CannotStart{std::string{setting} + ": " + bad.why +
                          "; a lock server is redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]"};
    }
}

namespace {

/// Maximum time without an answer. A script takes microseconds, so a server that is silent for
/// longer is down.
constexpr timeval longest_silence{.tv_sec = 2, .tv_usec = 0};
/// Maximum idle connections. At most 32 requests run at once, and few of them use locks.
constexpr std::size_t max_idle = 8;

struct FreeReply {
    void operator()(void* reply) const { freeReplyObject(reply); }
};
using RawReply = std::unique_ptr<redisReply, FreeReply>;

[[noreturn]] void fail(const std::string& why) {
    throw Unavailable{"the lock server does not answer: " + why};
}

Reply copy_of(const redisReply& raw) {
    Reply reply;
    switch (raw.type) {
        case REDIS_REPLY_NIL:
            reply.nil = true;
            break;
        case REDIS_REPLY_INTEGER:
            reply.number = raw.integer;
            break;
        case REDIS_REPLY_ARRAY:
            for (std::size_t i = 0; i < raw.elements; ++i) {
                reply.parts.push_back(copy_of(*raw.element[i]));
            }
            break;
        default:
            reply.text.assign(raw.str, raw.len);
    }
    return reply;
}

Reply exchange(redisContext& connection, const std::vector<std::string_view>& command) {
    std::vector<const char*> texts;
    std::vector<std::size_t> lengths;
    for (const std::string_view argument : command) {
        texts.push_back(argument.data());
        lengths.push_back(argument.size());
    }
    const RawReply raw{static_cast<redisReply*>(redisCommandArgv(
        &connection, static_cast<int>(command.size()), texts.data(), lengths.data()))};
    if (!raw) fail(connection.errstr);
    if (raw->type == REDIS_REPLY_ERROR) {
        throw Unavailable{"the lock server refuses: " + std::string(raw->str, raw->len)};
    }
    return copy_of(*raw);
}

/// Closed by the server, or with an unrequested reply.
bool is_stale(const redisContext& connection) {
    pollfd socket{.fd = connection.fd, .events = POLLIN, .revents = 0};
    return poll(&socket, 1, 0) != 0;
}

}  // namespace

void Server::Close::operator()(redisContext* connection) const { redisFree(connection); }

Server::Server(Address address) : address_{std::move(address)} {}
Server::~Server() = default;

Reply Server::run(const std::vector<std::string_view>& command) {
    Connection connection = borrow();
    Reply reply = exchange(*connection, command);  // on failure it is not returned to the pool
    release(std::move(connection));
    return reply;
}

Server::Connection Server::borrow() {
    {
        const std::lock_guard lock{mutex_};
        while (!idle_.empty()) {
            Connection connection = std::move(idle_.back());
            idle_.pop_back();
            if (!is_stale(*connection)) return connection;
        }
    }
    return connect();
}

Server::Connection Server::connect() const {
    Connection connection{
        redisConnectWithTimeout(address_.host.c_str(), address_.port, longest_silence)};
    if (!connection) fail("no memory for a connection");
    if (connection->err != 0) fail(connection->errstr);
    if (redisSetTimeout(connection.get(), longest_silence) != REDIS_OK) fail(connection->errstr);
    if (!address_.user.empty()) {
        exchange(*connection, {"AUTH", address_.user, address_.password});
    } else if (!address_.password.empty()) {
        exchange(*connection, {"AUTH", address_.password});
    }
    if (address_.database != 0)
        exchange(*connection, {"SELECT", std::to_string(address_.database)});
    return connection;
}

void Server::release(Connection connection) {
    const std::lock_guard lock{mutex_};
    if (idle_.size() < max_idle) idle_.push_back(std::move(connection));
}

}  // namespace sundial::redis
