#include "server/doctor.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "adapters/postgres/backup.hpp"
#include "adapters/system/clocks.hpp"
#include "base/text.hpp"
#include "server/certificate.hpp"
#include "server/database.hpp"
#include "server/process.hpp"

namespace sundial::server {
namespace {

namespace fs = std::filesystem;
using DoctorState = Diagnosis::State;

// Each commit waits for this: below 5 ms on an SSD, about 10 ms on a hard disk.
constexpr std::chrono::milliseconds slow_fsync{20};
constexpr std::chrono::milliseconds very_slow_fsync{200};
// The scheduler tolerates more, but tokens, certificates and logs do not.
constexpr std::chrono::seconds large_clock_difference{2};
// The lease is 30 s by default; a transaction of this age keeps dead rows from vacuum.
constexpr std::int64_t long_transaction_seconds = 300;
constexpr std::int64_t old_snapshot_transactions = 1'000'000;
constexpr std::int64_t certificate_warning_days = 21;

std::string milliseconds_text(std::chrono::microseconds time) {
    return std::to_string(time.count() / 1000) + '.' + std::to_string(time.count() / 100 % 10) +
           " ms";
}

Diagnosis diagnosis_of_fsync(const fs::path& folder) {
    const std::string name = (folder / ".sundial-doctor-XXXXXX").string();
    std::string made = name;
    const int descriptor = ::mkstemp(made.data());
    if (descriptor < 0) {
        return {"disk", DoctorState::fail, "no file can be created in " + folder.string(),
                "give the user of sundial the right to write there"};
    }
    std::array<char, 4096> page{};
    std::vector<std::chrono::microseconds> times;
    bool written = true;
    for (int i = 0; i < 5 && written; ++i) {
        const auto start = std::chrono::steady_clock::now();
        written = ::pwrite(descriptor, page.data(), page.size(), 0) ==
                      static_cast<ssize_t>(page.size()) &&
                  ::fsync(descriptor) == 0;
        times.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - start));
    }
    ::close(descriptor);
    ::unlink(made.c_str());
    if (!written) {
        return {"disk", DoctorState::fail, folder.string() + " cannot be written",
                "look for a full or failing disk (df, dmesg)"};
    }
    std::ranges::sort(times);
    const auto median = times[times.size() / 2];
    const std::string found = "a write reaches the disk in " + milliseconds_text(median);
    if (median < slow_fsync) return {"disk", DoctorState::ok, found, {}};
    return {"disk", median < very_slow_fsync ? DoctorState::warn : DoctorState::fail,
            found + ", and each commit waits for that",
            "use a local SSD, or a disk with a protected write cache"};
}

