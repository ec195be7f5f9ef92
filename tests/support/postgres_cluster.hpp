#pragma once

#include <string>
#include <vector>

namespace sundial {

/// A real PostgreSQL of one's own: in a temporary folder, on a Unix socket there and no TCP port,
/// with fsync on. It ends, and the folder goes, with the process that made it, however that ends.
/// Run by root, the server runs as `postgres`, or else as `nobody`.
class PostgresCluster {
public:
    /// Throws std::runtime_error with what the tools said if they cannot be found or fail.
    PostgresCluster();
    PostgresCluster(const PostgresCluster&) = delete;
    PostgresCluster& operator=(const PostgresCluster&) = delete;
    ~PostgresCluster();

    /// A new, empty database; returns its URL.
    std::string create_database();
    /// A copy of a database that nobody uses at the moment.
    std::string copy_database(const std::string& url);
    /// Stops the server in the middle of things, as a crash does, and starts it again.
    void kill_and_restart();

    /// The one of this program, started at its first use.
    static PostgresCluster& shared();

private:
    [[nodiscard]] std::string url_of(const std::string& database) const;
    std::string add_database(const std::string& template_name);
    void start() const;

    std::string folder_;
    int keep_alive_ = -1;  // while it is open, the cluster lives
    int databases_ = 0;
};

/// Runs SQL, several statements perhaps, on a connection of its own; returns the last one's rows as
/// text, nulls as "". Throws std::runtime_error.
std::vector<std::vector<std::string>> query(const std::string& url, const std::string& sql);

}  // namespace sundial
