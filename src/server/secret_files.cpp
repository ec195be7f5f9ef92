#include "server/secret_files.hpp"

#include <filesystem>
#include <system_error>

namespace sundial::server {

void warn_of_open_files(const std::vector<SecretFile>& files, base::Log& log) {
    using std::filesystem::perms;
    for (const auto& [setting, file] : files) {
        std::error_code missing;  // said by what reads it
        const perms mode = std::filesystem::status(file, missing).permissions();
        if (missing || (mode & (perms::others_read | perms::others_write)) == perms::none) continue;
        log.write({.level = base::LogLevel::warn,
                   .event_name = {},
                   .message = setting + ": every user of this machine may read or write " + file +
                              ", which holds secrets. Run `chmod o-rwx " + file + "`",
                   .correlation_id = {},
                   .fields = {}});
    }
}

}  // namespace sundial::server
