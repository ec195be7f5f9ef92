#pragma once

#include <atomic>
#include <string>

#include "application/ports/event_queue.hpp"
#include "base/log.hpp"
#include "domain/ids.hpp"

namespace sundial::system {

/// The claim log as a file of JSON lines, in append mode. Every write is one system call, so that
/// an entry survives if the process is killed the next moment. If the file becomes unwritable, logs
/// that once and continues without it. Thread-safe.
class ClaimLogFile final : public ClaimLog {
public:
    /// Throws CannotStart if the file cannot be opened.
    ClaimLogFile(const std::string& file, InstanceId instance, base::Log& log);
    ~ClaimLogFile() override;
    ClaimLogFile(const ClaimLogFile&) = delete;
    ClaimLogFile& operator=(const ClaimLogFile&) = delete;

    void write(std::span<const ClaimStep> steps) override;

private:
    void append(const std::string& text);

    int file_;
    std::string source_;
    base::Log& log_;
    std::atomic<bool> failed_{false};
};

}  // namespace sundial::system
