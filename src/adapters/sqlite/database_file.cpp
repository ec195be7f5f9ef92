#include "adapters/sqlite/database_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "adapters/sqlite/transaction_sql.hpp"

namespace sundial::sqlite {

Health::Health(base::Log& log, std::function<void(const std::string&)> on_fatal)
    : log_{log}, on_fatal_{std::move(on_fatal)} {}

void Health::broken(const std::string& why) noexcept {
    if (broken_.exchange(true)) return;
    log_.write({.level = base::LogLevel::error,
                .event_name = {},
                .message = "the database file cannot be used any more: " + why,
                .correlation_id = {},
                .fields = {}});
    if (on_fatal_) on_fatal_(why);
}

void Health::check() const {
    if (broken_) throw Unavailable{"the database file has failed"};
}

namespace {

/// " (pid 4711)", if the file contains it.
std::string holder(int descriptor) {
    std::array<char, 32> text{};
    const auto length = ::pread(descriptor, text.data(), text.size(), 0);
    std::string_view pid{text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
    pid = pid.substr(0, pid.find_first_not_of("0123456789"));
    return pid.empty() ? "" : " (pid " + std::string{pid} + ")";
}

void write_owner(int descriptor) {
    const std::string pid = std::to_string(::getpid()) + "\n";
    // Only information for people: the lock does not need it.
    if (::ftruncate(descriptor, 0) == 0 && ::pwrite(descriptor, pid.data(), pid.size(), 0) < 0) {
        return;
    }
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& database) {
    const std::string file = database.string() + "-lock";
    descriptor_ = open_private(file);
    if (descriptor_ < 0) {
        throw CannotStart{"cannot open " + file + ": " + std::generic_category().message(errno) +
                          ". The folder must exist and be writable; or give another file "
                          "(storage.url)"};
    }
    // flock belongs to the open file description, so a second open in this process fails too.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
        write_owner(descriptor_);
        return;
    }
    const int error = errno;
    const std::string whose = holder(descriptor_);
    ::close(descriptor_);
    if (error == EWOULDBLOCK) {
        throw CannotStart{"the database " + database.string() + " is in use by another process" +
                          whose + ", which holds " + file +
                          ". Stop that process, or give another file (storage.url)"};
    }
    throw CannotStart{"cannot lock " + file + ": " + std::generic_category().message(error) +
                      ". SQLite databases must lie on a local file system"};
}

FileLock::~FileLock() { ::close(descriptor_); }

namespace {

constexpr mode_t owner_only = S_IRUSR | S_IWUSR;

void report(base::Log& log, base::LogLevel level, std::string message) {
    log.write({.level = level,
               .event_name = {},
               .message = std::move(message),
               .correlation_id = {},
               .fields = {}});
}

/// Of a file that may be absent.
void take_rights_of_others(const std::string& file, base::Log& log) {
    struct stat found{};
    if (::stat(file.c_str(), &found) != 0 || (found.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
    if (::chmod(file.c_str(), found.st_mode & S_IRWXU) == 0) {
        report(log, base::LogLevel::info,
               file + " was open to other users of this machine; now only its owner may use it");
    } else {
        report(log, base::LogLevel::warn,
               file + " is open to other users of this machine, and its mode cannot be changed: " +
                   std::generic_category().message(errno) + ". Run `chmod 600 " + file + "`");
    }
}

/// Where that is refused (a user namespace), the file stays root's.
void give_to_owner_of_folder(int made, const std::filesystem::path& file) {
    struct stat folder{};
    const std::string path = std::filesystem::absolute(file).parent_path().string();
    if (::stat(path.c_str(), &folder) != 0 || folder.st_uid == 0) return;
    if (::fchown(made, folder.st_uid, folder.st_gid) != 0) return;
}

}  // namespace

int open_private(const std::filesystem::path& file) {
    // O_EXCL: a file that was there, or that a link leads to, keeps its owner.
    const int made = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, owner_only);
    if (made < 0) {
        return errno == EEXIST ? ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only)
                               : made;
    }
    if (::geteuid() == 0) give_to_owner_of_folder(made, file);
    return made;
}

void keep_private(const std::filesystem::path& file, base::Log& log) {
    // Where it cannot be made SQLite says why.
    if (const int made = open_private(file); made >= 0) ::close(made);
    for (const char* const ending : {"", "-wal", "-shm", "-lock"}) {
        take_rights_of_others(file.string() + ending, log);
    }
}

using namespace std::chrono_literals;

FileCheck::FileCheck(const std::filesystem::path& file, Health& health, base::Log& log)
    : reader_{file, Connection::Role::reader}, health_{health}, log_{log} {
    reader_.report_to(health);
    thread_ = std::thread{[this] {
        run();
        done_.set_value();
    }};
}

FileCheck::~FileCheck() {
    stopping_ = true;
    // An interrupt only affects a running statement, so repeat it until the check ends.
    const auto done = done_.get_future();
    do reader_.interrupt();
    while (done.wait_for(10ms) != std::future_status::ready);
    thread_.join();
}

void FileCheck::run() {
    const auto say = [&](base::LogLevel level, std::string text) {
        log_.write({.level = level,
                    .event_name = {},
                    .message = std::move(text),
                    .correlation_id = {},
                    .fields = {}});
    };
    say(base::LogLevel::info, "the database file was not closed properly; checking it");
    try {
        auto finding = reader_.query(sql::quick_check);
        const bool found = finding.next();
        const auto text = found ? finding.get<std::string>(0) : std::string{"no answer"};
        if (text != "ok") return health_.broken("quick_check: " + text);
        say(base::LogLevel::info, "the database file is intact");
    } catch (const std::exception& error) {
        // Health has been informed if the file is the cause.
        if (!stopping_) say(base::LogLevel::warn, std::string{"the check failed: "} + error.what());
    }
}

}  // namespace sundial::sqlite
