#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sundial {

/// A TCP proxy in front of PostgreSQL, on a free loopback port. It can cut the connection at the
/// worst moment: while a COMMIT is in transit.
class CommitCutter {
public:
    enum class Cut : std::uint8_t {
        nothing,  // everything passes
        commit,   // the next COMMIT does not reach the server; both connections are closed
        reply,    // it does, but the server's response does not come back
        client,   // it does, but the client loses the connection before the server responds
    };

    /// `url`: a database on a Unix socket, as PostgresCluster returns it.
    explicit CommitCutter(const std::string& url);
    ~CommitCutter();
    CommitCutter(const CommitCutter&) = delete;
    CommitCutter& operator=(const CommitCutter&) = delete;

    /// The same database through this proxy.
    [[nodiscard]] std::string url() const { return url_; }
    /// Applies once; all later COMMITs pass.
    void cut_next(Cut cut) { cut_ = cut; }
    /// Whether new clients can connect.
    void let_in(bool open) { open_ = open; }
    /// Reports another session number to new clients than the real one, as a pooler does.
    void pose_as_pooler() { poses_ = true; }
    /// Number of COMMITs cut so far.
    [[nodiscard]] int cuts() const { return cuts_; }

private:
    void accept_all();
    void serve(int client);
    int connect_to_server() const;

    std::string server_socket_;
    std::string url_;
    int listener_ = -1;
    std::atomic<Cut> cut_{Cut::nothing};
    std::atomic<bool> open_{true};
    std::atomic<bool> poses_{false};
    std::atomic<int> cuts_{0};
    std::mutex mutex_;
    std::vector<int> sockets_;
    std::vector<std::thread> serving_;
    std::thread accepting_;
};

}  // namespace sundial
