#include "adapters/http/gzip.hpp"

#define ZLIB_CONST  // input is const
#include <zlib.h>

#include <algorithm>
#include <cstddef>

#include "base/check.hpp"
#include "base/text.hpp"

namespace sundial::http {
namespace {

/// A shorter body fits in one packet anyway.
constexpr std::size_t min_bytes = 1024;
/// Pages of megabytes take a few milliseconds a megabyte; higher levels save little more of JSON.
constexpr int level = 3;

constexpr int window_of_gzip = 15 + 16;

/// `q=0` means "not this one" (RFC 9110 12.4.2).
bool has_weight(std::string_view parameters) {
    const auto weight = parameters.find("q=");
    if (weight == std::string_view::npos) return true;
    return parameters.substr(weight + 2).find_first_of("123456789") != std::string_view::npos;
}

bool is_worth_compressing(std::string_view content_type) {
    const std::string_view type = base::trimmed(content_type.substr(0, content_type.find(';')));
    return is_json(type) || (type.starts_with("text/") && type != "text/event-stream");
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
    bool any = false;
    while (!accept_encoding.empty()) {
        const auto end = accept_encoding.find(',');
        const std::string_view item = accept_encoding.substr(0, end);
        accept_encoding.remove_prefix(end == std::string_view::npos ? accept_encoding.size()
                                                                    : end + 1);
        const auto semicolon = std::min(item.find(';'), item.size());
        const std::string_view coding = base::trimmed(item.substr(0, semicolon));
        const bool accepted = has_weight(item.substr(semicolon));
        if (base::same_ignoring_case(coding, "gzip")) return accepted;
        if (coding == "*") any = accepted;
    }
    return any;
}

std::string gzip(std::string_view text) {
    constexpr int default_memory = 8;
    z_stream stream{};
    base::check(deflateInit2(&stream, level, Z_DEFLATED, window_of_gzip, default_memory,
                             Z_DEFAULT_STRATEGY) == Z_OK);
    std::string bytes(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_out = static_cast<uInt>(bytes.size());
    base::check(deflate(&stream, Z_FINISH) == Z_STREAM_END);  // never fails with so much room
    bytes.resize(stream.total_out);
    deflateEnd(&stream);
    return bytes;
}

std::string gunzip(std::string_view file) {
    constexpr std::size_t step = 256 * std::size_t{1024};
    z_stream stream{};
    base::check(inflateInit2(&stream, window_of_gzip) == Z_OK);
    stream.next_in = reinterpret_cast<const Bytef*>(file.data());
    stream.avail_in = static_cast<uInt>(file.size());
    std::string text;
    int result = Z_OK;
    while (result == Z_OK) {
        text.resize(stream.total_out + step);
        stream.next_out = reinterpret_cast<Bytef*>(text.data() + stream.total_out);
        stream.avail_out = static_cast<uInt>(text.size() - stream.total_out);
        result = inflate(&stream, Z_NO_FLUSH);
    }
    text.resize(stream.total_out);
    inflateEnd(&stream);
    base::check(result == Z_STREAM_END);
    return text;
}

void compress(Response& response, bool client_takes_gzip) {
    const bool eligible = response.body.size() > min_bytes && !response.secret &&
                          !response.stream && !response.headers.find("ETag") &&
                          !response.headers.find("Content-Encoding") &&
                          is_worth_compressing(response.content_type);
    if (!eligible) return;
    response.headers.add("Vary", "Accept-Encoding");
    if (!client_takes_gzip) return;
    response.body = gzip(response.body);
    response.headers.add("Content-Encoding", "gzip");
}

}  // namespace sundial::http
