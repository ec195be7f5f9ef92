#include "adapters/http/request_reader.hpp"

#include <algorithm>
#include <boost/beast/http/error.hpp>
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
        fault_ = not_http("a CR has no LF after it");
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
        return not_http("the only supported Transfer-Encoding is 'chunked', given once");
    }
    if (hosts > 1) return not_http("Host is given twice");
    if (hosts == 0 && http_1_1) return not_http("Host is missing");
    return std::nullopt;
}

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

constexpr std::size_t bytes_per_read = 16 * 1024;

std::string_view view(const beast::flat_buffer& buffer) {
    return {static_cast<const char*>(buffer.cdata().data()), buffer.size()};
}

bool has_bare_line_feed(std::string_view text) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos;
         at = text.find('\n', at + 1)) {
        if (at == 0 || text[at - 1] != '\r') return true;
    }
    return false;
}

Problem too_slow() {
    return {.code = Code::request_timeout,
            .detail = "The request did not arrive within the time limit; send it again"};
}

Problem too_large(std::size_t limit) {
    return {.code = Code::payload_too_large,
            .detail = "A body must have at most " + std::to_string(limit) + " bytes",
            .members = {{"limit", static_cast<std::int64_t>(limit)}}};
}

}  // namespace

asio::awaitable<Incoming> RequestReader::read() {
    incoming_ = {};
    parser_.emplace();
    // Our own bound applies first.
    parser_->header_limit(static_cast<std::uint32_t>(settings_.head_bytes) + 1024);
    parser_->body_limit(settings_.body_bytes);
    parser_->eager(true);
    chunk_head_ = {};
    parser_->on_chunk_header(chunk_head_);
    const bool understood = co_await read_head();
    if (understood) co_await read_body();
    co_return std::move(incoming_);
}

/// True if the head is valid and a body may follow.
asio::awaitable<bool> RequestReader::read_head() {
    HeadScanner scanner({settings_.head_bytes, settings_.target_bytes, settings_.header_count});
    begun_ = std::chrono::steady_clock::now();
    incoming_.head_read = begun_;
    Time deadline = begun_ + settings_.head_time;
    if (buffer_.size() == 0 && !first_) deadline = begun_ + settings_.idle_time;
    while (!scanner.done(view(buffer_))) {
        idle_ = buffer_.size() == 0;
        const bool was_idle = idle_;
        const Got got = co_await read_some(deadline);
        idle_ = false;
        if (got == Got::timeout && !was_idle) incoming_.refused = too_slow();
        if (got != Got::bytes) {
            incoming_.gone = !incoming_.refused;
            co_return false;
        }
        if (was_idle) arriving_();
        if (was_idle && !first_) {
            begun_ = std::chrono::steady_clock::now();
            deadline = begun_ + settings_.head_time;
        }
    }
    first_ = false;
    incoming_.head_read = std::chrono::steady_clock::now();
    incoming_.refused = scanner.fault();
    if (!incoming_.refused) understand_head(scanner.begin(), scanner.end());
    buffer_.consume(scanner.end());
    co_return !incoming_.refused;
}

void RequestReader::understand_head(std::size_t begin, std::size_t end) {
    beast::error_code failure;
    const std::string_view head = view(buffer_).substr(begin, end - begin);
    parser_->put(asio::buffer(head), failure);
    const auto& message = parser_->get();
    incoming_.http_1_1 = message.version() == 11;
    incoming_.request.method = std::string(message.method_string());
    for (const auto& field : message) {
        incoming_.request.headers.add(std::string(field.name_string()), std::string(field.value()));
    }
    if (failure == beast::http::error::body_limit) {
        incoming_.refused = too_large(settings_.body_bytes);
    } else if (failure) {
        incoming_.refused = not_http(failure.message());
    } else {
        incoming_.refused = framing_fault(incoming_.request.headers, incoming_.http_1_1);
        incoming_.keep_alive = parser_->keep_alive();
    }
    if (!read_target(std::string_view(message.target()), incoming_.request) && !incoming_.refused) {
        incoming_.refused = validation_failed(
            {{"", "bad_format", "the target contains an invalid percent-escape"}});
    }
}

