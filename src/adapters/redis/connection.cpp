#include "adapters/redis/connection.hpp"

#include <hiredis/hiredis.h>
#include <poll.h>

#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::redis {
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
    release_claims(std::move(connection));
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

void Server::release_claims(Connection connection) {
    const std::lock_guard lock{mutex_};
    if (idle_.size() < max_idle) idle_.push_back(std::move(connection));
}

}  // namespace sundial::redis
