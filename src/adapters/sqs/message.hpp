#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/sqs/queue.hpp"
#include "domain/event.hpp"

namespace sundial::sqs {

// Limits of SendMessageBatch. A message counts with its body and its attributes' names, types and
// values.
inline constexpr std::size_t max_entries = 10;
inline constexpr std::size_t max_message_bytes = 1'048'576;  // of a batch, too

/// One message, ready for a batch.
struct Message {
    std::string fields{};   // JSON: the members of an entry, but its Id
    std::size_t bytes = 0;  // as the queue counts them
};

/// {eventId, eventType, idempotencyKey, metadata{userId, targetTimestampUTC, deliveryPayload}}. The
/// same in every attempt.
[[nodiscard]] std::string message_body(const Event& event);
/// Body, attributes and, for a FIFO queue, group and deduplication id.
[[nodiscard]] Message message_of(const Event& event, const Queue& queue);

/// The key; its SHA-256 in hex if it is too long for SQS or has characters that SQS does not allow
/// there.
[[nodiscard]] std::string deduplication_id(std::string_view key);

/// Why SQS would refuse `text`, a UTF-8 text, for one of its characters. Empty if it would not.
/// Allowed are U+0009, U+000A, U+000D, U+0020–U+D7FF, U+E000–U+FFFD and U+10000–U+10FFFF.
[[nodiscard]] std::optional<std::string> refuse_characters(std::string_view text);

/// The body of a request. The entry of messages[i] has the Id "i".
[[nodiscard]] std::string batch_body(const Queue& queue, std::span<const Message> messages);

}  // namespace sundial::sqs