asio::awaitable<void> RequestReader::read_body() {
    co_await invite_body();
    const Time body_begun = std::chrono::steady_clock::now();
    std::size_t received = buffer_.size();
    while (true) {
        parse_some_body();
        if (incoming_.refused) co_return;
        if (parser_->is_done()) break;

        // Each byte extends the deadline: a body slower than body_rate runs out of time.
        const std::chrono::milliseconds earned{received * 1000 / settings_.body_rate};
        const Time deadline =
            std::min(begun_ + settings_.request_time, body_begun + settings_.body_grace + earned);
        const std::size_t before = buffer_.size();
        const Got got = co_await read_some(deadline);
        received += buffer_.size() - before;
        if (got == Got::timeout) incoming_.refused = too_slow();
        if (got == Got::end) incoming_.gone = true;
        if (got != Got::bytes) co_return;
    }
    incoming_.request.body = std::move(parser_->get().body());
}

void RequestReader::parse_some_body() {
    beast::error_code failure;
    bool folded = false;
    if (buffer_.size() > 0 && !parser_->is_done()) {
        const std::size_t parsed = parser_->put(buffer_.cdata(), failure);
        folded = parser_->is_done() && folds_a_trailer(view(buffer_), parsed);
        buffer_.consume(parsed);
    }
    if (folded) {
        incoming_.refused = not_http("a trailer line is folded; write it on one line");
    } else if (failure == beast::http::error::body_limit) {
        incoming_.refused = too_large(settings_.body_bytes);
    } else if (failure && failure != beast::http::error::need_more) {
        incoming_.refused = not_http(failure.message());
    } else if (parser_->is_done()) {
        return;  // the rest belongs to the next request
    } else if (buffer_.size() > settings_.head_bytes) {
        incoming_.refused = not_http("the head of a chunk is too long");
        // The unread bytes can only be the head of a chunk.
    } else if (has_bare_line_feed(view(buffer_))) {
        incoming_.refused = not_http("a line ends with LF alone; use CRLF");
    }
}

void RequestReader::ChunkHead::operator()(std::uint64_t size, std::string_view extension,
                                          beast::error_code& failure) {
    const auto is_control = [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    };
    if (std::ranges::any_of(extension, is_control)) {
        failure = beast::http::error::bad_chunk_extension;
    }
    if (size == 0) last_extension = extension;
}

/// Beast accepts folded trailer lines. The trailers are in `unread`, from the end of the last
/// chunk's head to `parsed`.
bool RequestReader::folds_a_trailer(std::string_view unread, std::size_t parsed) const {
    const std::string_view extension = chunk_head_.last_extension;
    if (extension.data() == nullptr) return false;  // the body has no chunks
    const auto begin =
        static_cast<std::size_t>(extension.data() + extension.size() - unread.data());
    const std::string_view trailers = unread.substr(begin, parsed - begin);
    return trailers.find("\r\n ") != std::string_view::npos ||
           trailers.find("\r\n\t") != std::string_view::npos;
}

asio::awaitable<void> RequestReader::invite_body() {
    const auto expected = incoming_.request.headers.find("Expect").value_or("");
    if (!same_ignoring_case(expected, "100-continue") || !incoming_.http_1_1 ||
        parser_->is_done() || buffer_.size() > 0) {
        co_return;
    }
    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    // The following read detects a failure.
    co_await socket_.write(go_on, "", settings_.answer_time);
}

asio::awaitable<RequestReader::Got> RequestReader::read_some(Time deadline) {
    const auto space = buffer_.prepare(bytes_per_read);
    const TimedSocket::Read read = co_await socket_.read_some(space, deadline);
    buffer_.commit(read.count);
    co_return read.got;
}

}  // namespace sundial::http
