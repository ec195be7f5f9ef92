#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace sundial::bench {

/// `sundial serve` in its own process, on a free port of the loopback interface.
class ApiServer {
public:
    /// Returns once the server is ready. Otherwise throws CannotStart with the server's output.
    explicit ApiServer(const std::string& storage_url);
    /// Stops it as an operator would, and waits for its end.
    ~ApiServer();
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    [[nodiscard]] std::uint16_t port() const;
    /// Its process id.
    [[nodiscard]] int process() const;

private:
    class Process;
    std::unique_ptr<Process> process_;
};

/// One persistent connection: sends one request at a time and reads its response. Throws
/// Unavailable.
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
