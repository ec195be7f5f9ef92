#include "support/postgres_cluster.hpp"

#include <fcntl.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sundial {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error{"temporary PostgreSQL: " + what};
}

/// The folder with initdb and pg_ctl: the newest that Debian has installed, or the one in PATH.
std::string find_tools() {
    std::vector<fs::path> folders;
    const fs::path debian{"/usr/lib/postgresql"};
    if (fs::exists(debian)) {
        for (const auto& version : fs::directory_iterator{debian}) {
            folders.push_back(version.path() / "bin");
        }
        std::sort(folders.rbegin(), folders.rend());
    }
    const char* const search_path = std::getenv("PATH");
    std::istringstream path{search_path ? search_path : ""};
    for (std::string folder; std::getline(path, folder, ':');) folders.emplace_back(folder);
    for (const auto& folder : folders) {
        if (fs::exists(folder / "initdb") && fs::exists(folder / "pg_ctl")) return folder;
    }
    fail("initdb is not installed: apt-get install postgresql");
}

/// The user that runs the server: PostgreSQL refuses root.
const passwd* server_user() {
    if (geteuid() != 0) return nullptr;
    for (const char* name : {"postgres", "nobody"}) {
        if (const passwd* user = getpwnam(name)) return user;
    }
    fail("run as root, and there is no user postgres or nobody to run the server as");
}

/// Becomes that user; only in a child that is about to execute a tool.
void drop_rights(const passwd* user) {
    if (!user) return;
    if (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) {
        _exit(126);
    }
}

void exec(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const auto& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execv(arguments.front(), arguments.data());
    _exit(127);
}

