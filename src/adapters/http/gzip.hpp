#pragma once

#include <string>
#include <string_view>

#include "adapters/http/message.hpp"

/// Compressed answers (RFC 9110 8.4, RFC 1952).
namespace sundial::http {

/// Whether a client that sends this Accept-Encoding takes gzip. Without the header: no.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

/// `text` as a file of gzip.
[[nodiscard]] std::string gzip(std::string_view text);
/// The text of a file of gzip that the build made: a damaged one is a bug.
[[nodiscard]] std::string gunzip(std::string_view file);

/// Compresses the body of a response that is worth it, if the client takes gzip. Not: short bodies,
/// types that are compressed already, secrets (their length would betray them), and responses with
/// a strong ETag, which names the exact bytes.
void compress(Response& response, bool client_takes_gzip);

}  // namespace sundial::http
