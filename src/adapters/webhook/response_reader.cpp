#include "adapters/webhook/response_reader.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace sundial::webhook {
namespace {

constexpr std::size_t max_head_bytes = 32 * 1024;
constexpr std::size_t max_body_bytes = 64 * 1024;
constexpr std::size_t kept_body_bytes = 2 * 1024;
constexpr int max_interim_responses = 8;
constexpr int switching_protocols = 101;
constexpr std::chrono::seconds longest_retry_after = std::chrono::hours(24);

/// "HTTP/1.1 200 OK" → 200; 0 if it is not a status line.
int status_in(std::string_view line) {
    const auto space = line.find(' ');
    if (!line.starts_with("HTTP/") || space == std::string_view::npos) return 0;
    int status = 0;
    const std::string_view digits = line.substr(space + 1, 3);
    std::from_chars(digits.data(), digits.data() + digits.size(), status);
    return status;
}

/// The trimmed value if `line` is the field `name` (lower case).
std::optional<std::string> field_value(std::string_view line, std::string_view name) {
    const auto colon = line.find(':');
    if (colon != name.size()) return std::nullopt;
    const bool same = std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
        return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
    });
    if (!same) return std::nullopt;
    const std::string_view value = line.substr(colon + 1);
    const auto first = value.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return "";
    return std::string(value.substr(first, value.find_last_not_of(" \t\r\n") - first + 1));
}

}  // namespace

bool ResponseReader::head_line(std::string_view line) {
    head_bytes_ += line.size();
    if (head_bytes_ > max_head_bytes || head_complete_)
        return head_complete_;  // after the head: trailers
    if (const int status = status_in(line); status != 0) {
        status_ = status;
        retry_after_.clear();
        return true;
    }
    if (line != "\r\n" && line != "\n") {
        if (auto value = field_value(line, "retry-after")) retry_after_ = *std::move(value);
        return true;
    }
    head_complete_ = status_ >= 200 || status_ == switching_protocols;
    if (head_complete_) return status_ != switching_protocols;  // the bytes after 101 are not HTTP
    return ++interim_ <= max_interim_responses;
}

std::string ResponseReader::refusal() const {
    return interim_ > max_interim_responses ? "more than 8 interim responses"
                                            : "the head of the response has more than 32 KiB";
}

bool ResponseReader::body(std::string_view piece) {
    body_bytes_ += piece.size();
    kept_body_.append(
        piece.substr(0, kept_body_bytes - std::min(kept_body_bytes, kept_body_.size())));
    return body_bytes_ <= max_body_bytes;
}

std::optional<std::chrono::seconds> ResponseReader::retry_after(
    std::chrono::sys_seconds now) const {
    if (retry_after_.empty() || (status_ != 429 && status_ != 503)) return std::nullopt;
    const auto capped = [](std::chrono::seconds wait) {
        return std::clamp(wait, std::chrono::seconds(0), longest_retry_after);
    };
    std::int64_t seconds = 0;
    const auto [end, error] =
        std::from_chars(retry_after_.data(), retry_after_.data() + retry_after_.size(), seconds);
    if (end == retry_after_.data() + retry_after_.size()) {
        return error == std::errc::result_out_of_range ? longest_retry_after
                                                       : capped(std::chrono::seconds(seconds));
    }
    const std::time_t date = curl_getdate(retry_after_.c_str(), nullptr);
    if (date < 0) return std::nullopt;
    return capped(std::chrono::sys_seconds(std::chrono::seconds(date)) - now);
}

namespace {

constexpr std::size_t least = 8;

/// Overwrites: a replacement could make the text longer than its bound.
void hide(std::string& body, std::string_view secret) {
    if (secret.size() < least) return;
    for (auto at = body.find(secret); at != std::string::npos; at = body.find(secret, at)) {
        std::fill_n(body.begin() + static_cast<std::ptrdiff_t>(at), secret.size(), '*');
    }
    for (std::size_t size = std::min(secret.size() - 1, body.size()); size >= least; --size) {
        if (!body.ends_with(secret.substr(0, size))) continue;
        std::fill_n(body.end() - static_cast<std::ptrdiff_t>(size), size, '*');
        return;
    }
}

}  // namespace

std::string without_echoes(std::string body, const HeaderList& sent) {
    for (const auto& [name, value] : sent) {
        const std::string_view text = value;
        const auto blank = text.find(' ');
        hide(body, text);
        if (blank != std::string_view::npos) hide(body, text.substr(blank + 1));
    }
    return body;
}

namespace {

/// Whether more bytes could make `bytes` a character.
bool is_begun_character(std::string_view bytes) {
    constexpr std::size_t longest = 4;
    // Continuations that complete every sequence that is not malformed already.
    for (const char second : {'\x80', '\xA0', '\x9F', '\x90', '\x8F'}) {
        std::string whole{bytes};
        while (whole.size() < longest) {
            whole += whole.size() == 1 ? second : '\x80';
            if (base::character_length(whole) == whole.size()) return true;
        }
    }
    return false;
}

}  // namespace

std::string readable_text(std::string_view bytes, bool was_cut) {
    std::string text;
    while (!bytes.empty()) {
        const std::size_t length = base::character_length(bytes);
        if (length == 0 && was_cut && is_begun_character(bytes)) break;
        text += length == 0 ? "\uFFFD" : bytes.substr(0, length);
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return text;
}

}  // namespace sundial::webhook
