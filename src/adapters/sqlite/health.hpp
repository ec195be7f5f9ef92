#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "application/ports/failures.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

/// Whether the file may still be used. Once a read, a write or an fsync has failed, or the file is
/// not what we wrote, nothing may be tried again: what the disk has of it is unknown (reliability
/// 4). Thread-safe.
class Health {
public:
    /// `on_fatal` is told the reason, once.
    Health(base::Log& log, std::function<void(const std::string&)> on_fatal);
    void broken(const std::string& why) noexcept;
    /// Throws Unavailable if it is broken.
    void check() const;
    /// Whether the latest write found no room on the disk. The file is sound; it only cannot grow.
    void full(bool is) noexcept { full_ = is; }
    [[nodiscard]] bool is_full() const { return full_; }

private:
    base::Log& log_;
    const std::function<void(const std::string&)> on_fatal_;
    std::atomic<bool> broken_{false};
    std::atomic<bool> full_{false};
};

}  // namespace sundial::sqlite