/// Runs a program as `user`, or as this one if null, its output in `log`, and waits for it.
bool run_as(const passwd* user, const std::vector<std::string>& command, const std::string& log) {
    const pid_t child = fork();
    if (child == 0) {
        const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (in < 0 || out < 0) _exit(126);
        dup2(in, 0);
        dup2(out, 1);
        dup2(out, 2);
        drop_rights(user);
        if (chdir("/") != 0) _exit(126);
        exec(command);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool run_tool(const std::vector<std::string>& command, const std::string& log) {
    return run_as(server_user(), command, log);
}

std::string content_of(const std::string& file) {
    std::ifstream stream{file};
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// Waits until the other end of the pipe is closed, then stops the server and removes the folder.
/// Runs in a session of its own, so that Ctrl-C for the tests does not reach it.
[[noreturn]] void watch(int pipe, const std::string& tools, const std::string& folder) {
    setsid();
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {0, 1, 2}) {
        if (nowhere >= 0) dup2(nowhere, standard);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
    char byte = 0;
    while (read(pipe, &byte, 1) > 0) {
    }
    run_tool({tools + "/pg_ctl", "-D", folder + "/data", "-m", "immediate", "-w", "stop"},
             folder + "/log");
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    _exit(0);
}

/// Seconds after which a start or a stop fails, however busy the machine is.
constexpr const char* hang_guard = "600";

/// The database that each cluster has from its template: making it takes as long as starting the
/// server.
constexpr const char* first_database = "test1";

/// Where the files of a new cluster are kept for the other clusters of this build. The time of
/// initdb is part of the name, because an upgrade may replace it under its old path.
fs::path template_of(const std::string& tools) {
    std::string name = "cluster" + tools;
    std::ranges::replace(name, '/', '-');
    const auto made_at = fs::last_write_time(tools + "/initdb").time_since_epoch().count();
    return fs::path{SUNDIAL_BUILD_FOLDER} / (name + "-" + std::to_string(made_at));
}

/// The same with the schema of that program in the first database. The program's time is part of
/// the name, because each build may bring another migration.
fs::path template_migrated_by(const std::string& program, const fs::path& empty) {
    const auto built_at = fs::last_write_time(program).time_since_epoch().count();
    return empty.string() + "-migrated-" + std::to_string(fs::file_size(program)) + "-" +
           std::to_string(built_at);
}

/// Those that builds before this one have left.
void remove_old_templates(const fs::path& current) {
    const std::string name = current.filename();
    const std::string kind = name.substr(0, name.find("-migrated-") + 10);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator{current.parent_path(), ignored}) {
        const std::string other = entry.path().filename();
        const bool is_old = other.starts_with(kind) && !other.starts_with(name);
        if (is_old) fs::remove_all(entry.path(), ignored);
    }
}

void give_to_server(const fs::path& folder) {
    const passwd* user = server_user();
    if (!user) return;
    const auto give = [&](const fs::path& path) {
        if (lchown(path.c_str(), user->pw_uid, user->pw_gid) != 0) fail("chown " + path.string());
    };
    give(folder);
    for (const auto& entry : fs::recursive_directory_iterator{folder}) give(entry.path());
}

/// Copying takes a tenth of the time of initdb. False if there is no template, or it may not be
/// read.
bool copy_template(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::copy(from, to, fs::copy_options::recursive, error);
    if (error) {
        fs::remove_all(to, error);
        return false;
    }
    give_to_server(to);
    return true;
}

/// Under another name first, because several tests may do this at the same time. Only a
/// convenience, so errors do not matter.
void keep_as_template(const fs::path& data, const fs::path& place) {
    const fs::path copy = place.string() + "." + std::to_string(getpid());
    std::error_code error;
    fs::copy(data, copy, fs::copy_options::recursive, error);
    if (!error) fs::rename(copy, place, error);
    if (error) fs::remove_all(copy, error);
}

struct ClearResult {
    void operator()(PGresult* result) const { PQclear(result); }
};

}  // namespace

PostgresCluster::PostgresCluster(const std::string& migrator) {
    const std::string tools = find_tools();
    std::string folder = fs::temp_directory_path() / "sundial-pg-XXXXXX";
    if (!mkdtemp(folder.data())) fail("no temporary folder in " + folder);
    constexpr std::size_t socket_name = 14, longest_socket = 107;  // size of sun_path
    if (folder.size() + socket_name > longest_socket) fail("TMPDIR is too long for a socket");
    folder_ = folder;
    if (const passwd* user = server_user()) {
        if (chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0) fail("chown " + folder);
    }

    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("no pipe");
    const pid_t watcher = fork();
    if (watcher < 0) fail("no process to watch it");
    if (watcher == 0) {
        close(ends[1]);
        watch(ends[0], tools, folder);
    }
    close(ends[0]);
    keep_alive_ = ends[1];

    const fs::path empty = template_of(tools);
    if (migrator.empty()) {
        take_empty_data(tools, empty);
    } else {
        take_migrated_data(tools, empty, migrator);
    }
    start();
}

PostgresCluster::~PostgresCluster() {
    if (keep_alive_ >= 0) close(keep_alive_);
}

void PostgresCluster::take_empty_data(const std::string& tools, const fs::path& kept) const {
    const std::string data = folder_ + "/data";
    if (copy_template(kept, data)) return;
    make_data_folder(tools);
    keep_as_template(data, kept);
}

void PostgresCluster::take_migrated_data(const std::string& tools, const fs::path& empty,
                                         const std::string& program) const {
    const std::string data = folder_ + "/data", log = folder_ + "/log";
    const fs::path kept = template_migrated_by(program, empty);
    if (copy_template(kept, data)) return;
    take_empty_data(tools, empty);
    start();
    const std::string absolute = fs::absolute(program);  // it runs in another folder
    if (!run_as(nullptr, {absolute, "db", "migrate", "--db", url_of(first_database)}, log)) {
        fail("db migrate: " + content_of(log));
    }
    stop("fast");
    remove_old_templates(kept);
    keep_as_template(data, kept);
}

void PostgresCluster::make_data_folder(const std::string& tools) const {
    const std::string data = folder_ + "/data", log = folder_ + "/log";
    if (!run_tool({tools + "/initdb", "-D", data, "-U", "sundial", "-A", "trust", "-E", "UTF8",
                   "--locale=C.UTF-8", "--no-sync"},
                  log)) {
        fail("initdb: " + content_of(log));
    }
    start();
    // Copying files keeps the database out of the WAL. Before version 15 there is no other way.
    const std::string postgres = url_of("postgres");
    const bool has_strategy =
        std::stoi(query(postgres, "SHOW server_version_num").front().front()) >= 150'000;
    query(postgres, std::string{"CREATE DATABASE "} + first_database + " TEMPLATE template0" +
                        (has_strategy ? " STRATEGY file_copy" : ""));
    stop("fast");
}

void PostgresCluster::stop(const std::string& mode) const {
    const std::string log = folder_ + "/log";
    if (!run_tool({find_tools() + "/pg_ctl", "-D", folder_ + "/data", "-m", mode, "-w", "-t",
                   hang_guard, "stop"},
                  log)) {
        fail("pg_ctl stop: " + content_of(log));
    }
}

void PostgresCluster::start() const {
    const std::string log = folder_ + "/log";
    // With mmap the server's shared memory lies in the data folder. Segments in /dev/shm would stay
    // after a kill.
    const std::string options = "-k " + folder_ +
                                " -c listen_addresses= -c max_connections=200"
                                " -c dynamic_shared_memory_type=mmap";
    if (!run_tool({find_tools() + "/pg_ctl", "-D", folder_ + "/data", "-l", folder_ + "/server.log",
                   "-w", "-t", hang_guard, "-o", options, "start"},
                  log)) {
        fail("pg_ctl start: " + content_of(log) + content_of(folder_ + "/server.log"));
    }
}

void PostgresCluster::kill_and_restart() {
    creator_.reset();
    stop("immediate");
    start();
}

std::string PostgresCluster::url_of(const std::string& database) const {
    return "postgresql:///" + database + "?user=sundial&host=" + folder_;
}

std::string PostgresCluster::add_database(const std::string& template_name) {
    const std::string name = "test" + std::to_string(++databases_);
    if (!creator_) creator_ = std::make_unique<SqlConnection>(url_of("postgres"));
    // The server itself waits five seconds for sessions that are ending.
    for (int tries = 1;; ++tries) {
        try {
            creator_->query("CREATE DATABASE " + name + " TEMPLATE " + template_name);
            return url_of(name);
        } catch (const std::runtime_error& error) {
            const std::string_view why = error.what();
            const bool passes = why.find("accessed by other users") != std::string_view::npos;
            if (!passes || tries == 20) throw;
        }
    }
}

std::string PostgresCluster::create_database() {
    if (std::exchange(has_first_database_, false)) return url_of(first_database);
    return add_database("template0");
}

std::string PostgresCluster::copy_database(const std::string& url) {
    const auto name = url.substr(std::string{"postgresql:///"}.size());
    return add_database(name.substr(0, name.find('?')));
}

PostgresCluster& PostgresCluster::shared() {
    static PostgresCluster cluster;
    return cluster;
}

SqlConnection::SqlConnection(const std::string& url)
    : connection_{PQconnectdb(url.c_str()), PQfinish} {}

std::vector<std::vector<std::string>> SqlConnection::query(const std::string& sql) {
    const std::unique_ptr<PGresult, ClearResult> result{PQexec(connection_.get(), sql.c_str())};
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fail(std::string{PQerrorMessage(connection_.get())} + "in: " + sql);
    }
    std::vector<std::vector<std::string>> rows;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
        auto& values = rows.emplace_back();
        for (int column = 0; column < PQnfields(result.get()); ++column) {
            values.emplace_back(PQgetvalue(result.get(), row, column));
        }
    }
    return rows;
}

std::vector<std::vector<std::string>> query(const std::string& url, const std::string& sql) {
    return SqlConnection{url}.query(sql);
}

}  // namespace sundial
