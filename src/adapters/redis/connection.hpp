#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/url.hpp"

struct redisContext;  // NOLINT(readability-identifier-naming): hiredis calls it so

namespace sundial::redis {

/// What the server says; an array of these at most.
struct Reply {
    std::string text{};          // of a string; empty for nil
    std::int64_t number = 0;     // of an integer
    std::vector<Reply> parts{};  // of an array
    bool nil = false;
};

/// A Redis server. Thread-safe: each command has a connection to itself.
class Server {
public:
    explicit Server(Address address);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// One command with its arguments. Throws Unavailable: nobody answers in two seconds, or the
    /// server refuses (it is loading, a replica, out of memory). Whether it was carried out is not
    /// known then.
    Reply run(const std::vector<std::string_view>& command);

private:
    struct Close {
        void operator()(redisContext* connection) const;
    };
    using Connection = std::unique_ptr<redisContext, Close>;

    [[nodiscard]] Connection borrow();
    [[nodiscard]] Connection connect() const;
    void give_back(Connection connection);

    const Address address_;
    std::mutex mutex_;
    std::vector<Connection> idle_;
};

}  // namespace sundial::redis
