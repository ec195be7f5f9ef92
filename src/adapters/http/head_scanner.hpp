#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"

namespace sundial::http {

struct HeadLimits {
    std::size_t head_bytes;
    std::size_t target_bytes;
    std::size_t header_count;
};

/// Finds the end of a request head as its bytes arrive. Stops at the first byte that exceeds a
/// bound or breaks the line structure. The parser checks the contents of the lines.
class HeadScanner {
public:
    explicit HeadScanner(const HeadLimits& limits) : limits_(limits) {}

    /// `received` is everything received since the head began; it never shrinks between calls. True
    /// once the head is complete or invalid.
    [[nodiscard]] bool done(std::string_view received);

    /// Offset of the request line. Empty lines before it are skipped (RFC 9112 2.2).
    [[nodiscard]] std::size_t begin() const { return begin_; }
    /// One past the head's last byte.
    [[nodiscard]] std::size_t end() const { return at_; }
    [[nodiscard]] const std::optional<Problem>& fault() const { return fault_; }

private:
    void take(char c);
    void take_of_request_line(char c);
    void end_line();
    void exceed(Code code, std::string_view what, std::size_t limit);

    HeadLimits limits_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::size_t line_length_ = 0;
    std::size_t lines_ = 0;   // complete lines that are not empty
    std::size_t spaces_ = 0;  // in the request line
    std::size_t target_length_ = 0;
    bool after_return_ = false;
    bool whole_ = false;
    std::optional<Problem> fault_;
};

/// The fault if the header fields do not define clearly where the body ends, or which host is
/// meant.
[[nodiscard]] std::optional<Problem> framing_fault(const Headers& headers, bool http_1_1);

/// 400 for bytes that are not HTTP as this server reads it.
[[nodiscard]] Problem not_http(std::string_view why);

}  // namespace sundial::http
