#include "server/partial_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "application/ports/failures.hpp"

namespace sundial::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view partial_ending = ".partial";

[[noreturn]] void refuse_partial(const fs::path& file, const std::string& why) {
    throw CannotStart{file.string() + ": " + why};
}
std::string partial_error() { return std::generic_category().message(errno); }

/// Whether the name still leads to the open file.
bool is_at(const fs::path& path, int descriptor) {
    struct stat named{}, opened{};
    return ::stat(path.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

void remove_partial(const fs::path& partial) {
    std::error_code ignored;
    // The files that SQLite makes beside it.
    for (const char* const ending : {"-journal", "-wal", "-shm", ""}) {
        fs::remove(partial.string() + ending, ignored);
    }
}

/// The partial files of `file` that no process holds.
void remove_abandoned(const fs::path& file) {
    const std::string prefix = file.filename().string() + '.';
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator{fs::absolute(file).parent_path(), ignored}) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix) || !name.ends_with(partial_ending)) continue;
        const std::size_t between = name.size() - partial_ending.size();
        // Six characters, or none in earlier versions.
        if (between + 1 != prefix.size() && between != prefix.size() + 6) continue;
        const int descriptor = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (descriptor < 0) continue;
        if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_at(entry.path(), descriptor)) {
            remove_partial(entry.path());
        }
        ::close(descriptor);
    }
}

}  // namespace

PartialFile::PartialFile(fs::path file) : file_{std::move(file)} {
    if (fs::exists(file_)) refuse_partial(file_, "exists already. Give another name");
    remove_abandoned(file_);
    for (;;) {
        std::string name = file_.string() + ".XXXXXX" + std::string{partial_ending};
        descriptor_ = ::mkostemps(name.data(), static_cast<int>(partial_ending.size()), O_CLOEXEC);
        if (descriptor_ < 0) refuse_partial(file_, "cannot be created: " + partial_error());
        partial_ = name;
        const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
        // On a file system without locks, no process can know that the file is abandoned. With
        // locks, another process may have removed it before it was locked.
        if ((locked || errno != EWOULDBLOCK) && is_at(partial_, descriptor_)) return;
        ::close(descriptor_);
    }
}

PartialFile::~PartialFile() {
    if (!published_) remove_partial(partial_);
    ::close(descriptor_);
}

void PartialFile::publish() {
    if (::fsync(descriptor_) != 0) {
        refuse_partial(partial_, "cannot be written to the disk: " + partial_error());
    }
    if (::renameat2(AT_FDCWD, partial_.c_str(), AT_FDCWD, file_.c_str(), RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST) refuse_partial(file_, "another process has made it meanwhile");
        // The file system does not know the flag.
        if (errno != EINVAL || fs::exists(file_)) {
            refuse_partial(file_, "cannot be created: " + partial_error());
        }
        fs::rename(partial_, file_);
    }
    published_ = true;
    const fs::path folder = fs::absolute(file_).parent_path();
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool kept = descriptor >= 0 && ::fsync(descriptor) == 0;
    if (descriptor >= 0) ::close(descriptor);
    if (!kept) refuse_partial(folder, "cannot be written to the disk: " + partial_error());
}

}  // namespace sundial::server
