#include "adapters/http/head_scanner.hpp"

#include <algorithm>
#include <string>

namespace sundial::http {
namespace {

std::size_t count(const Headers& headers, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        headers.all(),
        [&](const Parameter& field) { return same_ignoring_case(field.name, name); }));
}

}  // namespace

Problem not_http(std::string_view why) {
    return {.code = Code::validation_failed,
            .detail = "The request is not HTTP/1.1 (RFC 9112): " + std::string(why)};
}

bool HeadScanner::done(std::string_view received) {
    while (at_ < received.size() && !whole_ && !fault_) take(received[at_++]);
    return whole_ || fault_;
}

void HeadScanner::take(char c) {
    if (at_ > limits_.head_bytes) {
        return exceed(Code::headers_too_large, "bytes in its head", limits_.head_bytes);
    }
    if (after_return_) {
        after_return_ = false;
        if (c == '\n') return end_line();
        fault_ = not_http("a CR stands without LF");
    } else if (c == '\n') {
        fault_ = not_http("a line ends with LF alone; use CRLF");
    } else if (c == '\r') {
        after_return_ = true;
    } else if (lines_ > 0 && line_length_ == 0 && (c == ' ' || c == '\t')) {
        fault_ = not_http("a header line is folded; write it on one line");
    } else {
        ++line_length_;
        if (lines_ == 0) take_of_request_line(c);
    }
}

void HeadScanner::take_of_request_line(char c) {
    if (c == ' ') {
        ++spaces_;
    } else if (spaces_ == 1 && ++target_length_ > limits_.target_bytes) {
        exceed(Code::uri_too_long, "bytes in its target", limits_.target_bytes);
    }
}

void HeadScanner::end_line() {
    if (line_length_ == 0) {
        if (lines_ > 0) whole_ = true;
        if (lines_ == 0) begin_ = at_;
        return;
    }
    line_length_ = 0;
    if (++lines_ > limits_.header_count + 1) {  // the request line is not a header
        exceed(Code::headers_too_large, "header fields", limits_.header_count);
    }
}

void HeadScanner::exceed(Code code, std::string_view what, std::size_t limit) {
    fault_ = Problem{
        .code = code,
        .detail = "A request must have at most " + std::to_string(limit) + ' ' + std::string(what),
        .members = {{"limit", static_cast<std::int64_t>(limit)}}};
}

std::optional<Problem> framing_fault(const Headers& headers, bool http_1_1) {
    const std::size_t lengths = count(headers, "Content-Length");
    const std::size_t encodings = count(headers, "Transfer-Encoding");
    const std::size_t hosts = count(headers, "Host");
    if (lengths > 1) return not_http("Content-Length is given twice");
    if (lengths == 1 &&
        headers.find("Content-Length")->find_first_not_of("0123456789") != std::string_view::npos) {
        return not_http("Content-Length is not one number");
    }
    if (lengths > 0 && encodings > 0) {
        return not_http("Content-Length and Transfer-Encoding exclude each other");
    }
    if (encodings > 0 && !http_1_1) return not_http("HTTP/1.0 has no Transfer-Encoding");
    if (encodings > 1 ||
        (encodings == 1 &&
         !same_ignoring_case(headers.find("Transfer-Encoding").value_or(""), "chunked"))) {
        return not_http("the only Transfer-Encoding understood is 'chunked', given once");
    }
    if (hosts > 1) return not_http("Host is given twice");
    if (hosts == 0 && http_1_1) return not_http("Host is missing");
    return std::nullopt;
}

}  // namespace sundial::http
