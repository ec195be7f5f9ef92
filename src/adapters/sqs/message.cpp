#include "adapters/sqs/message.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/sqs/signature.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "domain/ids.hpp"
#include "domain/time/text.hpp"

namespace sundial::sqs {
namespace {

constexpr std::size_t longest_deduplication_id = 128;

using Attribute = std::pair<std::string_view, std::string_view>;
constexpr std::string_view attribute_type = "String";

/// An event without a user is a group of its own.
std::string group_of(const Event& event, const Queue& queue) {
    if (queue.grouped_by_endpoint && event.endpoint) return to_string(*event.endpoint);
    return event.user ? to_string(*event.user) : deduplication_id(event.key.value);
}

bool is_control_character(unsigned char byte) {
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
}

}  // namespace

std::string message_body(const Event& event) {
    base::JsonWriter json;
    json.begin_object()
        .member("eventId", to_string(event.id))
        .member("eventType", event.type)
        .member("idempotencyKey", event.key.value)
        .key("metadata")
        .begin_object()
        .key("userId");
    if (event.user) {
        json.value(std::string_view{to_string(*event.user)});
    } else {
        json.null();
    }
    json.member("targetTimestampUTC", format_instant_millis(event.due))
        .key("deliveryPayload")
        .raw(event.payload)
        .end_object()
        .end_object();
    return std::move(json).text();
}

Message message_of(const Event& event, const Queue& queue) {
    const std::string body = message_body(event);
    const std::array attributes{Attribute{"eventType", event.type},
                                Attribute{"idempotencyKey", event.key.value}};
    Message message{.fields = {}, .bytes = body.size()};
    base::JsonWriter json;
    json.begin_object().member("MessageBody", body).key("MessageAttributes").begin_object();
    for (const auto& [name, value] : attributes) {
        message.bytes += name.size() + attribute_type.size() + value.size();
        json.key(name)
            .begin_object()
            .member("DataType", attribute_type)
            .member("StringValue", value)
            .end_object();
    }
    json.end_object();
    if (queue.fifo) {
        json.member("MessageGroupId", group_of(event, queue))
            .member("MessageDeduplicationId", deduplication_id(event.key.value));
    }
    const std::string object = std::move(json.end_object()).text();
    message.fields = object.substr(1, object.size() - 2);
    return message;
}

std::string deduplication_id(std::string_view key) {
    const bool allowed = std::ranges::all_of(key, [](char c) { return c > ' ' && c < 127; });
    const bool fits = !key.empty() && key.size() <= longest_deduplication_id;
    return allowed && fits ? std::string{key} : sha256_hex(key);
}

std::optional<std::string> refuse_characters(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const std::string_view rest = text.substr(at);
        std::string name;
        if (is_control_character(byte)) {
            name = "a control character";
        } else if (rest.starts_with("\xEF\xBF\xBE")) {
            name = "U+FFFE";
        } else if (rest.starts_with("\xEF\xBF\xBF")) {
            name = "U+FFFF";
        }
        if (!name.empty()) {
            return "has " + name + " at byte " + std::to_string(at) +
                   ", which Amazon SQS does not allow in a message: remove it, or write it as an "
                   "escape (\\uFFFE)";
        }
        at += std::max<std::size_t>(base::character_length(rest), 1);
    }
    return std::nullopt;
}

std::string batch_body(const Queue& queue, std::span<const Message> messages) {
    base::JsonWriter json;
    json.begin_object().member("QueueUrl", queue.url).key("Entries").begin_array();
    for (std::size_t i = 0; i < messages.size(); ++i) {
        json.raw("{\"Id\":\"" + std::to_string(i) + "\"," + messages[i].fields + '}');
    }
    return std::move(json.end_array().end_object()).text();
}

}  // namespace sundial::sqs
