#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace sundial::redis {

struct Address {
    std::string host;
    int port = 6379;
    std::string user{};      // empty: the default user
    std::string password{};  // empty: no authentication
    int database = 0;
};

/// `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`; user and password percent-encoded, an IPv6
/// host in brackets. Throws CannotStart, which names the `setting` and does not show the password.
[[nodiscard]] Address parse_url(std::string_view url, std::string_view setting = "locks.url");

}  // namespace sundial::redis

struct redisContext;  // NOLINT(readability-identifier-naming): hiredis calls it so

namespace sundial::redis {

/// The server's reply; an array contains other replies.
struct Reply {
    std::string text{};          // of a string; empty for nil
    std::int64_t number = 0;     // of an integer
    std::vector<Reply> parts{};  // of an array
    bool nil = false;
};

/// A Redis server. Thread-safe: each command uses its own connection.
class Server {
public:
    explicit Server(Address address);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Runs one command with its arguments. Throws Unavailable if the server does not answer within
    /// two seconds or refuses (loading, a replica, out of memory). Then it is unknown whether the
    /// command ran.
    Reply run(const std::vector<std::string_view>& command);

private:
    struct Close {
        void operator()(redisContext* connection) const;
    };
    using Connection = std::unique_ptr<redisContext, Close>;

    [[nodiscard]] Connection borrow();
    [[nodiscard]] Connection connect() const;
    void release(Connection connection);

    const Address address_;
    std::mutex mutex_;
    std::vector<Connection> idle_;
};

}  // namespace sundial::redis
