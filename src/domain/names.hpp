#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "domain/error.hpp"

/// Rules for names. Each function returns the defect of `text`, at `pointer`, with the correct
/// form; nothing if the text is valid. Lengths are in characters (code points), not bytes.
namespace sundial {

/// Of a person, an endpoint or an API key.
inline constexpr std::size_t max_name_length = 255;
/// 1 to `limit` characters of UTF-8, not only blanks, no control characters.
[[nodiscard]] std::optional<FieldError> refuse_text(std::string pointer, std::string_view text,
                                                    std::size_t limit);
/// 1 to 128 printable characters.
[[nodiscard]] std::optional<FieldError> refuse_external_id(std::string pointer,
                                                           std::string_view text);
/// `[A-Za-z0-9_-]{1,128}`: a dot would break the signature of a webhook.
[[nodiscard]] std::optional<FieldError> refuse_idempotency_key(std::string pointer,
                                                               std::string_view text);
/// `[A-Za-z0-9_.-]{1,128}` without the reserved prefix `sundial.`, so that a receiver can tell a
/// test from an event.
[[nodiscard]] std::optional<FieldError> refuse_event_type(std::string pointer,
                                                          std::string_view text);
/// `[A-Za-z0-9_]{1,64}`: names of a user's dates and metadata, which templates use.
[[nodiscard]] std::optional<FieldError> refuse_member_name(std::string pointer,
                                                           std::string_view text);

/// `parent` + "/" + `member`, escaped by RFC 6901.
[[nodiscard]] std::string json_pointer(std::string_view parent, std::string_view member);

/// Maximum size of a payload, and of a rendered template.
inline constexpr std::size_t max_payload_bytes = 256 * 1024;
/// Refuses a payload that is longer, is not one JSON value (base::canonical_json), or has U+0000 in
/// a string: functions for workers in PostgreSQL return payloads as jsonb, and one that cannot be
/// jsonb would make each of their claims fail.
[[nodiscard]] std::optional<FieldError> refuse_payload(std::string pointer,
                                                       std::string_view payload);

}  // namespace sundial
