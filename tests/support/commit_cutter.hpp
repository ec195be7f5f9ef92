#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace sundial {

/// A TCP proxy before a PostgreSQL, on a free loopback port, that can lose the connection at the
/// worst moment: while a COMMIT is on its way.
class CommitCutter {
public:
    enum class Cut : std::uint8_t {
        nothing,  // all passes
        commit,   // the next COMMIT does not reach the server; both ends are closed
        reply,    // it does, and the server's answer does not come back
        client,   // it does, and the client loses the connection before the server has answered
    };

    /// `url`: of a database on a Unix socket, as PostgresCluster gives it.
    explicit CommitCutter(const std::string& url);
    ~CommitCutter();
    CommitCutter(const CommitCutter&) = delete;
    CommitCutter& operator=(const CommitCutter&) = delete;

    /// The same database through this proxy.
    [[nodiscard]] std::string url() const { return url_; }
    /// Once; all later COMMITs pass.
    void cut_next(Cut cut) { cut_ = cut; }
    /// Whether clients who come from now on are let in.
    void let_in(bool open) { open_ = open; }
    /// Tells clients who come from now on another number for their session than it has, as a pooler
    /// does.
    void pose_as_pooler() { poses_ = true; }
    /// How many COMMITs it has cut.
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
