#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct pg_conn;  // of libpq

namespace sundial {

/// A connection on which tests run SQL. A new one costs the server as much as hundreds of short
/// statements, so what runs before each test keeps its own.
class SqlConnection {
public:
    explicit SqlConnection(const std::string& url);
    /// Runs SQL (possibly several statements). Returns the rows of the last statement as text,
    /// nulls as "". Throws std::runtime_error.
    std::vector<std::vector<std::string>> query(const std::string& sql);

private:
    std::unique_ptr<pg_conn, void (*)(pg_conn*)> connection_;
};

/// A private PostgreSQL server: in a temporary folder, on a Unix socket without a TCP port, with
/// fsync on. It ends with the process that created it, however that process ends, and its folder is
/// removed. All clusters of one build are copies of the first one, with one system identifier. If
/// root runs it, the server runs as `postgres`, or else as `nobody`.
class PostgresCluster {
public:
    /// With `migrator`, a sundial, its first database has the schema of that program, copied too.
    /// Throws std::runtime_error with the output of the tools if they are missing or fail.
    explicit PostgresCluster(const std::string& migrator = {});
    PostgresCluster(const PostgresCluster&) = delete;
    PostgresCluster& operator=(const PostgresCluster&) = delete;
    ~PostgresCluster();

    /// A new, empty database, or first the one that `migrator` has migrated; returns its URL.
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
    void take_empty_data(const std::string& tools, const std::filesystem::path& kept) const;
    void take_migrated_data(const std::string& tools, const std::filesystem::path& empty,
                            const std::string& program) const;
    void make_data_folder(const std::string& tools) const;
    void start() const;
    void stop(const std::string& mode) const;

    std::string folder_;
    std::unique_ptr<SqlConnection> creator_;  // opened on first use
    int keep_alive_ = -1;                     // the cluster runs while this is open
    bool has_first_database_ = true;          // and no one has asked for it
    int databases_ = 1;
};

/// Runs SQL on a connection of its own.
std::vector<std::vector<std::string>> query(const std::string& url, const std::string& sql);

}  // namespace sundial
