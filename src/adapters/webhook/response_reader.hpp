#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/webhook/request.hpp"
#include "domain/outcome.hpp"

namespace sundial::webhook {

/// Reads a response as it arrives, line by line, within the documented limits.
class ResponseReader {
public:
    /// One line of a head, with its line break. False: stop reading, the response is not
    /// acceptable.
    [[nodiscard]] bool head_line(std::string_view line);
    /// A piece of the body. False: the limit is reached.
    [[nodiscard]] bool body(std::string_view piece);

    /// Whether a final status and its whole head have arrived. A later failure does not change the
    /// outcome then.
    [[nodiscard]] bool head_complete() const { return head_complete_; }
    [[nodiscard]] int status() const { return status_; }
    /// Why reading stopped before a head was complete.
    [[nodiscard]] std::string refusal() const;
    [[nodiscard]] const std::string& kept_body() const { return kept_body_; }
    /// Whether the body is longer than the part that was kept.
    [[nodiscard]] bool body_was_cut() const { return body_bytes_ > kept_body_.size(); }
    /// Seconds or an HTTP date, capped at 24 h; `now` is used for dates.
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

/// `body`, the beginning of a receiver's answer, with `*` in place of the values of the headers
/// that it was sent: error pages of some receivers repeat the request. Finds a value with or
/// without the word before its first blank (Bearer), and one that was cut off at the end of `body`.
/// Leaves values of fewer than eight characters: they may stand there by chance.
[[nodiscard]] std::string without_echoes(std::string body, const HeaderList& sent);

/// `bytes`, which can be anything, as UTF-8: each byte that is not part of a character becomes
/// U+FFFD. Leaves out a character that is incomplete because the bytes after it were cut off.
[[nodiscard]] std::string readable_text(std::string_view bytes, bool was_cut);

}  // namespace sundial::webhook
