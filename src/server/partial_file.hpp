#pragma once

#include <filesystem>

namespace sundial::server {

/// A file that gets its name only when it is complete. Until then it is called
/// `<file>.XXXXXX.partial`, so that two processes may write to one name. The lock on it ends with
/// the process: the next one of the same name removes what an interrupted one has left.
class PartialFile {
public:
    /// Makes it empty, with mode 0600. Throws CannotStart if `file` exists, or if none can be made.
    explicit PartialFile(std::filesystem::path file);
    /// Removes it unless it was published.
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return partial_; }
    /// Open for reading and writing.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// Flushes the file to the disk and gives it its name, which survives a power failure. Throws
    /// CannotStart if another process took the name meanwhile.
    void publish();

private:
    std::filesystem::path file_, partial_;
    int descriptor_ = -1;
    bool published_ = false;
};

}  // namespace sundial::server
