#pragma once

#include <filesystem>
#include <string>

#include "application/ports/presence.hpp"

namespace sundial::system {

/// Each instance on this machine locks a file of its own in a common folder, named by its id. The
/// kernel releases the lock when the process ends. So an unlocked file belongs to an ended
/// instance, unless it is a copy: it names the boot of the machine and its own inode.
class PresenceFiles final : public Presence {
public:
    /// Creates the folder if it is absent. Does nothing unless the folder belongs to this user
    /// alone and is on a local file system.
    explicit PresenceFiles(const std::filesystem::path& folder);
    /// Other instances then see that this one has ended, unless it withdrew.
    ~PresenceFiles() override;
    PresenceFiles(const PresenceFiles&) = delete;
    PresenceFiles& operator=(const PresenceFiles&) = delete;

    void show(InstanceId own) override;
    void withdraw(InstanceId own) override;
    [[nodiscard]] bool has_ended(InstanceId other) override;

private:
    void remove_old_files() const;

    int folder_ = -1;   // -1: unusable
    int file_ = -1;     // of the instance that is shown
    std::string boot_;  // of this machine; empty if the folder ends with the boot
};

/// The folder for all instances of this user on this machine: in that of the service manager
/// ($RUNTIME_DIRECTORY), of the user's session ($XDG_RUNTIME_DIR), or for temporary files.
[[nodiscard]] std::filesystem::path presence_folder();

}  // namespace sundial::system
