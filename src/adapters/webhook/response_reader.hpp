#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/outcome.hpp"

namespace sundial::webhook {

/// Takes in a response line by line as it arrives, and no more of it than we promise to read.
class ResponseReader {
public:
    /// One line of a head, its line break included. False: stop reading, it is no response we take.
    [[nodiscard]] bool head_line(std::string_view line);
    /// A piece of the body. False: enough.
    [[nodiscard]] bool body(std::string_view piece);

    /// A final status and the whole head behind it have arrived: whatever happens later, this was
    /// the answer.
    [[nodiscard]] bool head_complete() const { return head_complete_; }
    [[nodiscard]] int status() const { return status_; }
    /// Why it stopped reading before a head was complete.
    [[nodiscard]] std::string refusal() const;
    [[nodiscard]] const std::string& kept_body() const { return kept_body_; }
    /// Seconds or an HTTP date, capped at 24 h; `now` is for dates.
    [[nodiscard]] std::optional<std::chrono::seconds> retry_after(
        std::chrono::sys_seconds now) const;

private:
    int status_ = 0;
    int interim_ = 0;
    bool head_complete_ = false;
    std::size_t head_bytes_ = 0;
    std::size_t body_bytes_ = 0;
    std::string kept_body_;
    std::string retry_after_;
};

}  // namespace sundial::webhook
