#include "adapters/sqlite/file_lock.hpp"

#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "adapters/sqlite/private_files.hpp"
#include "application/ports/failures.hpp"

namespace sundial::sqlite {
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

}  // namespace sundial::sqlite
