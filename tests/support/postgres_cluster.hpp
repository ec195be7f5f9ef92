#pragma once

#include <string>
#include <vector>

namespace sundial {

/// A private PostgreSQL server: in a temporary folder, on a Unix socket without a TCP port, with
/// fsync on. It ends with the process that created it, however that process ends, and its folder is
/// removed. All clusters of one build are copies of the first one, with one system identifier. If
/// root runs it, the server runs as `postgres`, or else as `nobody`.
class PostgresCluster {
public:
    /// Throws std::runtime_error with the output of the tools if they are missing or fail.
    PostgresCluster();
    PostgresCluster(const PostgresCluster&) = delete;
    PostgresCluster& operator=(const PostgresCluster&) = delete;
    ~PostgresCluster();

    /// A new, empty database; returns its URL.
    std::string create_database();
    /// A copy of a database that has no open connections.
    std::string copy_database(const std::string& url);
    /// Kills the server, as in a crash, and starts it again.
    void kill_and_restart();

    /// The cluster of this program, started on first use.
    static PostgresCluster& shared();

private:
    [[nodiscard]] std::string url_of(const std::string& database) const;
    std::string add_database(const std::string& template_name);
    void make_data_folder(const std::string& tools) const;
    void start() const;
    void stop(const std::string& mode) const;

    std::string folder_;
    int keep_alive_ = -1;             // the cluster runs while this is open
    bool has_first_database_ = true;  // and no one has asked for it
    int databases_ = 1;
};

/// Runs SQL (possibly several statements) on a connection of its own. Returns the rows of the last
/// statement as text, nulls as "". Throws std::runtime_error.
std::vector<std::vector<std::string>> query(const std::string& url, const std::string& sql);

}  // namespace sundial
