#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "application/ports/failures.hpp"
#include "base/log.hpp"

namespace sundial::sqlite {

/// Whether the file may still be used. After a failed read, write or fsync, or if the file is
/// damaged, no operation may be repeated, because the state on disk is unknown (reliability 4).
/// Thread-safe.
class Health {
public:
    /// `on_fatal` is called once, with the reason.
    Health(base::Log& log, std::function<void(const std::string&)> on_fatal);
    void broken(const std::string& why) noexcept;
    /// Throws Unavailable if the file is broken.
    void check() const;
    /// Whether the latest write failed because the disk is full. The file is intact; it only cannot
    /// grow.
    void full(bool is) noexcept { full_ = is; }
    [[nodiscard]] bool is_full() const { return full_; }

private:
    base::Log& log_;
    const std::function<void(const std::string&)> on_fatal_;
    std::atomic<bool> broken_{false};
    std::atomic<bool> full_{false};
};

}  // namespace sundial::sqlite
