#pragma once

#include <mutex>
#include <vector>

#include "base/log.hpp"

namespace sundial {

/// Records the log lines. It asks for those of `level` and above, but records all that it is given.
class RecordedLog : public base::Log {
public:
    base::LogLevel level = base::LogLevel::info;
    [[nodiscard]] bool wants(base::LogLevel of) const override { return of >= level; }
    void write(base::LogLine line) override {
        const std::lock_guard lock(mutex_);
        lines_.push_back(std::move(line));
    }
    [[nodiscard]] std::vector<base::LogLine> lines() const {
        const std::lock_guard lock(mutex_);
        return lines_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<base::LogLine> lines_;
};

}  // namespace sundial
