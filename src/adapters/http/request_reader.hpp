#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "adapters/http/message.hpp"
#include "adapters/http/problem.hpp"
#include "adapters/http/server.hpp"
#include "adapters/http/timed_socket.hpp"

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

/// The result of reading one request from a connection.
struct Incoming {
    bool gone = false;  // nothing to answer: the connection is closed, broken, or idle for too long
    std::optional<Problem> refused{};  // otherwise a request to answer, or a protocol fault
    Request request{};                 // as far as it was parsed
    bool http_1_1 = true;
    bool keep_alive = false;
    std::chrono::steady_clock::time_point head_read{};
};

/// Reads the requests of a socket one after the other, each within its bounds and deadlines. Used
/// on the stream's strand only.
class RequestReader {
public:
    /// Calls `arriving` when the first byte of a request has arrived.
    RequestReader(TimedSocket& socket, const ServerSettings& settings,
                  std::function<void()> arriving)
        : socket_(socket), settings_(settings), arriving_(std::move(arriving)) {}

    /// The next request. After a protocol fault nothing further can be read.
    boost::asio::awaitable<Incoming> read();

    /// Whether the reader waits for the first byte of a request.
    [[nodiscard]] bool idle() const { return idle_; }

private:
    using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
    using Time = std::chrono::steady_clock::time_point;
    using Got = TimedSocket::Got;

    boost::asio::awaitable<Got> read_some(Time deadline);
    boost::asio::awaitable<bool> read_head();
    boost::asio::awaitable<void> read_body();
    boost::asio::awaitable<void> invite_body();
    void understand_head(std::size_t begin, std::size_t end);
    void parse_some_body();
    [[nodiscard]] bool folds_a_trailer(std::string_view unread, std::size_t parsed) const;

    /// Beast accepts any byte between the quotes of a chunk extension; RFC 9112 7.1.1 does not.
    struct ChunkHead {
        std::string_view last_extension{};  // of the last chunk, which trailers may follow
        void operator()(std::uint64_t size, std::string_view extension,
                        boost::beast::error_code& failure);
    };

    TimedSocket& socket_;
    const ServerSettings& settings_;
    const std::function<void()> arriving_;
    boost::beast::flat_buffer buffer_;
    ChunkHead chunk_head_;
    std::optional<Parser> parser_;  // of the request being read, as is the next
    Incoming incoming_;
    Time begun_{};  // arrival of the request's first byte
    bool first_ = true;
    bool idle_ = false;
};

}  // namespace sundial::http
