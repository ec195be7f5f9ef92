#include "adapters/system/presence_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "adapters/system/process.hpp"

namespace sundial::system {
namespace {

namespace fs = std::filesystem;

constexpr long of_zfs = 0x2fc12fc1;
/// File systems whose locks the local kernel keeps. On a network file system a lock may end with
/// the connection.
constexpr std::array<long, 7> local_file_systems{
    EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, TMPFS_MAGIC,
    OVERLAYFS_SUPER_MAGIC, of_zfs};
/// Instances that died so long ago are forgotten (domain/liveness.hpp: remembered_for).
constexpr std::time_t seconds_kept = 86'400;

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] int release() { return std::exchange(number_, -1); }

private:
    int number_;
};

/// Empty if the kernel does not provide it.
std::string boot_of_this_machine() {
    std::ifstream in{"/proc/sys/kernel/random/boot_id"};
    std::string boot;
    in >> boot;
    return boot;
}

/// The text of a genuine file. A copy has another inode, and a copied disk another boot.
std::optional<std::string> text_of(int file, const std::string& boot) {
    struct stat facts{};
    if (::fstat(file, &facts) != 0) return std::nullopt;
    return boot + " " + std::to_string(facts.st_ino) + "\n";
}

bool tells_of_itself(int file, const std::string& boot) {
    std::array<char, 256> text{};
    const auto size = ::pread(file, text.data(), text.size(), 0);
    return size > 0 &&
           text_of(file, boot) == std::string_view{text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

PresenceFiles::PresenceFiles(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    ::mkdir(folder.c_str(), S_IRWXU);
    Descriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    struct stat facts{};
    struct statfs storage{};
    if (opened.number() < 0 || ::fstat(opened.number(), &facts) != 0 ||
        ::fstatfs(opened.number(), &storage) != 0) {
        return;
    }
    if (facts.st_uid != ::geteuid() || (facts.st_mode & (S_IRWXG | S_IRWXO)) != 0) return;
    const auto kind = static_cast<long>(storage.f_type);
    if (std::ranges::find(local_file_systems, kind) == local_file_systems.end()) return;
    if (kind != TMPFS_MAGIC) {
        boot_ = boot_of_this_machine();
        if (boot_.empty()) return;
    }
    folder_ = opened.release();
}

PresenceFiles::~PresenceFiles() {
    if (file_ >= 0) ::close(file_);
    if (folder_ >= 0) ::close(folder_);
}

void PresenceFiles::show(InstanceId own) {
    if (folder_ < 0 || file_ >= 0) return;
    remove_old_files();
    const std::string name = to_string(own);
    Descriptor file{
        ::openat(folder_, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)};
    if (file.number() < 0) return;
    const auto text = text_of(file.number(), boot_);
    if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0 && text &&
        ::write(file.number(), text->data(), text->size()) == static_cast<ssize_t>(text->size())) {
        file_ = file.release();
        return;
    }
    ::unlinkat(folder_, name.c_str(), 0);
}

void PresenceFiles::withdraw(InstanceId own) {
    if (file_ < 0) return;
    ::unlinkat(folder_, to_string(own).c_str(), 0);
    ::close(std::exchange(file_, -1));
}

bool PresenceFiles::has_ended(InstanceId other) {
    if (folder_ < 0) return false;
    const Descriptor file{
        ::openat(folder_, to_string(other).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
    // A shared lock, so that observers do not hide the end from each other.
    return file.number() >= 0 && ::flock(file.number(), LOCK_SH | LOCK_NB) == 0 &&
           tells_of_itself(file.number(), boot_);
}

void PresenceFiles::remove_old_files() const {
    DIR* const entries = ::fdopendir(::openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (entries == nullptr) return;
    while (const dirent* entry = ::readdir(entries)) {  // NOLINT(concurrency-mt-unsafe): own stream
        struct stat facts{};
        const Descriptor file{::openat(folder_, static_cast<const char*>(entry->d_name),
                                       O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
        struct timespec now{};
        if (file.number() < 0 || ::fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
            continue;
        }
        ::timespec_get(&now, TIME_UTC);
        if (now.tv_sec - facts.st_mtime < seconds_kept) continue;
        if (::flock(file.number(), LOCK_SH | LOCK_NB) != 0) continue;
        ::unlinkat(folder_, static_cast<const char*>(entry->d_name), 0);
    }
    ::closedir(entries);
}

fs::path presence_folder() {
    if (const auto service = environment_variable("RUNTIME_DIRECTORY");
        service && !service->empty()) {
        return fs::path{service->substr(0, service->find(':'))} / "instances";
    }
    if (const auto session = environment_variable("XDG_RUNTIME_DIR");
        session && !session->empty()) {
        return fs::path{*session} / "sundial-instances";
    }
    std::error_code error;
    const fs::path temporary = fs::temp_directory_path(error);
    return (error ? fs::path{"/tmp"} : temporary) /
           ("sundial-instances-" + std::to_string(::geteuid()));
}

}  // namespace sundial::system
