#pragma once

#include <chrono>
#include <ostream>
#include <string>

#include "cli/commands.hpp"

namespace sundial::cli {

/// Shows progress: one line that is redrawn on a terminal, else a line every ten seconds.
class LiveLine {
public:
    LiveLine(const WaitOptions& wait_options, std::ostream& err)
        : wait_options_(wait_options), err_(err) {}

    void show(const std::string& text) {
        if (wait_options_.terminal) {
            err_ << '\r' << text << "\x1b[K" << std::flush;
        } else if (wait_options_.elapsed() >= next_) {
            next_ = wait_options_.elapsed() + std::chrono::seconds(10);
            err_ << text << '\n' << std::flush;
        }
    }
    /// Removes the line from a terminal.
    void end() {
        if (wait_options_.terminal) err_ << "\r\x1b[K" << std::flush;
    }

private:
    const WaitOptions& wait_options_;
    std::ostream& err_;
    std::chrono::milliseconds next_ = std::chrono::seconds(10);
};

}  // namespace sundial::cli