Diagnosis diagnosis_of_space(const fs::path& folder) {
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    if (error) return {"space", DoctorState::warn, "unknown: " + error.message(), {}};
    const auto megabytes = space.available / 1'000'000;
    const std::string found = std::to_string(megabytes) + " MB are free for the database";
    if (megabytes >= 1'000) return {"space", DoctorState::ok, found, {}};
    return {"space", megabytes >= 100 ? DoctorState::warn : DoctorState::fail, found,
            "free space, or shorten retention"};
}

void diagnose_modes(const LoadedSettings& loaded, std::vector<Diagnosis>& all) {
    std::vector<std::string> files;
    for (const SecretFile& each : loaded.secret_files) files.push_back(each.file);
    if (const auto database = sqlite_file(loaded.settings.storage.url)) {
        for (const char* const ending : {"", "-wal", "-shm", ".key"}) {
            files.push_back(*database + ending);
        }
    }
    std::string open;
    for (const std::string& file : files) {
        struct stat found{};
        if (::stat(file.c_str(), &found) != 0 || (found.st_mode & S_IRWXO) == 0) continue;
        open += (open.empty() ? "" : " ") + file;
    }
    if (open.empty()) {
        all.push_back(
            {"permissions", DoctorState::ok, "no file with secrets is open to other users", {}});
    } else {
        all.push_back({"permissions", DoctorState::warn,
                       "every user of the machine may use files with secrets: " + open,
                       "chmod o= " + open});
    }
}

Diagnosis diagnosis_of_address(const std::string& check, const std::string& listen) {
    const auto colon = listen.rfind(':');
    std::string host = colon == std::string::npos ? listen : listen.substr(0, colon);
    const std::string port = colon == std::string::npos ? "0" : listen.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    addrinfo wanted{};
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_PASSIVE;
    addrinfo* raw = nullptr;
    const int code =
        ::getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &wanted, &raw);
    if (code != 0) {
        return {check, DoctorState::fail,
                listen + " is not an address of this machine: " + ::gai_strerror(code),
                "correct the setting"};
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found{raw, &::freeaddrinfo};
    const int descriptor = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const bool bound = ::bind(descriptor, found->ai_addr, found->ai_addrlen) == 0;
    const int error = errno;
    ::close(descriptor);
    if (bound) return {check, DoctorState::ok, listen + " is free", {}};
    if (error == EADDRINUSE) {
        return {
            check, DoctorState::warn,
            listen + " is in use: a server of sundial runs, or another program",
            "if no server of sundial runs, find the program with `ss -ltnp`, or set another port"};
    }
    return {check, DoctorState::fail,
            listen + " cannot be used: " + std::generic_category().message(error),
            "set another address, or give the user the right to use it"};
}

Diagnosis diagnosis_of_certificate(const std::string& file) {
    const auto left = certificate_time_left(file);
    if (!left) {
        return {"tls", DoctorState::fail, file + " cannot be read as a certificate (http.tls_cert)",
                "give a PEM file that the user of sundial may read"};
    }
    const auto days = std::chrono::duration_cast<std::chrono::days>(*left).count();
    if (*left < std::chrono::seconds{0}) {
        return {"tls", DoctorState::fail,
                "the certificate expired " + std::to_string(-days) + " days ago",
                "replace " + file + " and restart"};
    }
    const std::string found = "the certificate expires in " + std::to_string(days) + " days";
    if (days >= certificate_warning_days) return {"tls", DoctorState::ok, found, {}};
    return {"tls", DoctorState::warn, found, "replace " + file + " and restart"};
}

/// `found`: the roles of each running process.
Diagnosis diagnosis_of_roles(const std::vector<std::vector<std::string>>& found) {
    if (found.empty()) {
        return {"roles", DoctorState::ok, "no server of sundial runs on this database now", {}};
    }
    const std::string count =
        std::to_string(found.size()) + (found.size() == 1 ? " server runs" : " servers run");
    const std::string missing = missing_roles(found);
    if (missing.empty()) return {"roles", DoctorState::ok, count + ", with every role", {}};
    return {"roles", DoctorState::fail,
            count + ", none with the role " + missing +
                ": without a worker no event is delivered, without a scheduler no operation, "
                "request by SQL, zone change or retention is carried out, without an api no "
                "request is answered",
            "start a process that has it in scheduler.roles"};
}

Diagnosis diagnosis_of_transactions(const postgres::ServerState& state) {
    const std::string age = std::to_string(state.oldest_transaction) + " s old";
    if (state.oldest_transaction >= long_transaction_seconds ||
        state.oldest_snapshot >= old_snapshot_transactions) {
        return {"transactions", DoctorState::warn,
                "a transaction is " + age + ", its snapshot " +
                    std::to_string(state.oldest_snapshot) +
                    " transactions; vacuum removes nothing that is newer, so claims get slower",
                "find it in pg_stat_activity (xact_start), and end it with "
                "pg_terminate_backend"};
    }
    if (state.hidden_sessions > 0) {
        return {"transactions", DoctorState::warn,
                "the oldest that this role can see is " + age + "; it cannot see those of " +
                    std::to_string(state.hidden_sessions) + " sessions of other roles",
                "GRANT pg_read_all_stats to the role of storage.url"};
    }
    return {"transactions", DoctorState::ok, "the oldest is " + age, {}};
}

void diagnose_postgres(const std::string& url, std::vector<Diagnosis>& all) {
    const postgres::ServerState state = postgres::server_state(url);
    const auto here = system::real_time().time_since_epoch();
    const auto apart = std::chrono::abs(std::chrono::duration_cast<std::chrono::milliseconds>(
        here - state.round_trip / 2 - state.clock));
    const std::string found = "this machine's clock and the database's differ by " +
                              std::to_string(apart.count()) + " ms";
    all.push_back(apart < large_clock_difference
                      ? Diagnosis{"clock", DoctorState::ok, found, {}}
                      : Diagnosis{"clock", DoctorState::warn,
                                  found + "; events are due by the database's clock",
                                  "synchronise both (chrony, systemd-timesyncd)"});
    all.push_back(diagnosis_of_transactions(state));
    const std::string used = std::to_string(state.connections) + " of " +
                             std::to_string(state.most_connections) + " connections are in use";
    all.push_back(state.connections * 10 < state.most_connections * 9
                      ? Diagnosis{"connections", DoctorState::ok, used, {}}
                      : Diagnosis{"connections", DoctorState::warn, used,
                                  "raise max_connections, or lower storage.pool_size"});
    if (state.in_recovery) {
        all.push_back({"server", DoctorState::fail, "the server is a standby and accepts no writes",
                       "name the primary in storage.url"});
    }
    if (state.instance_roles) all.push_back(diagnosis_of_roles(*state.instance_roles));
    for (const std::string& setting : state.unsafe_settings) {
        all.push_back({"server", DoctorState::warn,
                       setting + " is off: acknowledged changes may be lost in a crash",
                       "set " + setting + " = on in postgresql.conf"});
    }
}

/// A file that does not exist. If no setting names it, the database in use is probably another one.
Diagnosis diagnosis_of_absent(const std::string& file, const LoadedSettings& loaded) {
    const auto shown = std::ranges::find(loaded.shown, "storage.url", &SettingShown::key);
    if (shown == loaded.shown.end() || shown->origin != "default") {
        return {
            "database", DoctorState::ok, file + " does not exist; the first start makes it", {}};
    }
    return {"database", DoctorState::warn,
            file + " does not exist, and no flag, variable or file names another database",
            "name the server's with --config, --db or SUNDIAL_STORAGE_URL; the first start without "
            "them makes the file"};
}

/// The text as one line: libpq's messages have several.
std::string one_line(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    std::string line;
    for (text = base::trimmed(text, blanks); !text.empty(); text = base::trimmed(text, blanks)) {
        const auto end = std::min(text.find_first_of("\t\r\n"), text.size());
        line += (line.empty() ? "" : " ") + std::string(base::trimmed(text.substr(0, end)));
        text.remove_prefix(end);
    }
    return line;
}

void diagnose_database(const LoadedSettings& loaded, base::Log& log, std::vector<Diagnosis>& all) {
    const Settings& settings = loaded.settings;
    try {
        const auto file = sqlite_file(settings.storage.url);
        const SchemaReport schema = database_status(settings, log);
        if (file && !fs::exists(*file)) {
            all.push_back(diagnosis_of_absent(*file, loaded));
        } else if (schema.up_to_date) {
            all.push_back(
                {"database", DoctorState::ok, "it answers, and its schema is up to date", {}});
        } else {
            all.push_back(
                {"database", settings.storage.auto_migrate ? DoctorState::warn : DoctorState::fail,
                 "migrations are pending",
                 settings.storage.auto_migrate ? "the next start applies them; make a backup first"
                                               : "make a backup, then run `sundial db migrate`"});
        }
        if (file) {
            const fs::path folder = fs::absolute(*file).parent_path();
            all.push_back(diagnosis_of_fsync(folder));
            all.push_back(diagnosis_of_space(folder));
        } else {
            diagnose_postgres(settings.storage.url, all);
        }
    } catch (const std::exception& error) {
        all.push_back({"database", DoctorState::fail, one_line(base::redacted(error.what())),
                       "correct storage.url, or start the database"});
    }
}

/// The release of the zone files in a folder; empty if they do not state it.
std::string release_in(const fs::path& folder) {
    for (const char* const name : {"+VERSION", "tzdata.zi", "version"}) {
        const std::unique_ptr<FILE, int (*)(FILE*)> opened{
            std::fopen((folder / name).c_str(), "re"), &std::fclose};
        if (!opened) continue;
        std::array<char, 64> line{};
        if (!std::fgets(line.data(), line.size(), opened.get())) continue;
        const std::string text = line.data();
        const auto digits = text.find_first_of("0123456789");
        if (digits != std::string::npos && text.size() >= digits + 5) return text.substr(digits, 5);
    }
    return {};
}

Diagnosis diagnosis_of_zones(const Settings& settings) {
    const fs::path folder = settings.tz.dir.empty() ? "/usr/share/zoneinfo" : settings.tz.dir;
    if (!fs::exists(folder / "UTC") && !fs::exists(folder / "Etc/UTC")) {
        return {"tz", DoctorState::fail, "there is no tz database in " + folder.string(),
                "install tzdata, or set tz.dir"};
    }
    const std::string release = release_in(folder);
    if (release.empty()) {
        return {"tz",
                DoctorState::ok,
                "the tz database in " + folder.string() + " names no release",
                {}};
    }
    int year = 0;
    std::from_chars(release.data(), release.data() + 4, year);
    const auto today =
        std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(system::real_time())};
    const std::string found = "tz release " + release + " in " + folder.string();
    if (static_cast<int>(today.year()) - year < 2) return {"tz", DoctorState::ok, found, {}};
    return {"tz", DoctorState::warn, found + "; governments have changed clocks since",
            "upgrade tzdata; sundial moves the events that change"};
}

Diagnosis diagnosis_of_settings(const Settings& settings) {
    try {
        check_settings(settings);
    } catch (const std::exception& error) {
        return {"settings", DoctorState::fail, base::redacted(error.what()),
                "correct the setting; no server starts with it"};
    }
    return {"settings", DoctorState::ok, "they can be read and agree", {}};
}

}  // namespace

std::vector<Diagnosis> diagnose(const LoadedSettings& loaded, base::Log& log) {
    const Settings& settings = loaded.settings;
    std::vector<Diagnosis> all{diagnosis_of_settings(settings)};
    diagnose_database(loaded, log, all);
    all.push_back(diagnosis_of_zones(settings));
    diagnose_modes(loaded, all);
    if (settings.scheduler.roles.api) {
        all.push_back(diagnosis_of_address("http.listen", settings.http.listen));
    }
    if (!settings.http.health_listen.empty()) {
        all.push_back(diagnosis_of_address("http.health_listen", settings.http.health_listen));
    }
    if (!settings.http.tls_cert.empty()) {
        all.push_back(diagnosis_of_certificate(settings.http.tls_cert));
    }
    return all;
}

}  // namespace sundial::server
