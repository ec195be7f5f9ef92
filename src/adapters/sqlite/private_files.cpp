#include "adapters/sqlite/private_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace sundial::sqlite {
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

}  // namespace

int open_private(const std::filesystem::path& file) {
    return ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only);
}

void keep_private(const std::filesystem::path& file, base::Log& log) {
    // Where it cannot be made SQLite says why.
    if (const int made = open_private(file); made >= 0) ::close(made);
    for (const char* const ending : {"", "-wal", "-shm", "-lock"}) {
        take_rights_of_others(file.string() + ending, log);
    }
}

}  // namespace sundial::sqlite
