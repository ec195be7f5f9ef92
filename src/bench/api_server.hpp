#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sundial::bench {

/// `sundial serve` as a process of its own, on a free port of the loopback interface.
class ApiServer {
public:
    /// Returns once it is ready. Throws CannotStart with what it said if it is not.
    explicit ApiServer(const std::string& storage_url);
    /// Stops it as an operator does, and waits for its end.
    ~ApiServer();
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    /// Its number.
    [[nodiscard]] int process() const;

private:
    class Process;
    std::unique_ptr<Process> process_;
};

/// One connection to it that is kept: a request, its answer, the next request. Throws Unavailable.
class ApiConnection {
public:
    explicit ApiConnection(std::uint16_t port);
    ~ApiConnection();
    ApiConnection(const ApiConnection&) = delete;
    ApiConnection& operator=(const ApiConnection&) = delete;

    /// Posts JSON; returns the status code.
    [[nodiscard]] int post(const std::string& path, const std::string& body);

private:
    int socket_;
    std::string unread_{};
};

}  // namespace sundial::bench
