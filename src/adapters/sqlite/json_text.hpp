#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/endpoint.hpp"

/// The JSON in our own columns: small, and read by people and by SQLite too.
namespace sundial::sqlite {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// `{"a":"b",…}`
[[nodiscard]] std::string object_of(const TextPairs& members);
/// `[["a","b"],…]`: names may repeat.
[[nodiscard]] std::string array_of(const TextPairs& pairs);
/// Reads either. Throws Corrupt.
[[nodiscard]] TextPairs pairs_in(std::string_view json);

/// `["a",…]`, the empty text if there are no elements: an argument of json_each.
[[nodiscard]] std::string array_of(const std::vector<std::string>& texts);
[[nodiscard]] std::string array_of(const std::vector<std::chrono::seconds>& numbers);
[[nodiscard]] std::string array_of(const std::vector<std::uint32_t>& numbers);
/// Throws Corrupt.
[[nodiscard]] std::vector<std::string> texts_in(std::string_view json);
/// Throws Corrupt.
[[nodiscard]] std::vector<std::chrono::seconds> seconds_in(std::string_view json);
/// Throws Corrupt.
[[nodiscard]] std::vector<std::uint32_t> counts_in(std::string_view json);

/// `[["v1","…","1798812000000000"],…]`: scheme, sealed key, end of its use for signing.
[[nodiscard]] std::string array_of(const std::vector<SigningKey>& keys);
/// Throws Corrupt.
[[nodiscard]] std::vector<SigningKey> signing_keys_in(std::string_view json);

/// `[["Authorization","…","…Q9f"],…]`: name, sealed value, hint.
[[nodiscard]] std::string array_of(const std::vector<EndpointHeader>& headers);
/// Throws Corrupt.
[[nodiscard]] std::vector<EndpointHeader> endpoint_headers_in(std::string_view json);

}  // namespace sundial::sqlite
